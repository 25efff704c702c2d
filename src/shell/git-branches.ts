import type { GitOperation } from '../core/command-effects';
import { type Arguments, has, readArguments, valueOfOption } from './arguments';
import { constantOf, textOf, type Word } from './command';
import { looksLikePath, nameOfTarget } from './git-names';
import {
  bareBranch,
  type GitPlan,
  NO_BRANCH,
  nameIn,
  type Planner,
  plan,
  refNamed,
  refTo,
  takesOver,
  writeTo,
} from './git-plan';
import type { Options } from './possible';

/** The commands that choose the branch, make one or take one away. */

export const checkout: Planner = (words) => {
  const args = readArguments(words, '-b -B --orphan --conflict --pathspec-from-file');
  const made = making('checkout', args, ['-b', '-B'], '--orphan');
  if (made !== undefined) return made;
  if (args.rest !== undefined && args.rest.length > 0) return plan('checkout', { files: args.rest });
  if (has(args, '-p', '--patch', '--pathspec-from-file')) return plan('checkout', { files: 'some' });
  const [target] = args.operands;
  if (target === undefined) return detaching('checkout', args);
  if (args.operands.length > 1) return plan('checkout', { files: args.operands });
  if (args.rest === undefined && looksLikePath(target)) return plan('checkout', { files: [target] });
  return choosing('checkout', args, target);
};

export const switchBranch: Planner = (words) => {
  const args = readArguments(words, '-c -C --create --force-create --orphan --conflict');
  const made = making('switch', args, ['-c', '-C', '--create', '--force-create'], '--orphan');
  if (made !== undefined) return made;
  const [target] = args.operands;
  return target === undefined ? detaching('switch', args) : choosing('switch', args, target);
};

function making(
  operation: GitOperation,
  args: Arguments,
  options: readonly string[],
  orphan: string,
): GitPlan | undefined {
  const name = valueOfOption(args, ...options);
  if (name !== undefined) {
    const made = [newName(name, args, options)];
    const follows = takesOver(args.operands[0], made);
    return plan(operation, { refs: [writeTo(made, follows)], branchAfter: made, files: 'some' });
  }
  const unborn = valueOfOption(args, orphan);
  return unborn && plan(operation, { branchAfter: [constantOf(unborn)], files: 'some' });
}

/** A branch that is not there yet is none of those that are, whatever its name turns out to be. */
function newName(name: Word, args: Arguments, options: readonly string[]): string | undefined {
  const [gentle = '', , gentleLong = gentle] = options;
  return nameIn(name) ?? (has(args, gentle, gentleLong) ? textOf(name).replace(/["']/g, '') : undefined);
}

function detaching(operation: GitOperation, args: Arguments): GitPlan | undefined {
  return has(args, '--detach', '-d') ? plan(operation, { branchAfter: [NO_BRANCH] }) : undefined;
}

function choosing(operation: GitOperation, args: Arguments, target: Word): GitPlan {
  const isSwitch = operation === 'switch';
  const tracks = has(args, '-t', '--track');
  const name = has(args, '--detach', '-d') ? NO_BRANCH : nameOfTarget(target, { isSwitch, tracks });
  // What may be a file is named as one, besides all that changes with the branch.
  const files: GitPlan['files'] = name === undefined && !isSwitch ? [target, SOME_FILES] : 'some';
  return plan(operation, { branchAfter: [name], files, refs: tracks ? [refTo([name])] : [] });
}

const SOME_FILES: Word = { kind: 'unknown', text: '' };

const BRANCH_VALUES =
  '-u --set-upstream-to --contains --no-contains --merged --no-merged --sort --format --points-at --color --column';
const BRANCH_READS = [
  '--list',
  '-l',
  '--show-current',
  '--contains',
  '--no-contains',
  '--merged',
  '--no-merged',
  '--points-at',
  '-u',
  '--set-upstream-to',
  '--unset-upstream',
  '--edit-description',
  '-a',
  '--all',
  '-r',
  '--remotes',
  '-v',
  '-vv',
  '--verbose',
];

export const branch: Planner = (words, current) => {
  const args = readArguments(words, BRANCH_VALUES);
  const [first, second] = args.operands;
  if (has(args, '-d', '-D', '--delete')) return plan('branch', { refs: args.operands.map(refNamed) });
  if (has(args, '-m', '-M', '--move')) {
    const from: Options = second === undefined ? current : [constantOf(first)];
    const to = second ?? first;
    const renamed: Options = current.map((name) => (from.includes(name) ? constantOf(to) : name));
    return plan('branch', { refs: [refTo(from), refNamed(to)], branchAfter: renamed });
  }
  if (has(args, '-c', '-C', '--copy')) return plan('branch', { refs: [refNamed(second ?? first)] });
  if (first === undefined || has(args, ...BRANCH_READS)) return undefined;
  const name = nameIn(first) ?? (has(args, '-f', '--force') ? undefined : textOf(first));
  return plan('branch', { refs: [writeTo([name], takesOver(second, [name]))] });
};

export const worktree: Planner = (words) => {
  const [verb, ...rest] = words;
  const args = readArguments(rest, '-b -B --reason');
  const [path, target] = args.operands;
  switch (constantOf(verb)) {
    case 'add': {
      const made = valueOfOption(args, '-b', '-B');
      if (path === undefined) return undefined;
      const name =
        constantOf(made ?? target) ??
        (target === undefined && made === undefined ? constantOf(path)?.split('/').at(-1) : undefined);
      const on: Options = has(args, '--detach', '-d') ? [NO_BRANCH] : [name];
      const isNew = made !== undefined || target === undefined;
      return plan('worktree', { refs: isNew ? [refTo(on)] : [], makes: { path, branch: on }, files: [path] });
    }
    case 'remove':
    case 'move':
      return plan('worktree', { files: args.operands });
    case 'list':
    case 'prune':
    case 'lock':
    case 'unlock':
    case 'repair':
      return undefined;
    default:
      return plan('worktree', { files: 'some' });
  }
};

export const symbolicRef: Planner = (words, current) => {
  const args = readArguments(words, '-m');
  const [name, target] = args.operands;
  if (target === undefined && !has(args, '-d', '--delete')) return undefined;
  const to = constantOf(target);
  const isHead = constantOf(name) === 'HEAD';
  const after: Options = to === undefined ? [undefined] : [bareBranch(to)];
  return plan('symbolic-ref', { refs: [refNamed(name)], branchAfter: isHead ? after : current });
};

export const clone: Planner = (words) => {
  const args = readArguments(
    words,
    '-b --branch --depth -o --origin -u --reference --template -j --jobs -c --config --filter',
  );
  const [from, into] = args.operands;
  const path = into ?? directoryOf(from);
  return (
    path &&
    plan('clone', {
      files: [path],
      makes: { path, branch: [constantOf(valueOfOption(args, '-b', '--branch'))] },
    })
  );
};

export const init: Planner = (words) => {
  const args = readArguments(words, '-b --initial-branch --template --separate-git-dir --object-format');
  const path: Word = args.operands[0] ?? { kind: 'known', value: '.' };
  const name = constantOf(valueOfOption(args, '-b', '--initial-branch'));
  return plan('init', { files: args.operands, makes: { path, branch: [name] } });
};

/** Where `git clone` puts what it gets, when it is not told. */
function directoryOf(from: Word | undefined): Word | undefined {
  const text = constantOf(from);
  if (text === undefined) return from;
  const last = text.replace(/\/+$/, '').split(/[/:]/).at(-1) ?? '';
  return { kind: 'known', value: last.endsWith('.git') ? last.slice(0, -4) : last };
}
