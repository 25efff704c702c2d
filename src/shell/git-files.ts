import { allOperands, has, readArguments, valueOfOption } from './arguments';
import { type Planner, plan } from './git-plan';

/** The commands whose point is the files of the work tree. */

export const restore: Planner = (words) => {
  const args = readArguments(words, '-s --source --conflict --pathspec-from-file');
  const onlyIndex = has(args, '--staged', '-S') && !has(args, '--worktree', '-W');
  if (onlyIndex) return undefined;
  const paths = allOperands(args);
  return plan('restore', { files: paths.length === 0 ? 'some' : paths });
};

export const remove: Planner = (words) => {
  const args = readArguments(words, '--pathspec-from-file');
  const dryRun = has(args, '-n', '--dry-run');
  return has(args, '--cached')
    ? undefined
    : plan('files', { dryRun, files: dryRun ? [] : allOperands(args) });
};

export const move: Planner = (words) => {
  const args = readArguments(words);
  const dryRun = has(args, '-n', '--dry-run');
  return plan('files', { dryRun, files: dryRun ? [] : allOperands(args) });
};

export const clean: Planner = (words) => {
  const args = readArguments(words, '-e --exclude');
  const dryRun = has(args, '-n', '--dry-run');
  return plan('files', { dryRun, files: dryRun ? [] : 'some' });
};

export const apply: Planner = (words) => {
  const args = readArguments(words, '-p -C --directory --exclude --include --whitespace');
  const onlyLooks = has(args, '--check', '--stat', '--numstat', '--summary') && !has(args, '--apply');
  return onlyLooks || has(args, '--cached') ? undefined : plan('files', { files: 'some' });
};

/** Writes the file that `--output` or `-o` names, and else nothing. */
export const writingTo =
  (fallback: 'some' | 'nothing'): Planner =>
  (words) => {
    const args = readArguments(words, '-o --output --output-directory');
    const target = valueOfOption(args, '-o', '--output', '--output-directory');
    if (target !== undefined) return plan('files', { files: [target] });
    return fallback === 'some' && !has(args, '--stdout') ? plan('files', { files: 'some' }) : undefined;
  };

export const someFiles: Planner = () => plan('files', { files: 'some' });
export const submodule: Planner = (words) => {
  const args = readArguments(words);
  const verb = args.operands[0]?.kind === 'known' ? args.operands[0].value : undefined;
  if (verb === undefined || verb === 'status' || verb === 'summary') return undefined;
  return plan('files', { files: 'some', runsCode: verb === 'foreach' });
};
