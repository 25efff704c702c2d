import type { Effects } from '../../core/command-effects';

/** Whether a line that has ended well made a commit by `git commit`. */
export function madeCommit(effects: Effects): boolean {
  return effects.git.some(({ operation, dryRun }) => operation === 'commit' && !dryRun);
}
