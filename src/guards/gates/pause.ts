import type { GitHead } from '../../core/git-head';
import type { Snapshot } from '../../core/snapshot';
import type { GatesConfig, StopHookConfig } from './config';
import { ALL, type ExecutionState, parseExecutionState } from './execution-state';
import { lockFile, stateFile } from './log-places';

/** The time after a run in which the gates rest. */
export interface Pause {
  readonly leftMs: number;
  /** Whether what is known is enough: no run is going on, and the last one is known to have passed. */
  readonly certain: boolean;
}

const MINUTE_MS = 60_000;
const PASSES = ['passed', 'passed_with_warnings'];

/** Whether the gates rest. They never do after a run that found something or was about a part, nor on another branch. */
export function pauseIn(
  config: GatesConfig,
  { intervalMinutes }: StopHookConfig,
  snapshot: Snapshot,
): Pause | undefined {
  const fact = snapshot.files.get(stateFile(config));
  const state = fact?.kind === 'file' ? parseExecutionState(fact.text ?? '') : undefined;
  if (state?.last_run_completed_at === undefined || !mayRest(state, snapshot.git)) return undefined;
  const elapsed = snapshot.now - Date.parse(state.last_run_completed_at);
  const leftMs = intervalMinutes * MINUTE_MS - elapsed;
  if (elapsed < 0 || leftMs <= 0) return undefined;
  const isLocked = snapshot.files.get(lockFile(config))?.kind !== 'missing';
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
