import type { GitOperation } from '../core/command-effects';
import { has, readArguments, valueOfOption } from './arguments';
import { constantOf } from './command';
import { type Planner, plan, refTo, takesOver, writeTo } from './git-plan';

/** The commands that add commits to the branch they are on, or move it. */

const COMMIT_VALUES =
  '-m --message -F --file -C -c --reuse-message --reedit-message --author --date -t --template --fixup --squash --cleanup --trailer --pathspec-from-file';
const MERGE_VALUES = '-m --message -F --file -s --strategy -X --strategy-option --into-name --cleanup';
const REBASE_VALUES = '--onto -x --exec -s --strategy -X --strategy-option -C --empty --whitespace';
const PICK_VALUES = '-m --mainline -s --strategy -X --strategy-option --cleanup';
const ENDINGS = ['--abort', '--quit'];

export const commit: Planner = (words, branch) => {
  const args = readArguments(words, COMMIT_VALUES);
  const dryRun = has(args, '--dry-run', '--short', '--porcelain', '--long');
  return plan('commit', { dryRun, createsCommit: !dryRun, refs: dryRun ? [] : [refTo(branch)] });
};

export const merge: Planner = (words, branch) => {
  const args = readArguments(words, MERGE_VALUES);
  if (has(args, ...ENDINGS)) return plan('merge', { files: 'some' });
  if (has(args, '--squash', '--no-commit')) return plan('merge', { files: 'some' });
  const createsCommit = has(args, '--no-ff', '--continue')
    ? true
    : has(args, '--ff-only')
      ? false
      : 'unknown';
  const [source, ...others] = args.operands;
  const follows = createsCommit !== true && others.length === 0 && takesOver(source, branch);
  return plan('merge', { createsCommit, refs: [writeTo(branch, follows)], files: 'some' });
};

export const rebase: Planner = (words, branch) => {
  const args = readArguments(words, REBASE_VALUES);
  if (has(args, ...ENDINGS)) return plan('rebase', { files: 'some', branchAfter: [undefined] });
  if (has(args, '--edit-todo', '--show-current-patch')) return undefined;
  const named = args.operands[has(args, '--root') ? 0 : 1];
  const on = named === undefined ? branch : [constantOf(named)];
  return plan('rebase', {
    createsCommit: 'unknown',
    refs: [writeTo(on, takesOver(args.operands[0], on))],
    files: 'some',
    runsCode: has(args, '-x', '--exec', '-i', '--interactive'),
    ...(named === undefined ? {} : { branchAfter: on }),
  });
};

const picking =
  (operation: GitOperation): Planner =>
  (words, branch) => {
    const args = readArguments(words, PICK_VALUES);
    if (has(args, ...ENDINGS, '-n', '--no-commit')) return plan(operation, { files: 'some' });
    const createsCommit = has(args, '--skip', '--ff') ? 'unknown' : true;
    return plan(operation, { createsCommit, refs: [refTo(branch)], files: 'some' });
  };

export const cherryPick = picking('cherry-pick');
export const revert = picking('revert');

export const am: Planner = (words, branch) => {
  const args = readArguments(words, '-p -C --directory --exclude --include --patch-format');
  if (has(args, ...ENDINGS)) return plan('am', { files: 'some' });
  if (has(args, '--show-current-patch')) return undefined;
  return plan('am', { createsCommit: true, refs: [refTo(branch)], files: 'some' });
};

/** Commands of git that write refs in ways their arguments do not tell. */
export const rewriting: Planner = () =>
  plan('history', {
    createsCommit: 'unknown',
    refs: [refTo([undefined])],
    files: 'some',
    branchAfter: [undefined],
    runsCode: true,
  });

/** Only what `bisect` does to HEAD is of interest: it leaves the branch. */
export const bisect: Planner = (words) => {
  const verb = constantOf(words[0]);
  if (verb === 'log' || verb === 'visualize' || verb === 'view' || verb === undefined) return undefined;
  return plan('checkout', { branchAfter: [undefined], files: 'some', runsCode: verb === 'run' });
};

export const subtree: Planner = (words, branch) => {
  const args = readArguments(words, '-P --prefix -m --message -b --branch');
  const verb = constantOf(args.operands[0]);
  if (verb === 'push')
    return plan('push', { refs: [{ remote: { kind: 'unknown' }, ref: { kind: 'unknown' } }] });
  const made = valueOfOption(args, '-b', '--branch');
  if (verb === 'split')
    return made === undefined ? undefined : plan('branch', { refs: [refTo([constantOf(made)])] });
  return plan('merge', { createsCommit: 'unknown', refs: [refTo(branch)], files: 'some' });
};
