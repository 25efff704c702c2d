import { resolve } from 'node:path';
import type { Event, EventOf } from '../../core/event';
import type { Context, Guard } from '../../core/guard';
import type { Json } from '../../core/json';
import { digest } from '../../core/text';
import { type Grounds, NOTHING, type Report, type Verdict } from '../../core/verdict';
import type { GitHead } from '../../git/head';
import { worktreesOf } from '../../git/refs';
import { type GatesConfig, type StopHookConfig, withEnvironment } from './config';
import * as say from './messages';
import { activeReport, disabledReport, errorReport, isBlockingStatus, isPass, reportOf } from './report';
import { candidatesFor } from './run/candidates';
import { LOCK_NAME, STATE_NAME } from './run/logs';
import { originOf, runRecordFrom } from './run/run-record';
import { ALL, type ExecutionState, parseExecutionState } from './run/state';
import { didNotPass, type GateResult, type RunResult } from './run-result';
import {
  type Beginning,
  beginningIn,
  beginningNow,
  beginningRef,
  keepBeginning,
  noteWeaker,
  runRecordRef,
} from './session';
import { untouchedSince } from './untouched';

/** Far more than a state has. */
const LARGEST_STATE = 1024 * 1024;

/** Holds the end of a turn until the checks and reviews of what changed have passed. */
export const guard: Guard<GatesConfig> = {
  name: 'gates',
  // A subagent that stops has not ended anything. At its start a session is told what will be checked.
  interest: () => [{ kind: 'turn.stop' }, { kind: 'session.start' }],
  decide,
};

async function decide(event: Event, config: GatesConfig, ctx: Context): Promise<Verdict> {
  const stopHook = withEnvironment(config.stopHook, ctx.env);
  if (event.kind === 'session.start') ctx.armed(say.armed(config, stopHook.enabled));
  const session = beginningFor(event, config, ctx);
  // Gates are slow, and what they say would be of no use before the rest is done.
  const heldByOthers = ctx.earlier.some(({ verdict }) => 'reason' in verdict);
  if (event.kind !== 'turn.stop' || heldByOthers) return NOTHING;
  const { gauntletCompat } = ctx;
  const idle = idleReport(event, gauntletCompat, stopHook);
  if (idle !== undefined) return notRun(idle, config, ctx);
  // With an error in the config nobody knows what would have passed; that is reported at every stop.
  const pause = config.problems.length > 0 ? undefined : pauseIn(config, stopHook, session, ctx);
  const skipped = (): Report =>
    reportOf('interval_not_elapsed', say.intervalNotElapsed(stopHook.intervalMinutes, pause?.leftMs ?? 0));
  if (pause?.certain) return notRun(skipped(), config, ctx);
  // Where the host does not name the prompt, the first stop after it is as good a name.
  const turn = event.promptId ?? (event.continuing ? undefined : `stop ${event.at}`);
  const input = {
    config,
    command: gauntletCompat ? 'stop-hook' : 'hook',
    restsIfOver: pause !== undefined && pause.restsOn === undefined,
    ...(pause?.restsOn !== undefined && { restsOn: pause.restsOn }),
    ...(session !== undefined && { session }),
    ...(turn !== undefined && { turn }),
  } as unknown as Json;
  const ran = (await ctx.run({ name: 'run', announce: 'run started', input })) as RunResult;
  const verdict: Verdict =
    ran.status === 'interval_not_elapsed'
      ? { kind: 'nothing', report: skipped() }
      : verdictOf(ran, config, !gauntletCompat || stopHook.reverify, ctx);
  return verdict.kind === 'hold' || session === undefined
    ? verdict
    : besides(verdict, ran, config, session, ctx);
}

/** Where the session began. It is kept at its start, or at its first stop where nobody told us of its start. */
function beginningFor(event: Event, config: GatesConfig, ctx: Context): Beginning | undefined {
  const { git, now } = ctx;
  if (event.sessionId === '' || git === undefined || git.position.kind === 'unreadable') return undefined;
  const known = beginningIn(ctx.document(beginningRef(event.sessionId)));
  if (known === undefined) ctx.change(keepBeginning(beginningNow(event.sessionId, git, config, now)));
  return known;
}

/** What the gates themselves do not see: work that lies elsewhere, and checks that have become weaker. */
function besides(
  verdict: Exclude<Verdict, { kind: 'hold' }>,
  { aside = [], weaker }: RunResult,
  config: GatesConfig,
  session: Beginning,
  ctx: Context,
): Verdict {
  const facts = (weaker?.facts ?? []).filter((fact) => !session.accepted.includes(fact));
  const isHeld = config.weakening === 'hold' && facts.length > 0;
  const listed = [...facts, ...(config.weakening === 'hold' ? (weaker?.changed ?? []) : [])];
  const key = listed.length === 0 ? undefined : digest(listed.join('\n'));
  if (weaker !== undefined && (key !== session.told || facts.length !== session.weaker.length))
    ctx.change(noteWeaker(session.sessionId, facts, key));
  const grounds: Grounds[] = [
    ...aside.map(({ what, exit }) => ({
      rule: 'work put aside',
      fact: `${what} has work of this session that was not checked.`,
      clear: exit,
      waive: say.waiver(config.home),
    })),
    ...(isHeld ? facts : []).map((fact) => ({
      rule: 'gates.weakening',
      fact,
      clear: 'undo it',
      waive: say.ACCEPT,
    })),
  ];
  const mayHold = (ctx.refusedStops.byGuard.gates ?? 0) <= config.maxRetries;
  if (grounds.length > 0 && mayHold) {
    const [asideText, weakerText] = [say.asideText(aside), say.weakerHeld(isHeld ? facts : [])];
    const reason = [asideText, weakerText].filter((text) => text !== '').join('\n\n');
    const told = isHeld ? say.weakerTold(listed) : say.asideTold(aside);
    return { kind: 'hold', reason, report: { ...reportOf('failed', told), once: true }, grounds };
  }
  const isNews = key !== undefined && key !== session.told;
  const notes = [
    'toPerson' in verdict ? verdict.toPerson : undefined,
    grounds.length > 0 ? say.letGo(say.asideTold(aside), isHeld) : undefined,
    isNews || (isHeld && !mayHold) ? `Holdpoint: ${say.weakerTold(listed)}` : undefined,
  ].filter((note) => note !== undefined);
  if (notes.length === 0) return verdict;
  const report = 'report' in verdict ? verdict.report : undefined;
  const before = 'grounds' in verdict ? verdict.grounds : [];
  return {
    kind: 'advise',
    toPerson: notes.join('\n'),
    ...(report && { report }),
    grounds: [...before, ...grounds],
  };
}

/** Why the gates have nothing to do with this stop, whatever their last run said. */
function idleReport(
  event: EventOf<'turn.stop'>,
  gauntletCompat: boolean,
  { enabled, reverify }: StopHookConfig,
): Report | undefined {
  if (gauntletCompat && event.continuing && !reverify) return activeReport();
  if (!enabled) return disabledReport('stop_hook.enabled');
  if (event.agent !== undefined) return reportOf('no_applicable_gates', say.SUBAGENT);
  if (event.status !== 'completed') return reportOf('no_applicable_gates', say.BROKEN_OFF);
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

/**
 * How much is left of the time after a run that passed in which the gates do not run. Never after a run that found
 * something or was about a part of the gates, nor on another branch. `certain`: what is known is enough, as no run
 * is going on, and the last one is known to have passed.
 */
function pauseIn(
  config: GatesConfig,
  { intervalMinutes }: StopHookConfig,
  session: Beginning | undefined,
  ctx: Context,
) {
  const fact = ctx.file({ path: `${config.logDir}/${STATE_NAME}`, maxTextBytes: LARGEST_STATE });
  if (fact.kind !== 'file') return undefined;
  const logDir = resolve(ctx.projectRoot, config.logDir);
  const kept = ctx.document(runRecordRef(logDir));
  const record = runRecordFrom(kept.kind === 'present' ? kept.value : undefined);
  const origin = originOf(fact.text === record.state, fact.ctimeMs, session?.at);
  const state = origin === 'foreign' ? undefined : parseExecutionState(fact.text ?? '');
  if (state?.last_run_completed_at === undefined || !mayPause(state, ctx.git)) return undefined;
  const elapsed = ctx.now - Date.parse(state.last_run_completed_at);
  const leftMs = intervalMinutes * 60_000 - elapsed;
  if (elapsed < 0 || leftMs <= 0) return undefined;
  const isLocked = ctx.file({ path: `${config.logDir}/${LOCK_NAME}` }).kind !== 'missing';
  const isOver = !isLocked && state.last_status !== undefined;
  // The older program does not say which files it saw.
  if (origin === 'old') return { leftMs, certain: isOver };
  const { working_tree_ref: restsOn, base_commit: base } = state;
  if (restsOn === undefined || (session !== undefined && session.base !== base)) return undefined;
  const isQuiet =
    session === undefined || (ctx.git && session.weaker.length === 0 && hasNothingAside(session, ctx.git));
  const certain = isOver && isQuiet === true && untouchedSince(ctx.projectRoot, [logDir], record.seenAt);
  return { leftMs, certain, restsOn };
}

function hasNothingAside(session: Beginning, git: GitHead): boolean {
  const isSameTree = session.root === git.root;
  return (
    isSameTree &&
    worktreesOf(git).length <= session.worktrees.length &&
    candidatesFor(session, git).length === 0
  );
}

/** The older program does not say how its run ended; its logs do. */
function mayPause(state: ExecutionState, git: GitHead | undefined): boolean {
  const { last_status: status, branch, selection = ALL } = state;
  const position = git?.position;
  const current = position !== undefined && 'branch' in position ? position.branch : 'HEAD';
  if (branch !== undefined && branch !== current) return false;
  return selection === ALL && (status === undefined || isPass(status));
}

/** What a run means for the end of the turn. `verifies`: the next stop of the turn is checked too. */
function verdictOf(result: RunResult, config: GatesConfig, verifies: boolean, ctx: Context): Verdict {
  const { status, killed, message } = result;
  // Users of the older program keep its words, whichever of our commands is called.
  const gauntlet = ctx.gauntletCompat || config.home === '.gauntlet';
  const report = reportOn(result, gauntlet);
  const isError = status === 'error' || status === 'infrastructure_error';
  for (const text of [killed, isError ? message : undefined]) {
    const [detail = ''] = text?.split('\n', 1) ?? [];
    if (text !== undefined) ctx.trouble({ code: 'effect.failed', guard: 'gates', detail });
  }
  const grounds = result.gates.filter(didNotPass).map((gate) => groundsFor(gate, config, verifies));
  if (isBlockingStatus(status)) {
    const reason = gauntlet ? say.gauntletText(result, verifies) : say.holdText(result, verifies);
    return { kind: 'hold', reason, report, grounds };
  }
  // The turn may end although not everything has passed: the person has to know.
  const isUnchecked = status === 'lock_exists' && !gauntlet;
  const isUnwell = isError || isUnchecked || status === 'retry_limit_exceeded';
  const unwell = isUnwell ? report.message : undefined;
  const toPerson = killed === undefined ? unwell : `Holdpoint: ${killed}.`;
  return toPerson === undefined ? { kind: 'nothing', report } : { kind: 'advise', toPerson, report, grounds };
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

function groundsFor(gate: GateResult, config: GatesConfig, verifies: boolean): Grounds {
  const place = placeOf(gate.id, config);
  return {
    rule: gate.id,
    ...(place !== undefined && { place }),
    fact: gate.log === undefined ? gate.message : `${gate.message}; see ${gate.log}`,
    clear: say.clears(gate.id, verifies),
    waive: say.waiver(config.home),
  };
}

/** An id is made of the kind, the entry point and the name, and all but the first may have colons in them. */
function placeOf(id: string, { checks, reviews }: GatesConfig): string | undefined {
  const named = id.startsWith('check:') ? checks : reviews;
  const fits = named.filter(({ name }) => id.endsWith(`:${name}`));
  return fits.sort((a, b) => b.name.length - a.name.length)[0]?.place;
}
