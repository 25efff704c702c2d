import { bareBranch, type GitOperation, type RefWrite, type UnknownEffect } from '../core/command-effects';
import {
  branchCommit,
  type GitLookups,
  impliedRefs,
  leavesTrace,
  matchesManyBranches,
  movesForward,
  NO_BRANCH,
  operandKind,
  refNameIn,
  remoteRef,
  settingName,
  trackingSettings,
  UNKNOWN_REF,
} from './git-lookups';
import type { ProgramCommit } from './releases';
import { Arguments, isOneOf, knownWord, limited, type PossibleValues, unknownWord, type Word } from './words';

/** What a git command will do, judging by its arguments and the branch it runs on. */
export interface GitPlan {
  readonly operation: GitOperation;
  readonly refs?: readonly RefWrite[];
  readonly dryRun?: boolean;
  /** The branch that HEAD points to afterwards; absent if it does not change. */
  readonly branchAfter?: PossibleValues;
  /** The work tree files it writes; `some` if they are unknown. */
  readonly files?: readonly Word[] | 'some';
  /** Set if it makes new changes to the files: most commands only switch versions or undo changes. */
  readonly means?: 'change' | 'removal';
  /** A work tree that it creates, and the branch there. */
  readonly makes?: {
    readonly path: Word;
    readonly branch: PossibleValues;
    readonly from?: string | undefined;
  };
  /** It writes the repository's config file. */
  readonly settings?: boolean;
  /** It runs commands that we do not follow. */
  readonly runsCode?: Pick<UnknownEffect, 'code'> | false | undefined;
  /** Whether it succeeds, if the repository tells beforehand; `unsure` if it speaks against it. */
  readonly ends?: 'well' | 'badly' | 'unsure' | undefined;
  /** The settings it writes, by name. */
  readonly sets?: Readonly<Record<string, string>> | undefined;
}

/** Returns `undefined` if nothing is written. */
type Planner = (words: readonly Word[], lookups: GitLookups) => GitPlan | undefined;

/** A subcommand that is not git's own may be an alias for anything. */
const UNKNOWN_PLAN: GitPlan = {
  operation: 'unknown',
  refs: [{ ref: UNKNOWN_REF }],
  branchAfter: [undefined],
  files: 'some',
};
/** A subcommand that we cannot know may also be a push. */
const UNKNOWN: GitPlan = {
  ...UNKNOWN_PLAN,
  refs: [{ ref: UNKNOWN_REF }, { remote: UNKNOWN_REF, ref: UNKNOWN_REF }],
};

function refTo(options: PossibleValues): RefWrite {
  return { ref: limited(options) };
}

function refNamed(word: Word | undefined): RefWrite {
  const name = refNameIn(word);
  return refTo([name === undefined ? undefined : bareBranch(name)]);
}

/** `follows`: the write only takes over what the remote has under the same name. */
function writeTo(branch: PossibleValues, follows: boolean): RefWrite {
  return { ...refTo(branch), ...(follows && { follows: true }) };
}

/** Whether setting the branch to this ref only takes over the remote branch of the same name. */
function takesOver(word: Word | undefined, branch: PossibleValues): boolean {
  const text = word?.value;
  const [name, ...others] = branch;
  if (text === undefined || name === undefined || others.length > 0) return false;
  if (/^(?:@|HEAD)?@?\{u(?:pstream)?\}$/.test(text)) return true;
  return text.replace(/^refs\/remotes\//, '').replace(/^[^/]+\//, '') === name && text.includes('/');
}

const COMMIT_VALUES =
  '-m --message -F --file -C -c --reuse-message --reedit-message --author --date -t --template --fixup --squash --cleanup --trailer --pathspec-from-file';
const BRANCH_VALUES =
  '-u --set-upstream-to --contains --no-contains --merged --no-merged --sort --format --points-at --color --column';
const BRANCH_READS =
  '--list -l --show-current --contains --no-contains --merged --no-merged --points-at --unset-upstream --edit-description -a --all -r --remotes -v -vv --verbose';
const CLONE_VALUES =
  '-b --branch --depth -o --origin -u --reference --template -j --jobs -c --config --filter';
const FETCH_VALUES =
  '--depth --deepen --shallow-since --upload-pack -o --server-option -j --jobs --refmap --filter --negotiation-tip';
const TAG_READS = '-l --list --contains --no-contains --points-at --merged --no-merged -v --verify';
const TAG_VALUES =
  '-m --message -F --file -u --local-user --sort --format --cleanup --points-at --contains --no-contains --merged --no-merged';
const CONFIG_READS =
  '--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool -l --list --blob';
const CONFIG_WRITES = '--add --unset --unset-all --replace-all --rename-section --remove-section -e --edit';

/** The subcommands that write something we report. */
const PLANNERS: Readonly<Record<string, Planner>> = {
  // These add commits to the current branch, or move it.

  commit: (words, { branch }) => {
    const dryRun = new Arguments(words, COMMIT_VALUES).has('--dry-run --short --porcelain --long');
    return { operation: 'commit', dryRun, refs: dryRun ? [] : [refTo(branch())] };
  },
  merge: (words, lookups) => {
    const values = '-m --message -F --file -s --strategy -X --strategy-option --into-name --cleanup';
    const args = new Arguments(words, values);
    if (args.has('--abort --quit --squash')) return { operation: 'merge', files: 'some' };
    const [source, ...others] = args.operands;
    const on = lookups.branch();
    const mayFollow = !args.has('--no-ff --continue') && others.length === 0;
    const write = writeTo(on, mayFollow && takesOver(source, on));
    if (!args.has('--no-commit')) return { operation: 'merge', refs: [write], files: 'some' };
    // Without a commit, a fast-forward still moves the branch.
    const moves =
      mayFollow && lookups.setting('merge.ff') !== 'false' ? movesForward(source, lookups) : false;
    const refs = moves === false ? [] : [{ ...write, ...(moves === undefined && { maybe: true as const }) }];
    return { operation: 'merge', refs, files: 'some' };
  },
  rebase: (words, { branch, setting }) => {
    const values = '--onto -x --exec -s --strategy -X --strategy-option -C --empty --whitespace';
    const args = new Arguments(words, values);
    if (args.has('--abort --quit')) return { operation: 'rebase', files: 'some', branchAfter: [undefined] };
    if (args.has('--edit-todo --show-current-patch')) return undefined;
    const named = args.operands[args.has('--root') ? 0 : 1];
    const on = named === undefined ? branch() : [named.value];
    const isCode = args.has('-x --exec -i --interactive');
    const code = [...args.valuesOf('-x --exec').map(({ text }) => text), setting('sequence.editor') ?? ''];
    return {
      operation: 'rebase',
      refs: [writeTo(on, takesOver(args.operands[0], on))],
      files: 'some',
      runsCode: isCode && { code: code.join('\n') },
      ...(named !== undefined && { branchAfter: on }),
    };
  },
  'cherry-pick': (words, { branch }) => picking('cherry-pick', words, branch),
  revert: (words, { branch }) => picking('revert', words, branch),
  am: (words, { branch }) => {
    const args = new Arguments(words, '-p -C --directory --exclude --include --patch-format');
    if (args.has('--show-current-patch')) return undefined;
    return { operation: 'am', refs: args.has('--abort --quit') ? [] : [refTo(branch())], files: 'some' };
  },
  // All that matters is that it moves HEAD off the branch.
  bisect: ([first]) => {
    const verb = first?.value;
    if (verb === undefined || ['log', 'visualize', 'view'].includes(verb)) return undefined;
    return { operation: 'checkout', branchAfter: [undefined], files: 'some', runsCode: verb === 'run' && {} };
  },
  subtree: (words, { branch }) => {
    const args = new Arguments(words, '-P --prefix -m --message -b --branch');
    const [verb, remote, spec] = [args.operands[0]?.value, ...args.operands.slice(1)];
    const pushed = spec === undefined ? UNKNOWN_REF : remoteRef(spec, branch);
    if (verb === 'push') return { operation: 'push', refs: [{ remote: [remote?.value], ref: pushed }] };
    const made = args.valueOf('-b --branch');
    if (verb === 'split') return made && { operation: 'branch', refs: [refTo([made.value])] };
    return { operation: 'merge', refs: [refTo(branch())], files: 'some' };
  },
  // These write refs that their arguments do not name.
  ...withPlanner('citool fast-import filter-branch filter-repo gui p4 quiltimport replay svn', () => ({
    ...UNKNOWN_PLAN,
    operation: 'history',
    runsCode: {},
  })),

  // These switch, create or delete branches.

  checkout: (words, lookups) => {
    const args = new Arguments(words, '-b -B --orphan --conflict --pathspec-from-file');
    const made = creatingBranch('checkout', args, '-b', '-B', lookups);
    if (made !== undefined) return made;
    const { operands, rest = [] } = args;
    if (rest.length > 0) return { operation: 'checkout', files: rest };
    if (args.has('-p --patch --pathspec-from-file')) return { operation: 'checkout', files: 'some' };
    const isPath = operands.length > 1 || (args.rest === undefined && looksLikePath(operands[0]));
    return isPath ? { operation: 'checkout', files: operands } : switchingBranch('checkout', args, lookups);
  },
  switch: (words, lookups) => {
    const args = new Arguments(words, '-c -C --create --force-create --orphan --conflict');
    return (
      creatingBranch('switch', args, '-c --create', '-C --force-create', lookups) ??
      switchingBranch('switch', args, lookups)
    );
  },
  branch: (words, { branch: current }) => {
    const args = new Arguments(words, BRANCH_VALUES);
    const [first, second] = args.operands;
    if (args.has('-d -D --delete')) return { operation: 'branch', refs: args.operands.map(refNamed) };
    if (args.has('-m -M --move')) return renaming(args, current());
    if (args.has('-c -C --copy')) return { operation: 'branch', refs: [refNamed(second ?? first)] };
    const upstream = args.valueOf('-u --set-upstream-to')?.value;
    const [on] = first === undefined ? current() : [first.value];
    if (upstream !== undefined) return { operation: 'config', sets: trackingSettings(on, upstream) };
    if (first === undefined || args.has(BRANCH_READS)) return undefined;
    const name = refNameIn(first) ?? (args.has('-f --force') ? undefined : first.text);
    return { operation: 'branch', refs: [writeTo([name], takesOver(second, [name]))] };
  },
  worktree: ([verb, ...rest]) => {
    const args = new Arguments(rest, '-b -B --reason');
    const [path, target] = args.operands;
    if (/^(?:list|prune|lock|unlock|repair)$/.test(verb?.value ?? '')) return undefined;
    if (verb?.value === 'remove' || verb?.value === 'move')
      return { operation: 'worktree', files: args.operands };
    if (verb?.value !== 'add') return { operation: 'worktree', files: 'some' };
    if (path === undefined) return undefined;
    const made = args.valueOf('-b -B');
    const named = made ?? target;
    const name = named === undefined ? path.value?.split('/').at(-1) : named.value;
    const on = args.has('--detach -d') ? [NO_BRANCH] : [name];
    const refs = made !== undefined || target === undefined ? [refTo(on)] : [];
    return { operation: 'worktree', refs, makes: { path, branch: on }, files: [path] };
  },
  'symbolic-ref': (words) => {
    const args = new Arguments(words, '-m');
    const [name, target] = args.operands;
    if (target === undefined && !args.has('-d --delete')) return undefined;
    const branchAfter = [target?.value === undefined ? undefined : bareBranch(target.value)];
    const refs = [refNamed(name)];
    return { operation: 'symbolic-ref', refs, ...(name?.value === 'HEAD' && { branchAfter }) };
  },
  clone: (words) => {
    const args = new Arguments(words, CLONE_VALUES);
    const [from, into] = args.operands;
    const path = into ?? directoryOf(from);
    const made = [args.valueOf('-b --branch')?.value];
    return path && { operation: 'clone', files: [path], makes: { path, branch: made, from: from?.value } };
  },
  init: (words) => {
    const args = new Arguments(words, '-b --initial-branch --template --separate-git-dir --object-format');
    const path = args.operands[0] ?? knownWord('.');
    const made = [args.valueOf('-b --initial-branch')?.value];
    // This moves the repository's directory away.
    const moved = args.valueOf('--separate-git-dir') && knownWord(`${path.value ?? '.'}/.git`);
    const changes = moved ? ({ files: [moved], means: 'change' } as const) : { files: args.operands };
    return { operation: 'init', ...changes, makes: { path, branch: made } };
  },

  // These write refs by name, locally or on a remote.

  ...withPlanner('push send-pack', (words, lookups) => {
    const args = new Arguments(words, '-o --push-option --repo --receive-pack --exec');
    const [named, ...specs] = args.all;
    const target = named ?? args.valueOf('--repo');
    const remote = [target?.value];
    const dryRun = args.has('-n --dry-run') && !args.has('--no-dry-run');
    const refs: RefWrite[] = specs.map((spec) => ({
      remote,
      ref: remoteRef(spec, lookups.branch),
      ...(matchesManyBranches(spec.text) && { all: true as const }),
    }));
    if (args.has('--all --mirror --branches')) refs.push({ remote, ref: UNKNOWN_REF, all: true });
    else if (specs.length === 0 && !args.has('--tags')) {
      const isForced = args.has('-f --force --force-with-lease');
      refs.push(...impliedRefs(target?.value, isForced, lookups));
    }
    const isTraced = target === undefined || leavesTrace(target.value, lookups);
    const written = isTraced ? refs : refs.map((ref) => ({ ...ref, untraced: true as const }));
    return { operation: 'push', dryRun, refs: dryRun ? [] : written };
  }),
  fetch: (words) => {
    const args = new Arguments(words, FETCH_VALUES);
    const dryRun = args.has('--dry-run');
    return { operation: 'fetch', dryRun, refs: dryRun ? [] : localRefs(args.operands.slice(1)) };
  },
  pull: (words, { branch: current }) => {
    const args = new Arguments(words, `${FETCH_VALUES} -s --strategy -X --strategy-option`);
    const dryRun = args.has('--dry-run');
    const [, ...specs] = args.operands;
    const on = current();
    const follows = specs.every((spec) => on.length === 1 && spec.value === on[0]);
    const refs = dryRun ? [] : [writeTo(on, follows), ...localRefs(specs)];
    return { operation: 'pull', dryRun, refs, files: 'some' };
  },
  reset: (words, { branch: current }) => {
    const args = new Arguments(words, '--pathspec-from-file');
    const hasPaths = args.operands.length > 1 || (args.rest?.length ?? 0) > 0 || args.has('-p --patch');
    const [target] = args.operands;
    const stays = target === undefined || target.value === 'HEAD';
    return {
      operation: 'reset',
      refs: hasPaths || stays ? [] : [writeTo(current(), takesOver(target, current()))],
      files: args.has('--hard --merge --keep') ? 'some' : [],
    };
  },
  tag: (words) => {
    const args = new Arguments(words, TAG_VALUES);
    if (args.operands.length === 0 || args.has(TAG_READS)) return undefined;
    const names = args.operands.slice(0, args.has('-d --delete') ? undefined : 1);
    const refs = names.map(({ value }) => refTo([value === undefined ? undefined : `refs/tags/${value}`]));
    return { operation: 'tag', refs };
  },
  'update-ref': (words, { branch: current }) => {
    const args = new Arguments(words, '-m');
    const [name] = args.operands;
    const isHead = name?.value === 'HEAD' && !args.has('--no-deref');
    const named = isHead ? refTo(current()) : refNamed(name);
    return { operation: 'update-ref', refs: [args.has('--stdin') ? refTo([undefined]) : named] };
  },
  stash: ([first, second]) => {
    const verb = first?.value;
    if (['list', 'show', 'create'].includes(verb ?? '')) return undefined;
    const kept = refTo(['refs/stash']);
    if (verb !== 'branch') return { operation: 'stash', refs: verb === 'apply' ? [] : [kept], files: 'some' };
    return {
      operation: 'stash',
      refs: [kept, refNamed(second)],
      branchAfter: [second?.value],
      files: 'some',
    };
  },
  notes: (words) => {
    const verb = new Arguments(words, '--ref -m -F -C -c').operands[0]?.value;
    if (verb === undefined || ['list', 'show', 'get-ref'].includes(verb)) return undefined;
    return { operation: 'update-ref', refs: [refTo(['refs/notes/commits'])] };
  },

  // These write files of the work tree.

  restore: (words) => {
    const args = new Arguments(words, '-s --source --conflict --pathspec-from-file');
    if (args.has('--staged -S') && !args.has('--worktree -W')) return undefined;
    return { operation: 'restore', files: args.all.length === 0 ? 'some' : args.all };
  },
  rm: (words) => namedFiles(words, 'removal'),
  mv: (words) => namedFiles(words, 'change'),
  clean: (words) => {
    const args = new Arguments(words, '-e --exclude');
    const dryRun = args.has('-n --dry-run');
    // With -X only ignored files go; a pattern of -e counts as one that ignores.
    const onlyIgnored = args.has('-X') && !args.has('-e --exclude');
    return {
      operation: 'files',
      dryRun,
      files: dryRun ? [] : 'some',
      ...(!onlyIgnored && { means: 'removal' }),
    };
  },
  apply: (words) => {
    const args = new Arguments(words, '-p -C --directory --exclude --include --whitespace');
    const onlyLooks = args.has('--check --stat --numstat --summary') && !args.has('--apply');
    if (onlyLooks || args.has('--cached')) return undefined;
    return { operation: 'files', files: 'some', means: 'change' };
  },
  ...withPlanner(
    'archive diff diff-files diff-index diff-tree log range-diff reflog shortlog show whatchanged',
    output,
  ),
  'format-patch': (words) =>
    output(words) ??
    (new Arguments(words).has('--stdout') ? undefined : { operation: 'files', files: 'some' }),
  bundle: (words) => {
    const [verb, file] = new Arguments(words, '--version').operands;
    return verb?.value !== 'create' || file === undefined
      ? undefined
      : { operation: 'files', files: [file], means: 'change' };
  },
  ...withPlanner('checkout-index read-tree sparse-checkout', () => ({
    operation: 'files',
    files: 'some',
  })),
  submodule: (words) => {
    const verb = new Arguments(words).operands[0]?.value;
    if (verb === undefined || verb === 'status' || verb === 'summary') return undefined;
    return { operation: 'files', files: 'some', runsCode: verb === 'foreach' && {} };
  },

  // These write git's config, which defines hooks, aliases, filters and remotes.

  config: (words) => {
    const args = new Arguments(words, '-f --file --blob --type --default --comment --value --url -t');
    // The verb, an option, or a value after the name makes it a write.
    const verb = args.operands[0]?.value ?? '';
    if (args.has(CONFIG_READS) || /^(?:get|list|get-color|get-colorbool)$/.test(verb)) return undefined;
    const isWrite =
      args.has(CONFIG_WRITES) || /^(?:set|unset|rename-section|remove-section|edit)$/.test(verb);
    if (!isWrite && args.operands.length < 2) return undefined;
    const file = args.valueOf('-f --file');
    if (file !== undefined) return { operation: 'config', files: [file], means: 'change' };
    const [key, value] = args.operands.slice(verb === 'set' ? 1 : 0).map((word) => word.value);
    const sets = key === undefined || value === undefined ? undefined : { [settingName(key)]: value };
    return { operation: 'config', settings: !args.has('--global --system'), sets };
  },
  remote: (words) => {
    const args = new Arguments(words, '-t -m');
    const [verb, name] = args.operands.map(({ value }) => value);
    if (verb === 'set-head') {
      const ref = name === undefined ? undefined : `refs/remotes/${name}/HEAD`;
      return { operation: 'update-ref', refs: [writeTo([ref], args.has('-a --auto'))] };
    }
    const isRead = verb === undefined || ['show', 'get-url', 'update', 'prune', '-v'].includes(verb);
    return isRead ? undefined : { operation: 'config', settings: true };
  },
};

/** One planner for several subcommands, separated by spaces. */
function withPlanner(names: string, planner: Planner): Readonly<Record<string, Planner>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, planner]));
}

function picking(operation: GitOperation, words: readonly Word[], branch: () => PossibleValues): GitPlan {
  const args = new Arguments(words, '-m --mainline -s --strategy -X --strategy-option --cleanup');
  const isCommit = !args.has('--abort --quit -n --no-commit');
  return { operation, refs: isCommit ? [refTo(branch())] : [], files: 'some' };
}

function renaming({ operands: [first, second] }: Arguments, current: PossibleValues): GitPlan {
  const from = second === undefined ? current : [first?.value];
  const to = second ?? first;
  const branchAfter = current.map((name) => (from.includes(name) ? to?.value : name));
  return { operation: 'branch', refs: [refTo(from), refNamed(to)], branchAfter };
}

/** Creates a branch with the options in `gentle`, which fail if it exists, or those in `forced`. */
function creatingBranch(
  operation: GitOperation,
  args: Arguments,
  gentle: string,
  forced: string,
  lookups: GitLookups,
): GitPlan | undefined {
  const name = args.valueOf(`${gentle} ${forced}`);
  if (name !== undefined) {
    // The gentle options only create new branches, so even an unknown name is not an existing branch.
    const made = [refNameIn(name) ?? (args.has(gentle) ? name.text.replace(/["']/g, '') : undefined)];
    const refs = [writeTo(made, takesOver(args.operands[0], made))];
    const ends = args.has(forced) ? undefined : branchCreationEnd(name.value, args.operands, lookups);
    const sets = args.has('--no-track') ? undefined : trackingSettings(name.value, args.operands[0]?.value);
    return { operation, refs, branchAfter: made, files: 'some', ends, sets };
  }
  const unborn = args.valueOf('--orphan');
  return unborn && { operation, branchAfter: [unborn.value], files: 'some' };
}

/** Creating an existing branch fails; creating a new one at HEAD succeeds. */
function branchCreationEnd(
  name: string | undefined,
  [start]: readonly Word[],
  lookups: GitLookups,
): GitPlan['ends'] {
  const present = name === undefined ? undefined : branchCommit(name, lookups);
  if (typeof present === 'string') return 'badly';
  return present === null && (start === undefined || start.value === 'HEAD') ? 'well' : undefined;
}

/** Switches to an existing branch, or with `--detach` to a commit. */
function switchingBranch(
  operation: 'checkout' | 'switch',
  args: Arguments,
  lookups: GitLookups,
): GitPlan | undefined {
  const [target] = args.operands;
  const detaches = args.has('--detach -d');
  if (target === undefined) return detaches ? { operation, branchAfter: [NO_BRANCH] } : undefined;
  const isBack = !detaches && ['-', '@{-1}'].includes(target.text);
  if (isBack) return { operation, branchAfter: lookups.previous(), files: 'some' };
  const isSwitch = operation === 'switch';
  const tracks = args.has('-t --track');
  const found = tracks || target.value === undefined ? undefined : operandKind(target.value, lookups);
  if (found === 'path' && !isSwitch && !detaches) return { operation, files: [target] };
  const isCommit = detaches || found === 'commit';
  const name = isCommit ? NO_BRANCH : branchNamed(target, isSwitch || found === 'branch', tracks);
  // The target may be a file, so report it as one, besides all files that change with the branch.
  const files = name === undefined && !isSwitch ? [target, unknownWord('')] : 'some';
  if (tracks) return { operation, branchAfter: [name], files, refs: [refTo([name])] };
  return { operation, branchAfter: [name], files, refs: [], ends: switchingEnd(name, lookups) };
}

/** Switching to a branch that is not here fails, unless a remote has it. */
function switchingEnd(name: string | undefined, lookups: GitLookups): GitPlan['ends'] {
  const isMissing = (place: string): boolean => lookups.commitOf(`${place}/${name}`) === null;
  if (name === undefined || name === NO_BRANCH) return undefined;
  return ['refs/heads', 'refs/remotes/origin'].every(isMissing) ? 'unsure' : undefined;
}

/** True for an operand of `git checkout` that can only be a path. */
function looksLikePath(word: Word | undefined): boolean {
  return /^\.{0,2}\/|\/$|^\.{1,2}$/.test(word?.value ?? '');
}

/**
 * The branch that HEAD points to after `git checkout <target>`; `undefined` if the name is ambiguous: `v1.2`
 * may be a tag, a branch or a file.
 */
function branchNamed(word: Word, isSwitch: boolean, tracks: boolean): string | undefined {
  const text = refNameIn(word);
  if (text === undefined || /^(?:-|HEAD|@|@\{-.*)$/.test(text)) return undefined;
  if (tracks) return /^[^/]*\/(.*)$/s.exec(text.replace(/^refs\/remotes\//, ''))?.[1];
  if (/[ ~^:?*[\\]|\.\.|@\{|\/\//.test(text)) return text.includes(':') ? undefined : NO_BRANCH;
  // Tags, hashes, remote branches and files all look like this.
  const mayBeOther = /\.|^(?:origin|upstream|refs)\/|^(?=.*[0-9])[0-9a-f]{7,40}$/.test(text);
  return isSwitch || !mayBeOther ? bareBranch(text) : undefined;
}

/** The default target directory of `git clone`. */
function directoryOf(from: Word | undefined): Word | undefined {
  if (from?.value === undefined) return from;
  const last = from.value.replace(/\/+$/, '').split(/[/:]/).at(-1) ?? '';
  return knownWord(last.replace(/\.git$/, ''));
}

/** `a:b` also writes the local ref `b`; a name alone updates only the remote-tracking ref. */
function localRefs(specs: readonly Word[]): readonly RefWrite[] {
  return specs.flatMap((spec) => {
    const [source = '', target = ''] = spec.text.replace(/["']/g, '').split(':');
    if (target === '' || target.startsWith('refs/remotes/')) return [];
    if (/^[$`]|\*/.test(target)) return [refTo([undefined])];
    return [writeTo([bareBranch(target)], bareBranch(source.replace(/^\+/, '')) === bareBranch(target))];
  });
}

/** Writes only the file that `--output` or `-o` names. */
function output(words: readonly Word[]): GitPlan | undefined {
  const options = '-o --output --output-directory';
  const target = new Arguments(words, options).valueOf(options);
  return target && { operation: 'files', files: [target], means: 'change' };
}

/** Git's own subcommands that write neither branches nor work tree files. Any other may be an alias. */
const isHarmless = isOneOf(
  `add annotate blame bugreport cat-file check-attr check-ignore check-mailmap check-ref-format cherry
  column commit-graph commit-tree count-objects credential credential-cache credential-store describe
  diagnose difftool fast-export fetch-pack fmt-merge-msg for-each-ref fsck gc
  get-tar-commit-id grep hash-object help hook index-pack instaweb lfs ls-files ls-remote
  ls-tree maintenance merge-base merge-index merge-tree mergetool mktag mktree
  multi-pack-index name-rev pack-objects pack-redundant pack-refs patch-id prune prune-packed
  repack replace request-pull rerere rev-list rev-parse send-email show-branch
  show-index show-ref stage status stripspace unpack-file unpack-objects update-index update-server-info var
  verify-commit verify-pack verify-tag version web--browse write-tree`,
);

/** `git rm` and `git mv`; with `--cached` they write only the index. */
function namedFiles(words: readonly Word[], means: GitPlan['means']): GitPlan | undefined {
  const args = new Arguments(words, '--pathspec-from-file');
  if (args.has('--cached')) return undefined;
  const dryRun = args.has('-n --dry-run');
  return { operation: 'files', dryRun, files: dryRun ? [] : args.all, ...(means && { means }) };
}

/** Whether it is a subcommand of git's own that writes something. */
export function isOfGit(subcommand: string): boolean {
  return Object.hasOwn(PLANNERS, subcommand);
}

/** What a subcommand will do; `undefined` if it writes nothing. */
export function planGitCommand(
  subcommand: string | undefined,
  words: readonly Word[],
  lookups: GitLookups,
  aliases: readonly string[] = [],
): GitPlan | undefined {
  if (subcommand === undefined) return UNKNOWN;
  const asksForHelp = ['-h', '--help'].includes(words[0]?.text ?? '');
  if (subcommand === '' || asksForHelp || isHarmless(subcommand)) return undefined;
  if (isOfGit(subcommand)) return PLANNERS[subcommand]?.(words, lookups);
  // Expand an alias, unless it starts a shell.
  const alias = aliases.includes(subcommand)
    ? undefined
    : lookups.setting(`alias.${subcommand.toLowerCase()}`);
  if (typeof alias !== 'string' || /^!|["'\\]/.test(alias.trim())) return UNKNOWN_PLAN;
  const [name, ...rest] = alias.trim().split(/\s+/).map(knownWord);
  return planGitCommand(name?.value, [...rest, ...words], lookups, [...aliases, subcommand]);
}

/** The commit that another program makes, such as `npm version`. */
export function planCommit({ root }: ProgramCommit, lookups: GitLookups): GitPlan | undefined {
  // A package below the root has no `.git` next to it, and npm looks no further.
  const isBelow = root && lookups.ask('ls-files', '--error-unmatch', 'package.json') !== undefined;
  if (isBelow && lookups.ask('rev-parse', '--show-prefix')) return undefined;
  return { operation: 'commit', refs: [refTo(lookups.branch())] };
}
