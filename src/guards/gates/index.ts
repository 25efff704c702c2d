import type { Event, EventOf } from '../../core/event';
import type { GitHead } from '../../core/git-head';
import type { Context, Guard } from '../../core/guard';
import type { Json } from '../../core/json';
import { type Grounds, NOTHING, type Report, type Verdict } from '../../core/verdict';
import { type GatesConfig, type StopHookConfig, withEnvironment } from './config';
import * as say from './messages';
import { activeReport, disabledReport, errorReport, isBlockingStatus, reportOf } from './report';
import {
  ALL,
  type ExecutionState,
  type GateResult,
  lockFile,
  parseExecutionState,
  type RunResult,
  stateFile,
} from './run-result';

/** Far more than a state has. */
const LARGEST_STATE = 1024 * 1024;

/** Holds the end of a turn until the checks and reviews of what changed have passed. */
export const guard: Guard<GatesConfig> = {
  name: 'gates',
  // A subagent that stops has not ended anything. When a session begins it is told what awaits it.
  interest: () => [{ kind: 'turn.stop' }, { kind: 'session.start' }],
  decide,
};

type Stop = EventOf<'turn.stop'>;

/** Lets a turn end, or has the gates run and decides by what they came to. */
async function decide(event: Event, config: GatesConfig, ctx: Context): Promise<Verdict> {
  if (event.kind === 'session.start') ctx.armed(armedGates(config, ctx));
  // Gates are slow, and what they say would be of no use before the rest is done.
  const heldByOthers = ctx.earlier.some(({ verdict }) => 'reason' in verdict);
  if (event.kind !== 'turn.stop' || heldByOthers) return NOTHING;
  const { gauntletCompat } = ctx;
  const stopHook = withEnvironment(config.stopHook, ctx.env);
  const idle = idleReport(event, gauntletCompat, stopHook);
  if (idle !== undefined) return rested(idle, config, ctx);
  // With a mistake in the config nobody knows what would have passed; that is told at every stop.
  const pause = config.problems.length > 0 ? undefined : pauseIn(config, stopHook, ctx);
  const resting = (): Report =>
    reportOf('interval_not_elapsed', say.stillResting(stopHook.intervalMinutes, pause?.leftMs ?? 0));
  if (pause?.certain) return rested(resting(), config, ctx);
  const turn = turnOf(event);
  const input = {
    config,
    command: gauntletCompat ? 'stop-hook' : 'hook',
    restsIfOver: pause !== undefined,
    ...(turn !== undefined && { turn }),
  } as unknown as Json;
  const ran = (await ctx.run({ name: 'run', announce: 'run started', input })) as RunResult;
  if (ran.status === 'interval_not_elapsed') return { kind: 'nothing', report: resting() };
  return verdictOf(ran, config, !gauntletCompat || stopHook.reverify, ctx);
}

/** Why the gates have nothing to do with this stop, whatever their last run said. */
function idleReport(
  event: Stop,
  gauntletCompat: boolean,
  { enabled, reverify }: GatesConfig['stopHook'],
): Report | undefined {
  if (gauntletCompat && event.continuing && !reverify) return activeReport();
  if (!enabled) return disabledReport('stop_hook.enabled');
  if (event.agent !== undefined) return reportOf('no_applicable_gates', say.SUBAGENT);
  if (event.status !== 'completed') return reportOf('no_applicable_gates', say.BROKEN_OFF);
  // Whoever may change nothing cannot mend anything either.
  const planning = event.permissionMode?.canonical === 'plan';
  return planning ? reportOf('no_applicable_gates', say.PLANNING) : undefined;
}

/** Nothing runs. Where there is a debug log, it is told so first. */
async function rested(report: Report, config: GatesConfig, ctx: Context): Promise<Verdict> {
  if (config.debugLog.enabled) {
    await ctx.run({ name: 'note', input: { config, status: report.status } as unknown as Json });
  }
  return { kind: 'nothing', report };
}

/** Where the host does not name the prompt, the first stop after it is as good a name. */
function turnOf({ promptId, continuing, at }: Stop): string | undefined {
  return promptId ?? (continuing ? undefined : `stop ${at}`);
}

/** What awaits the end of a turn, in a few words. */
function armedGates({ checks, reviews, stopHook, problems }: GatesConfig, { env }: Context): string {
  if (!withEnvironment(stopHook, env).enabled) return say.armedOff;
  return problems.length > 0 ? say.armedBroken : say.armed(checks.length, reviews.length);
}

/** The time after a run in which the gates rest. */
interface Pause {
  readonly leftMs: number;
  /** Whether what is known is enough: no run is going on, and the last one is known to have passed. */
  readonly certain: boolean;
}

const MINUTE_MS = 60_000;
const PASSES = ['passed', 'passed_with_warnings'];

/** Whether the gates rest. They never do after a run that found something or was about a part, nor on another branch. */
function pauseIn(config: GatesConfig, { intervalMinutes }: StopHookConfig, ctx: Context): Pause | undefined {
  const fact = ctx.file({ path: stateFile(config), maxTextBytes: LARGEST_STATE });
  const state = fact.kind === 'file' ? parseExecutionState(fact.text ?? '') : undefined;
  if (state?.last_run_completed_at === undefined || !mayRest(state, ctx.git)) return undefined;
  const elapsed = ctx.now - Date.parse(state.last_run_completed_at);
  const leftMs = intervalMinutes * MINUTE_MS - elapsed;
  if (elapsed < 0 || leftMs <= 0) return undefined;
  const isLocked = ctx.file({ path: lockFile(config) }).kind !== 'missing';
  return { leftMs, certain: !isLocked && state.last_status !== undefined };
}

/** The older program does not say how its run ended; its logs do. */
function mayRest(state: ExecutionState, git: GitHead | undefined): boolean {
  const { last_status: status, branch, selection = ALL } = state;
  const sameBranch = branch === undefined || branch === branchOf(git);
  return sameBranch && selection === ALL && (status === undefined || PASSES.includes(status));
}

function branchOf(git: GitHead | undefined): string {
  const { position } = git ?? {};
  return position?.kind === 'branch' || position?.kind === 'rebase' ? position.branch : 'HEAD';
}

/** What a run means for the end of the turn. `verifies` tells whether the next stop of the turn is looked at too. */
function verdictOf(result: RunResult, config: GatesConfig, verifies: boolean, ctx: Context): Verdict {
  const { status, killed, message } = result;
  const report = reportOn(result);
  const isUnwell = ['error', 'infrastructure_error', 'retry_limit_exceeded'].includes(status);
  const troubles = [killed, isUnwell && status !== 'retry_limit_exceeded' ? message : undefined];
  for (const text of troubles) {
    const [detail = ''] = text?.split('\n', 1) ?? [];
    if (text !== undefined) ctx.trouble({ code: 'effect.failed', guard: 'gates', detail });
  }
  const grounds = result.gates.filter(isBad).map((gate) => groundsFor(gate, config));
  if (isBlockingStatus(status)) {
    return { kind: 'hold', reason: say.holdText(result, verifies), report, grounds };
  }
  // Let go although not everything is well: the person hears of it, not only whoever reads the report.
  const toPerson = killed ?? (isUnwell ? report.message : undefined);
  return toPerson === undefined ? { kind: 'nothing', report } : { kind: 'advise', toPerson, report, grounds };
}

function reportOn({ status, message }: RunResult): Report {
  switch (status) {
    case 'failed':
      return reportOf(status, say.gauntletFailed(message));
    case 'retry_limit_exceeded':
      return reportOf(status, say.limitExceeded(message));
    case 'error':
      return errorReport(message);
    case 'passed':
      return reportOf(status, say.gauntletPassed(message));
    case 'passed_with_warnings':
    case 'no_applicable_gates':
    case 'no_changes':
    case 'lock_exists':
    case 'lock_conflict':
    case 'infrastructure_error':
    case 'no_config':
    case 'stop_hook_active':
    case 'stop_hook_disabled':
    case 'interval_not_elapsed':
    case 'invalid_input':
      return reportOf(status, message);
  }
}

function isBad({ status }: GateResult): boolean {
  return status === 'fail' || status === 'error';
}

function groundsFor(gate: GateResult, config: GatesConfig): Grounds {
  const place = placeOf(gate.id, config);
  return {
    rule: gate.id,
    ...(place !== undefined && { place }),
    fact: gate.log === undefined ? gate.message : `${gate.message}; see ${gate.log}`,
    clear: say.clears(config.home),
    waive: say.WAIVER,
  };
}

/** An id is made of the kind, the entry point and the name, and all but the first may have colons in them. */
function placeOf(id: string, { checks, reviews }: GatesConfig): string | undefined {
  const named = id.startsWith('check:') ? checks : reviews;
  const fits = named.filter(({ name }) => id.endsWith(`:${name}`));
  return fits.sort((a, b) => b.name.length - a.name.length)[0]?.place;
}
