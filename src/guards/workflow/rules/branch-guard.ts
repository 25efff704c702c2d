import { branchWrite, guardedRepository } from '../branch-writes';
import type { Rule } from '../finding';
import { branchUncertain, commitToMain } from '../write-messages';

/** While a workflow has a branch of its own, nothing is committed to a protected one. */
export const branchGuard: Rule = ({ event, workflow, effects, model, git, defaultBranch }) => {
  if (event.kind !== 'tool.before' || effects === undefined) return undefined;
  const branch = workflow?.branch;
  if (branch?.status !== 'active') return undefined;
  const guarded = guardedRepository(
    { git, ...(defaultBranch !== undefined && { defaultBranch }) },
    model.protectedBranches,
  );
  const write = guarded && branchWrite(effects, guarded);
  if (guarded === undefined || write === undefined) return undefined;
  const name = branch.name ?? 'the branch of the workflow';
  const clear = `git switch ${branch.name ?? 'BRANCH'}`;
  const current = guarded.current ?? 'none';
  if (write.certainty === 'writes') {
    const text = commitToMain({ what: write.what, written: write.branch, current, expected: name });
    return { weight: 'deny', text, fact: `${write.what} writes ${write.branch}`, clear };
  }
  const fact = `${write.what} may write ${write.branch === '' ? 'a protected branch' : write.branch}`;
  return { weight: 'ask', text: branchUncertain(write.what, write.branch, name), fact, clear };
};
