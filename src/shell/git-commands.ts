import type { GitOperation, Possible, RefWrite } from '../core/command-effects';
import {
  type Arguments,
  allOperands,
  byName,
  constantOf,
  has,
  knownWord,
  type Options,
  possibleOf,
  readArguments,
  textOf,
  unknownWord,
  valueOfOption,
  type Word,
} from './words';

/** What one git command is about to do, as its arguments and the branch it runs on tell. */
export interface GitPlan {
  readonly operation: GitOperation;
  readonly refs?: readonly RefWrite[];
  readonly dryRun?: boolean;
  /** The branch that HEAD names afterwards; absent where it stays. */
  readonly branchAfter?: Options;
  /** Files of the work tree it writes: these, or some that are unknown. */
  readonly files?: readonly Word[] | 'some';
  /** A work tree that it makes, and the branch there. */
  readonly makes?: { readonly path: Word; readonly branch: Options };
  /** It writes the repository's own settings. */
  readonly settings?: boolean;
  /** It runs commands that are not followed. */
  readonly runsCode?: boolean;
}

/** `undefined`: nothing is written. `branch` is the branch that the command runs on. */
type Planner = (words: readonly Word[], branch: () => Options) => GitPlan | undefined;

/** A subcommand that is not git's own may be an alias for anything. */
export const ANYTHING: GitPlan = {
  operation: 'unknown',
  refs: [refTo([undefined])],
  branchAfter: [undefined],
  files: 'some',
};

/** The name HEAD goes by when it names no branch. */
const NO_BRANCH = 'HEAD';
const UNKNOWN_REF: Possible<string> = { kind: 'unknown' };

function refTo(options: Options): RefWrite {
  return { ref: possibleOf(options) };
}

function refNamed(word: Word | undefined): RefWrite {
  const name = nameIn(word);
  return refTo([name === undefined ? undefined : bareBranch(name)]);
}

/** A write to a branch; `follows` where it only takes over what the remote has under the same name. */
function writeTo(branch: Options, follows: boolean): RefWrite {
  return { ...refTo(branch), ...(follows && { follows: true }) };
}

/**
 * The name that a word gives to a ref. One whose beginning is known is kept as it was written, such as
 * `feature/$NAME`: that is enough to know which names it is not.
 */
function nameIn(word: Word | undefined): string | undefined {
  if (word?.kind !== 'unknown') return word?.value;
  const text = word.text.replace(/["']/g, '');
  return /^[^$`*?[{(<]/.test(text) ? text : undefined;
}

/** Whether a branch set to this only takes over what a remote has under its name. */
function takesOver(word: Word | undefined, branch: Options): boolean {
  const text = constantOf(word);
  const [name, ...others] = branch;
  if (text === undefined || name === undefined || others.length > 0) return false;
  if (/^(?:@|HEAD)?@?\{u(?:pstream)?\}$/.test(text)) return true;
  return text.replace(/^refs\/remotes\//, '').replace(/^[^/]+\//, '') === name && text.includes('/');
}

function bareBranch(ref: string): string {
  return ref.replace(/^refs\/heads\//, '');
}

/*
 * Commands that add commits to the branch they are on, or move it.
 */

const COMMIT_VALUES =
  '-m --message -F --file -C -c --reuse-message --reedit-message --author --date -t --template --fixup --squash --cleanup --trailer --pathspec-from-file';
const MERGE_VALUES = '-m --message -F --file -s --strategy -X --strategy-option --into-name --cleanup';
const REBASE_VALUES = '--onto -x --exec -s --strategy -X --strategy-option -C --empty --whitespace';
const PICK_VALUES = '-m --mainline -s --strategy -X --strategy-option --cleanup';

const commit: Planner = (words, branch) => {
  const dryRun = has(readArguments(words, COMMIT_VALUES), '--dry-run --short --porcelain --long');
  return { operation: 'commit', dryRun, refs: dryRun ? [] : [refTo(branch())] };
};

const merge: Planner = (words, branch) => {
  const args = readArguments(words, MERGE_VALUES);
  if (has(args, '--abort --quit --squash --no-commit')) return { operation: 'merge', files: 'some' };
  const [source, ...others] = args.operands;
  const mayFollow = !has(args, '--no-ff --continue') && others.length === 0;
  const refs = [writeTo(branch(), mayFollow && takesOver(source, branch()))];
  return { operation: 'merge', refs, files: 'some' };
};

const rebase: Planner = (words, branch) => {
  const args = readArguments(words, REBASE_VALUES);
  if (has(args, '--abort --quit')) return { operation: 'rebase', files: 'some', branchAfter: [undefined] };
  if (has(args, '--edit-todo --show-current-patch')) return undefined;
  const named = args.operands[has(args, '--root') ? 0 : 1];
  const on = named === undefined ? branch() : [constantOf(named)];
  return {
    operation: 'rebase',
    refs: [writeTo(on, takesOver(args.operands[0], on))],
    files: 'some',
    runsCode: has(args, '-x --exec -i --interactive'),
    ...(named !== undefined && { branchAfter: on }),
  };
};

const picking =
  (operation: GitOperation): Planner =>
  (words, branch) => {
    const isCommit = !has(readArguments(words, PICK_VALUES), '--abort --quit -n --no-commit');
    return { operation, refs: isCommit ? [refTo(branch())] : [], files: 'some' };
  };

const am: Planner = (words, branch) => {
  const args = readArguments(words, '-p -C --directory --exclude --include --patch-format');
  if (has(args, '--show-current-patch')) return undefined;
  return { operation: 'am', refs: has(args, '--abort --quit') ? [] : [refTo(branch())], files: 'some' };
};

/** Commands that write refs in ways their arguments do not tell. */
const rewriting: Planner = () => ({ ...ANYTHING, operation: 'history', runsCode: true });

/** Only what `bisect` does to HEAD is of interest: it leaves the branch. */
const bisect: Planner = (words) => {
  const verb = constantOf(words[0]);
  if (verb === undefined || ['log', 'visualize', 'view'].includes(verb)) return undefined;
  return { operation: 'checkout', branchAfter: [undefined], files: 'some', runsCode: verb === 'run' };
};

const subtree: Planner = (words, branch) => {
  const args = readArguments(words, '-P --prefix -m --message -b --branch');
  const verb = constantOf(args.operands[0]);
  if (verb === 'push') return { operation: 'push', refs: [{ remote: UNKNOWN_REF, ref: UNKNOWN_REF }] };
  const made = valueOfOption(args, '-b --branch');
  if (verb === 'split') return made && { operation: 'branch', refs: [refTo([constantOf(made)])] };
  return { operation: 'merge', refs: [refTo(branch())], files: 'some' };
};

/*
 * Commands that choose the branch, make one or remove one.
 */

const checkout: Planner = (words) => {
  const args = readArguments(words, '-b -B --orphan --conflict --pathspec-from-file');
  const made = making('checkout', args, '-b', '-B');
  if (made !== undefined) return made;
  const { operands, rest = [] } = args;
  if (rest.length > 0) return { operation: 'checkout', files: rest };
  if (has(args, '-p --patch --pathspec-from-file')) return { operation: 'checkout', files: 'some' };
  const [target] = operands;
  if (target === undefined) return detaching('checkout', args);
  const isPath = operands.length > 1 || (args.rest === undefined && looksLikePath(target));
  return isPath ? { operation: 'checkout', files: operands } : choosing('checkout', args, target);
};

const switchBranch: Planner = (words) => {
  const args = readArguments(words, '-c -C --create --force-create --orphan --conflict');
  const made = making('switch', args, '-c --create', '-C --force-create');
  const [target] = args.operands;
  return made ?? (target === undefined ? detaching('switch', args) : choosing('switch', args, target));
};

/** A branch made by the options in `gentle`, which fail where it exists, or in `forced`. */
function making(
  operation: GitOperation,
  args: Arguments,
  gentle: string,
  forced: string,
): GitPlan | undefined {
  const name = valueOfOption(args, `${gentle} ${forced}`);
  if (name !== undefined) {
    // A branch that does not exist yet is none of those that do, whatever its name turns out to be.
    const made = [nameIn(name) ?? (has(args, gentle) ? textOf(name).replace(/["']/g, '') : undefined)];
    const refs = [writeTo(made, takesOver(args.operands[0], made))];
    return { operation, refs, branchAfter: made, files: 'some' };
  }
  const unborn = valueOfOption(args, '--orphan');
  return unborn && { operation, branchAfter: [constantOf(unborn)], files: 'some' };
}

function detaching(operation: GitOperation, args: Arguments): GitPlan | undefined {
  return has(args, '--detach -d') ? { operation, branchAfter: [NO_BRANCH] } : undefined;
}

function choosing(operation: GitOperation, args: Arguments, target: Word): GitPlan {
  const isSwitch = operation === 'switch';
  const tracks = has(args, '-t --track');
  const name = has(args, '--detach -d') ? NO_BRANCH : branchNamed(target, isSwitch, tracks);
  // What may be a file is named as one, besides all that changes with the branch.
  const files = name === undefined && !isSwitch ? [target, unknownWord('')] : 'some';
  return { operation, branchAfter: [name], files, refs: tracks ? [refTo([name])] : [] };
}

/** True for an operand of `git checkout` that can only be a path. */
function looksLikePath(word: Word): boolean {
  return /^\.{0,2}\/|\/$|^\.{1,2}$/.test(constantOf(word) ?? '');
}

/**
 * The branch that HEAD names after `git checkout <target>`; `undefined` when the text does not tell:
 * `v1.2` may be a tag, a branch or a file.
 */
function branchNamed(word: Word, isSwitch: boolean, tracks: boolean): string | undefined {
  const text = nameIn(word);
  if (text === undefined || /^(?:-|HEAD|@|@\{-.*)$/.test(text)) return undefined;
  if (tracks) return /^[^/]*\/(.*)$/s.exec(text.replace(/^refs\/remotes\//, ''))?.[1];
  if (/[ ~^:?*[\\]|\.\.|@\{|\/\//.test(text)) return text.includes(':') ? undefined : NO_BRANCH;
  // Tags, hashes, branches of a remote and files are all spelled so.
  const mayBeOther = /\.|^(?:origin|upstream|refs)\/|^(?=.*[0-9])[0-9a-f]{7,40}$/.test(text);
  return isSwitch || !mayBeOther ? bareBranch(text) : undefined;
}

const BRANCH_VALUES =
  '-u --set-upstream-to --contains --no-contains --merged --no-merged --sort --format --points-at --color --column';
const BRANCH_READS =
  '--list -l --show-current --contains --no-contains --merged --no-merged --points-at -u --set-upstream-to --unset-upstream --edit-description -a --all -r --remotes -v -vv --verbose';

const branch: Planner = (words, current) => {
  const args = readArguments(words, BRANCH_VALUES);
  const [first, second] = args.operands;
  if (has(args, '-d -D --delete')) return { operation: 'branch', refs: args.operands.map(refNamed) };
  if (has(args, '-m -M --move')) {
    const from = second === undefined ? current() : [constantOf(first)];
    const to = second ?? first;
    const renamed = current().map((name) => (from.includes(name) ? constantOf(to) : name));
    return { operation: 'branch', refs: [refTo(from), refNamed(to)], branchAfter: renamed };
  }
  if (has(args, '-c -C --copy')) return { operation: 'branch', refs: [refNamed(second ?? first)] };
  if (first === undefined || has(args, BRANCH_READS)) return undefined;
  const name = nameIn(first) ?? (has(args, '-f --force') ? undefined : textOf(first));
  return { operation: 'branch', refs: [writeTo([name], takesOver(second, [name]))] };
};

const worktree: Planner = (words) => {
  const [verb, ...rest] = words;
  const args = readArguments(rest, '-b -B --reason');
  switch (constantOf(verb)) {
    case 'add':
      return addedWorktree(args);
    case 'remove':
    case 'move':
      return { operation: 'worktree', files: args.operands };
    case 'list':
    case 'prune':
    case 'lock':
    case 'unlock':
    case 'repair':
      return undefined;
    default:
      return { operation: 'worktree', files: 'some' };
  }
};

function addedWorktree(args: Arguments): GitPlan | undefined {
  const [path, target] = args.operands;
  if (path === undefined) return undefined;
  const made = valueOfOption(args, '-b -B');
  const named = made ?? target;
  const name = named === undefined ? constantOf(path)?.split('/').at(-1) : constantOf(named);
  const on = has(args, '--detach -d') ? [NO_BRANCH] : [name];
  const refs = made !== undefined || target === undefined ? [refTo(on)] : [];
  return { operation: 'worktree', refs, makes: { path, branch: on }, files: [path] };
}

const symbolicRef: Planner = (words) => {
  const args = readArguments(words, '-m');
  const [name, target] = args.operands;
  if (target === undefined && !has(args, '-d --delete')) return undefined;
  const to = constantOf(target);
  const isHead = constantOf(name) === 'HEAD';
  return {
    operation: 'symbolic-ref',
    refs: [refNamed(name)],
    ...(isHead && { branchAfter: [to === undefined ? undefined : bareBranch(to)] }),
  };
};

const clone: Planner = (words) => {
  const args = readArguments(
    words,
    '-b --branch --depth -o --origin -u --reference --template -j --jobs -c --config --filter',
  );
  const [from, into] = args.operands;
  const path = into ?? directoryOf(from);
  const made = [constantOf(valueOfOption(args, '-b --branch'))];
  return path && { operation: 'clone', files: [path], makes: { path, branch: made } };
};

/** Where `git clone` puts what it gets, when it is not told. */
function directoryOf(from: Word | undefined): Word | undefined {
  const text = constantOf(from);
  if (text === undefined) return from;
  const last = text.replace(/\/+$/, '').split(/[/:]/).at(-1) ?? '';
  return knownWord(last.replace(/\.git$/, ''));
}

const init: Planner = (words) => {
  const args = readArguments(words, '-b --initial-branch --template --separate-git-dir --object-format');
  const path = args.operands[0] ?? knownWord('.');
  const made = [constantOf(valueOfOption(args, '-b --initial-branch'))];
  return { operation: 'init', files: args.operands, makes: { path, branch: made } };
};

/*
 * Commands that write refs by name, here or at a remote.
 */

const FETCH_VALUES =
  '--depth --deepen --shallow-since --upload-pack -o --server-option -j --jobs --refmap --filter --negotiation-tip';

const push: Planner = (words, current) => {
  const args = readArguments(words, '-o --push-option --repo --receive-pack --exec');
  const [named, ...specs] = allOperands(args);
  const remote = possibleOf([constantOf(named ?? valueOfOption(args, '--repo'))]);
  const dryRun = has(args, '-n --dry-run');
  const refs: RefWrite[] = specs.map((spec) => ({ remote, ref: remoteRef(spec, current) }));
  if (has(args, '--all --mirror --branches')) refs.push({ remote, ref: UNKNOWN_REF });
  // Without a refspec it depends on the configuration which refs are pushed.
  else if (specs.length === 0) refs.push({ remote, ref: UNKNOWN_REF, implied: true });
  return { operation: 'push', dryRun, refs: dryRun ? [] : refs };
};

function remoteRef(spec: Word, current: () => Options): Possible<string> {
  const target = nameIn(spec)
    ?.replace(/^\+/, '')
    .replace(/^[^:]*:/, '');
  if (target === undefined) return UNKNOWN_REF;
  if (target.startsWith('refs/tags/')) return possibleOf([target]);
  if (target === '' || target.includes('*') || target.startsWith('$')) return UNKNOWN_REF;
  return possibleOf(target === 'HEAD' || target === '@' ? current() : [bareBranch(target)]);
}

const fetch: Planner = (words) => {
  const args = readArguments(words, FETCH_VALUES);
  const dryRun = has(args, '--dry-run');
  return { operation: 'fetch', dryRun, refs: dryRun ? [] : localRefs(args.operands.slice(1)) };
};

const pull: Planner = (words, current) => {
  const args = readArguments(words, `${FETCH_VALUES} -s --strategy -X --strategy-option`);
  const dryRun = has(args, '--dry-run');
  const [, ...specs] = args.operands;
  const on = current();
  const follows = specs.every((spec) => on.length === 1 && constantOf(spec) === on[0]);
  const refs = dryRun ? [] : [writeTo(on, follows), ...localRefs(specs)];
  return { operation: 'pull', dryRun, refs, files: 'some' };
};

/** `a:b` also writes `b` here; a name alone writes only what tracks the remote. */
function localRefs(specs: readonly Word[]): readonly RefWrite[] {
  return specs.flatMap((spec) => {
    const [source = '', target = ''] = textOf(spec).replace(/["']/g, '').split(':');
    if (target === '' || target.startsWith('refs/remotes/')) return [];
    if (/^[$`]|\*/.test(target)) return [refTo([undefined])];
    return [writeTo([bareBranch(target)], bareBranch(source.replace(/^\+/, '')) === bareBranch(target))];
  });
}

const reset: Planner = (words, current) => {
  const args = readArguments(words, '--pathspec-from-file');
  const hasPaths = args.operands.length > 1 || (args.rest?.length ?? 0) > 0 || has(args, '-p --patch');
  const [target] = args.operands;
  const stays = target === undefined || constantOf(target) === 'HEAD';
  return {
    operation: 'reset',
    refs: hasPaths || stays ? [] : [writeTo(current(), takesOver(target, current()))],
    files: has(args, '--hard --merge --keep') ? 'some' : [],
  };
};

const TAG_READS = '-l --list --contains --no-contains --points-at --merged --no-merged -v --verify';

const tag: Planner = (words) => {
  const args = readArguments(
    words,
    '-m --message -F --file -u --local-user --sort --format --cleanup --points-at --contains --no-contains --merged --no-merged',
  );
  const [name] = args.operands;
  if (name === undefined || has(args, TAG_READS)) return undefined;
  const names = has(args, '-d --delete') ? args.operands : [name];
  return {
    operation: 'tag',
    refs: names.map((each) => refTo([each.kind === 'known' ? `refs/tags/${each.value}` : undefined])),
  };
};

const updateRef: Planner = (words, current) => {
  const args = readArguments(words, '-m');
  const [name] = args.operands;
  const isHead = constantOf(name) === 'HEAD' && !has(args, '--no-deref');
  const ref = has(args, '--stdin') ? refTo([undefined]) : isHead ? refTo(current()) : refNamed(name);
  return { operation: 'update-ref', refs: [ref] };
};

const stash: Planner = (words) => {
  const verb = constantOf(words[0]);
  if (['list', 'show', 'create'].includes(verb ?? '')) return undefined;
  const kept = refTo(['refs/stash']);
  if (verb !== 'branch') return { operation: 'stash', refs: verb === 'apply' ? [] : [kept], files: 'some' };
  const branchAfter = [constantOf(words[1])];
  return { operation: 'stash', refs: [kept, refNamed(words[1])], branchAfter, files: 'some' };
};

const notes: Planner = (words) => {
  const verb = constantOf(readArguments(words, '--ref -m -F -C -c').operands[0]);
  if (verb === undefined || ['list', 'show', 'get-ref'].includes(verb)) return undefined;
  return { operation: 'update-ref', refs: [refTo(['refs/notes/commits'])] };
};

/*
 * Commands whose point is the files of the work tree.
 */

const restore: Planner = (words) => {
  const args = readArguments(words, '-s --source --conflict --pathspec-from-file');
  if (has(args, '--staged -S') && !has(args, '--worktree -W')) return undefined;
  const paths = allOperands(args);
  return { operation: 'restore', files: paths.length === 0 ? 'some' : paths };
};

/** `rm` and `mv` write their operands; with `--cached` only the index. */
const operands: Planner = (words) => {
  const args = readArguments(words, '--pathspec-from-file');
  const dryRun = has(args, '-n --dry-run');
  return has(args, '--cached')
    ? undefined
    : { operation: 'files', dryRun, files: dryRun ? [] : allOperands(args) };
};

const clean: Planner = (words) => {
  const dryRun = has(readArguments(words, '-e --exclude'), '-n --dry-run');
  return { operation: 'files', dryRun, files: dryRun ? [] : 'some' };
};

const apply: Planner = (words) => {
  const args = readArguments(words, '-p -C --directory --exclude --include --whitespace');
  const onlyLooks = has(args, '--check --stat --numstat --summary') && !has(args, '--apply');
  return onlyLooks || has(args, '--cached') ? undefined : { operation: 'files', files: 'some' };
};

/** Writes the file that `--output` or `-o` names, and else nothing. */
const output: Planner = (words) => {
  const options = '-o --output --output-directory';
  const target = valueOfOption(readArguments(words, options), options);
  return target && { operation: 'files', files: [target] };
};

const formatPatch: Planner = (words, current) =>
  output(words, current) ??
  (has(readArguments(words), '--stdout') ? undefined : { operation: 'files', files: 'some' });

const someFiles: Planner = () => ({ operation: 'files', files: 'some' });

const submodule: Planner = (words) => {
  const verb = constantOf(readArguments(words).operands[0]);
  if (verb === undefined || verb === 'status' || verb === 'summary') return undefined;
  return { operation: 'files', files: 'some', runsCode: verb === 'foreach' };
};

/*
 * Commands that write git's own settings: hooks, aliases, filters and remotes are all named there.
 */

const CONFIG_READS =
  '--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool -l --list --blob';
const CONFIG_WRITES = '--add --unset --unset-all --replace-all --rename-section --remove-section -e --edit';

const config: Planner = (words) => {
  const args = readArguments(words, '-f --file --blob --type --default --comment --value --url -t');
  // Either the verb says it, or an option, or that there is a value beside the name.
  const verb = constantOf(args.operands[0]) ?? '';
  if (has(args, CONFIG_READS) || /^(?:get|list|get-color|get-colorbool)$/.test(verb)) return undefined;
  const isWrite = has(args, CONFIG_WRITES) || /^(?:set|unset|rename-section|remove-section|edit)$/.test(verb);
  if (!isWrite && args.operands.length < 2) return undefined;
  const file = valueOfOption(args, '-f --file');
  if (file !== undefined) return { operation: 'config', files: [file] };
  if (has(args, '--global')) return { operation: 'config', files: [unknownWord('~/.gitconfig')] };
  if (has(args, '--system')) return { operation: 'config', files: [unknownWord('/etc/gitconfig')] };
  return { operation: 'config', settings: true };
};

const remote: Planner = (words) => {
  const args = readArguments(words, '-t -m');
  const [verb, name] = args.operands.map(constantOf);
  if (verb === 'set-head') {
    const ref = name === undefined ? undefined : `refs/remotes/${name}/HEAD`;
    return { operation: 'update-ref', refs: [writeTo([ref], has(args, '-a --auto'))] };
  }
  const isRead = verb === undefined || ['show', 'get-url', 'update', 'prune', '-v'].includes(verb);
  return isRead ? undefined : { operation: 'config', settings: true };
};

/** The subcommands that write something worth telling. */
export const PLANNERS = byName<Planner>([
  ['am', am],
  ['apply', apply],
  ['archive diff log show', output],
  ['bisect', bisect],
  ['branch', branch],
  ['bundle checkout-index read-tree sparse-checkout', someFiles],
  ['checkout', checkout],
  ['cherry-pick', picking('cherry-pick')],
  ['citool fast-import filter-branch filter-repo gui p4 quiltimport replay svn', rewriting],
  ['clean', clean],
  ['clone', clone],
  ['commit', commit],
  ['config', config],
  ['fetch', fetch],
  ['format-patch', formatPatch],
  ['init', init],
  ['merge', merge],
  ['notes', notes],
  ['pull', pull],
  ['push send-pack', push],
  ['rebase', rebase],
  ['remote', remote],
  ['reset', reset],
  ['restore', restore],
  ['revert', picking('revert')],
  ['rm mv', operands],
  ['stash', stash],
  ['submodule', submodule],
  ['subtree', subtree],
  ['switch', switchBranch],
  ['symbolic-ref', symbolicRef],
  ['tag', tag],
  ['update-ref', updateRef],
  ['worktree', worktree],
]);

/** Git's own subcommands that write neither branches nor files of the work tree. Any other may be an alias. */
export const HARMLESS: ReadonlySet<string> = new Set(
  `add annotate blame bugreport cat-file check-attr check-ignore check-mailmap check-ref-format cherry
  column commit-graph commit-tree count-objects credential credential-cache credential-store describe
  diagnose diff-files diff-index diff-tree difftool fast-export fetch-pack fmt-merge-msg for-each-ref for-each-repo fsck gc
  get-tar-commit-id grep hash-object help hook index-pack instaweb interpret-trailers lfs ls-files ls-remote
  ls-tree mailinfo mailsplit maintenance merge-base merge-file merge-index merge-tree mergetool mktag mktree
  multi-pack-index name-rev pack-objects pack-redundant pack-refs patch-id prune prune-packed range-diff
  reflog repack replace request-pull rerere rev-list rev-parse send-email shortlog show-branch
  show-index show-ref stage status stripspace unpack-file unpack-objects update-index update-server-info var
  verify-commit verify-pack verify-tag version web--browse whatchanged write-tree`.split(/\s+/),
);
