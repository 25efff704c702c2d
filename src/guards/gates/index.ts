import type { Event, EventOf } from '../../core/event';
import type { Context, Guard } from '../../core/guard';
import { type Json, type JsonObject, withoutUndefined } from '../../core/json';
import { stopKey } from '../../core/refused-stops';
import { digest } from '../../core/text';
import { type Grounds, NOTHING, type Report, type Verdict } from '../../core/verdict';
import {
  type GatesConfig,
  gatesApart,
  gatesInMode,
  hasMode,
  type StopHookConfig,
  withEnvironment,
} from './config';
import { addExtraFindings, withAdvice } from './extra-findings';
import * as say from './messages';
import { type Pause, pauseIn } from './pause';
import { activeReport, disabledReport, errorReport, reportOf } from './report';
import { didNotPass, type GateResult, gaveResult, LAST_RUN, type RunResult } from './run-result';
import {
  baselineIn,
  baselineRef,
  newBaseline,
  recordBaseline,
  type SessionBaseline,
} from './session-baseline';

/** Holds the end of a turn until the checks and reviews of the changes have passed. */
export const guard: Guard<GatesConfig> = {
  name: 'gates',
  // Not `subagent.stop`: it ends no turn. At `session.start` the session is told what will be checked.
  interest: () => [{ kind: 'turn.stop' }, { kind: 'session.start' }],
  decide,
  // Only its effects are slow, and they have their own deadlines.
  isQuick: () => true,
  shadow: {
    interest: (config) => (hasMode(config, 'shadow') ? [{ kind: 'turn.stop' }] : []),
    isAll: (config) =>
      config.problems.length === 0 &&
      hasMode(config, 'shadow') &&
      !hasMode(config, 'warn') &&
      !hasMode(config, 'hold'),
    decide: (event, config, ctx) => decideNonHolding(event, config, ctx, 'shadow'),
  },
};

/** Runs the gates that hold and, if the turn may end, those that only warn the user. */
async function decide(event: Event, config: GatesConfig, ctx: Context): Promise<Verdict> {
  const warns = hasMode(config, 'warn');
  // No gate can hold, so there is nothing to report.
  const isIdle = warns && !hasMode(config, 'hold') && config.problems.length === 0;
  const verdict = isIdle
    ? withoutHolding(event, config, ctx)
    : await decideHolding(event, gatesInMode(config, 'hold'), ctx);
  if (!warns || 'reason' in verdict) return verdict;
  const said = await decideNonHolding(event, config, ctx, 'warn');
  if (said.kind === 'nothing') return verdict;
  const grounds = said.grounds.map((one): Grounds => ({ ...one, mode: 'warn' }));
  return withAdvice(verdict, grounds, [say.warnedText(grounds)]);
}

/** agent-gauntlet's own command reports every stop, even where no gate can hold. */
function withoutHolding(event: Event, config: GatesConfig, ctx: Context): Verdict {
  if (event.kind !== 'turn.stop' || !ctx.gauntletCompat) return NOTHING;
  const idle = idleReport(event, true, withEnvironment(config.stopHook, ctx.env));
  return { kind: 'nothing', report: idle ?? reportOf('no_applicable_gates', say.NOT_HOLDING) };
}

/** Runs the gates of a mode that does not hold, with their own logs and state. */
async function decideNonHolding(
  event: Event,
  config: GatesConfig,
  ctx: Context,
  mode: 'warn' | 'shadow',
): Promise<Verdict> {
  const stopHook = withEnvironment(config.stopHook, ctx.env);
  const heldByOthers = ctx.earlier.some(({ verdict }) => 'reason' in verdict);
  if (event.kind !== 'turn.stop' || heldByOthers || ctx.git === undefined || !hasMode(config, mode))
    return NOTHING;
  if (idleReport(event, ctx.gauntletCompat, stopHook) !== undefined) return NOTHING;
  const own = gatesApart(config, mode, ctx.git.commonDir, ctx.projectRoot);
  const pause = pauseIn(own, stopHook, undefined, ctx);
  if (pause?.certain) return NOTHING;
  const input = { ...(inputFor(event, own, pause, undefined, ctx) as JsonObject), isApart: true };
  const ran = (await ctx.run({ name: 'run', input, run: mode })) as RunResult;
  ctx.asked(ran.gates.map(({ id }) => id));
  const failed = ran.gates.filter(({ status }) => status === 'fail');
  if (failed.length === 0) return NOTHING;
  return { kind: 'hold', reason: '', grounds: failed.map((gate) => groundsFor(gate, config, true)) };
}

async function decideHolding(event: Event, config: GatesConfig, ctx: Context): Promise<Verdict> {
  const stopHook = withEnvironment(config.stopHook, ctx.env);
  if (event.kind === 'session.start') {
    ctx.armed(say.armed(config, stopHook.enabled));
    baselineFor(event, config, ctx);
  }
  // Gates are slow, and their result is useless while another rule holds the turn.
  const heldByOthers = ctx.earlier.some(({ verdict }) => 'reason' in verdict);
  if (event.kind !== 'turn.stop' || heldByOthers) return NOTHING;
  const { gauntletCompat } = ctx;
  const idle = idleReport(event, gauntletCompat, stopHook);
  if (idle !== undefined) return notRun(idle, config, ctx);
  const session = baselineFor(event, config, ctx);
  // With a config error we cannot know what would have passed, so it is reported at every stop.
  const pause = config.problems.length > 0 ? undefined : pauseIn(config, stopHook, session, ctx);
  const skipped = (): Report =>
    reportOf('interval_not_elapsed', say.intervalNotElapsed(stopHook.intervalMinutes, pause?.leftMs ?? 0));
  if (pause?.certain) return notRun(skipped(), config, ctx);
  const input = inputFor(event, config, pause, session, ctx);
  const rules = [...config.checks, ...config.reviews].map(({ name }) => name);
  const ran = (await ctx.run({ name: 'run', announce: 'run started', input, rules })) as RunResult;
  ctx.asked(ran.gates.map(({ id }) => id));
  const verdict: Verdict =
    ran.status === 'interval_not_elapsed'
      ? { kind: 'nothing', report: skipped() }
      : verdictOf(ran, config, !gauntletCompat || stopHook.reverify, ctx);
  return 'reason' in verdict || session === undefined
    ? verdict
    : addExtraFindings(verdict, ran, config, session, ctx);
}

function inputFor(
  event: EventOf<'turn.stop'>,
  config: GatesConfig,
  pause: Pause | undefined,
  session: SessionBaseline | undefined,
  { gauntletCompat }: Context,
): Json {
  // If the host sends no prompt id, the time of the first stop after the prompt identifies the turn.
  const turn = event.promptId ?? (event.continuing ? undefined : `stop ${event.at}`);
  const stop = digest(`${event.sessionId} ${stopKey(event)}`);
  return {
    config,
    command: gauntletCompat ? 'stop-hook' : 'hook',
    restsIfOver: pause !== undefined && pause.restsOn === undefined,
    ...withoutUndefined({ restsOn: pause?.restsOn, session, turn, stop }),
  } as unknown as Json;
}

/** How the session found the repository. Recorded at its start, or at its first stop if we saw no start. */
function baselineFor(event: Event, config: GatesConfig, ctx: Context): SessionBaseline | undefined {
  const { git, now } = ctx;
  if (event.sessionId === '' || git === undefined || git.position.kind === 'unreadable') return undefined;
  const known = baselineIn(ctx.document(baselineRef(event.sessionId)));
  if (known === undefined) ctx.change(recordBaseline(newBaseline(event.sessionId, git, config, now)));
  return known;
}

/** Why the gates do not apply to this stop, whatever their last result was. */
function idleReport(
  event: EventOf<'turn.stop'>,
  gauntletCompat: boolean,
  { enabled, reverify }: StopHookConfig,
): Report | undefined {
  if (gauntletCompat && event.continuing && !reverify) return activeReport();
  if (!enabled) return disabledReport('stop_hook.enabled');
  if (event.agent !== undefined) return reportOf('no_applicable_gates', say.SUBAGENT);
  if (event.status !== 'completed') return reportOf('no_applicable_gates', say.INTERRUPTED);
  // An agent that may change nothing cannot fix anything either.
  const planning = event.permissionMode?.canonical === 'plan';
  return planning ? reportOf('no_applicable_gates', say.PLANNING) : undefined;
}

async function notRun(report: Report, config: GatesConfig, ctx: Context): Promise<Verdict> {
  if (config.debugLog.enabled) {
    await ctx.run({ name: 'note', input: { config, status: report.status } as unknown as Json });
  }
  return { kind: 'nothing', report };
}

/** What a run means for the end of the turn. `verifies`: the next stop of the turn is checked too. */
function verdictOf(result: RunResult, config: GatesConfig, verifies: boolean, ctx: Context): Verdict {
  const { status, killed, message } = result;
  // agent-gauntlet's users get its wording, whichever command runs.
  const gauntlet = ctx.gauntletCompat || config.home === '.gauntlet';
  const report = reportOn(result, gauntlet);
  const isError = status === 'error' || status === 'infrastructure_error';
  reportKilled(result, ctx);
  // If the result is partial, invalid gates are disabled (the user is told) and the others ran. A program that is
  // missing for one of several gates is no failure of ours either.
  const isChecked = status === 'infrastructure_error' && result.gates.some(gaveResult);
  if (isError && result.isPartial !== true && !isChecked) {
    const detail = message.split('\n', 2).join(' ');
    ctx.trouble({ code: 'effect.failed', guard: 'gates', detail });
  }
  const grounds = result.gates.filter(didNotPass).map((gate) => groundsFor(gate, config, verifies));
  if (status === 'failed') {
    const reason = gauntlet ? say.gauntletText(result, verifies) : say.holdText(result, verifies);
    const before = killed !== undefined && { toPerson: `Holdpoint: ${killed}.` };
    return { kind: 'hold', reason, report, grounds, ...before };
  }
  // The turn may end although not everything has passed, so the user must know. agent-gauntlet's own command shows
  // every report anyway.
  const isLocked =
    ['lock_exists', 'lock_conflict'].includes(status) && !ctx.gauntletCompat && result.isElsewhere !== true;
  const isUnwell = isError || isLocked || status === 'retry_limit_exceeded';
  const unwell = isUnwell ? report.message : undefined;
  const toPerson = killed === undefined ? unwell : `Holdpoint: ${killed}.`;
  return toPerson === undefined ? { kind: 'nothing', report } : { kind: 'advise', toPerson, report, grounds };
}

function reportKilled({ killed, gates }: RunResult, ctx: Context): void {
  if (killed === undefined) return;
  const hasRunSince = gates.every(({ id }) => id !== LAST_RUN);
  const failure = { code: 'effect.failed', guard: 'gates', detail: killed } as const;
  ctx.trouble(hasRunSince ? { ...failure, isPast: true } : failure);
}

function reportOn(result: RunResult, gauntlet: boolean): Report {
  const { status, message } = result;
  switch (status) {
    case 'passed':
    case 'passed_with_warnings': {
      const passed = say.passedText(result);
      const isOld = gauntlet && status === 'passed';
      return {
        ...reportOf(status, isOld ? `Gauntlet completed successfully — ${message}` : message),
        ...(passed !== undefined && { note: `Holdpoint: ${passed}` }),
      };
    }
    case 'failed':
      return gauntlet
        ? reportOf(status, `Gauntlet failed — issues must be fixed before stopping. ${message}`)
        : { ...reportOf(status, message), once: true };
    case 'retry_limit_exceeded':
      return reportOf(status, say.limitExceeded(result, gauntlet));
    case 'error':
    case 'infrastructure_error':
      if (!gauntlet) return reportOf(status, `The turn was allowed to end — ${message}`);
      return status === 'error' ? errorReport(message) : reportOf(status, message);
    default:
      return reportOf(status, message);
  }
}

function groundsFor(gate: GateResult, { home }: GatesConfig, verifies: boolean): Grounds {
  const { id, place, message, log } = gate;
  return {
    rule: id,
    ...(place !== undefined && { place }),
    fact: log === undefined ? message : `${message}; see ${log}`,
    clear: say.satisfyText(id, verifies),
    waive: say.waiver(home),
  };
}
