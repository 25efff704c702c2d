import type { Base } from '../../../git/base';
import type { ExecutionState } from '../execution-state';
import { archiveLogs } from './clean';
import { currentLogs } from './log-files';
import {
  branchChanged,
  CLEANED_BEFORE,
  cleanedFor,
  commitMerged,
  forgotFor,
  NEW_TURN,
  NOTHING_LEFT,
} from './messages';
import { isPass } from './results';
import { removeState } from './state-file';

export type CleanReason =
  | { readonly kind: 'branch changed'; readonly from: string; readonly to: string }
  | { readonly kind: 'commit merged'; readonly commit: string; readonly base: string }
  | { readonly kind: 'session over' }
  | { readonly kind: 'new turn' }
  | { readonly kind: 'nothing left' };

export interface Where {
  readonly branch: string;
  readonly base: Base;
  /** Whether a commit that was not in the base then is in it now. */
  hasBeenMerged(commit: string, before: string | undefined, after: string): Promise<boolean>;
}

/** Why the logs that are there are about something else than what would be checked now, if they are. */
export async function contextChange(state: ExecutionState, where: Where): Promise<CleanReason | undefined> {
  const { branch, commit } = state;
  if (branch !== undefined && branch !== where.branch) {
    return { kind: 'branch changed', from: branch, to: where.branch };
  }
  const { base } = where;
  const hasMoved = base.commit !== undefined && base.commit !== state.base_commit;
  if (commit && base.commit && hasMoved && state.commit_in_base !== true) {
    const merged = await where.hasBeenMerged(commit, state.base_commit, base.commit);
    if (merged) return { kind: 'commit merged', commit, base: base.ref };
  }
  return state.last_status !== undefined && isPass(state.last_status) ? { kind: 'session over' } : undefined;
}

/**
 * Archives what an earlier session left, and says so. Only a pass leaves its state in force: the interval
 * is counted from it. Answers with the sentence for the console, if anything was done.
 */
export function autoClean(logDir: string, reason: CleanReason): string | undefined {
  const hadLogs = currentLogs(logDir).names.length > 0;
  if (hadLogs) archiveLogs(logDir);
  if (reason.kind === 'session over') return hadLogs ? CLEANED_BEFORE : undefined;
  removeState(logDir);
  const words = wordsFor(reason);
  return hadLogs ? cleanedFor(words) : forgotFor(words);
}

function wordsFor(reason: Exclude<CleanReason, { kind: 'session over' }>): string {
  switch (reason.kind) {
    case 'branch changed':
      return branchChanged(reason.from, reason.to);
    case 'commit merged':
      return commitMerged(reason.commit, reason.base);
    case 'new turn':
      return NEW_TURN;
    case 'nothing left':
      return NOTHING_LEFT;
  }
}
