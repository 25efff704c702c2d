import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, fail, type Result, succeed } from '../core/failure';
import { type Base, emptyTree } from './base';
import { type GitHead, readHeadCommit } from './head';
import { askGit, type Env, errorLineOf, type GitAnswer, runGit } from './run-git';
import { pathBelow, type Snapshot, takeSnapshot } from './snapshot-tree';

/** Which changes to list. Without `commit`, `uncommitted` and `upTo`: all since the base, committed or not. */
export interface ChangesRequest {
  readonly git: GitHead;
  readonly base: Base;
  readonly env: Env;
  /** Only the changes made by this commit. */
  readonly commit?: string;
  /** Only uncommitted changes. */
  readonly uncommitted?: boolean;
  /** From the base to this commit, ignoring the work tree. */
  readonly upTo?: string;
  /** Compare with this commit instead of the base, which may have caught up with the work that was held. */
  readonly heldSince?: string;
  /** Adds the files changed since this commit; all files if it is empty. */
  readonly alsoSince?: string;
  /** Absolute paths whose changes are ignored. */
  readonly leaveOut: readonly string[];
  readonly stats?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface Changes {
  /** The tree of the work tree as it is, untracked files included. */
  readonly tree: string;
  /** Relative to the root. A submodule is listed as one file. */
  readonly files: readonly string[];
  readonly warnings: readonly string[];
  /**
   * What `git diff-tree` compares to show them. A commit before `tree` stands for the one that it has in common with HEAD.
   */
  readonly ends: readonly string[];
  readonly stats?: DiffStats;
}

/** Size of the changes. Binary files have no line counts. */
interface DiffStats {
  readonly new: number;
  readonly modified: number;
  readonly deleted: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

/** As git does by default, whatever `submodule.NAME.ignore` says: with `all` git lists no change of a submodule. */
export const SUBMODULES = '--ignore-submodules=untracked';

/** Lists the changes, mostly with three calls of git. A failure is a message for people. */
export async function findChanges(request: ChangesRequest): Promise<Result<Changes, string>> {
  const { git, leaveOut, stats: wantsStats = false } = request;
  const taken = await takeSnapshot(git, request);
  if (!taken.ok) return taken;
  const { tree, warnings, dispose } = taken.value;
  try {
    const { answer, ends, warning, failure } = await compare(request, taken.value);
    if (answer.code !== 0) {
      return fail(failure ?? `git could not list the changes: ${errorLineOf(answer)}`);
    }
    const { files, stats } = parseListing(answer.printed, wantsStats);
    const more = await filesSince(request, taken.value);
    const left = leaveOut.flatMap((path) => pathBelow(git.root, path) ?? []);
    return succeed({
      tree,
      ends,
      files: [...new Set([...files, ...more])].filter(
        (file) => !left.some((path) => file === path || file.startsWith(`${path}/`)),
      ),
      warnings: warning === undefined ? warnings : [...warnings, warning],
      ...(stats && { stats }),
    });
  } finally {
    dispose();
  }
}

/** The files changed since `alsoSince`. If git no longer has that commit, all files. */
async function filesSince(request: ChangesRequest, { tree }: Snapshot): Promise<readonly string[]> {
  const { alsoSince, git, env, signal } = request;
  if (alsoSince === undefined) return [];
  const head = readHeadCommit(git, askGit);
  const common = head && alsoSince && (await commonCommit(git.root, alsoSince, head, env, signal));
  const empty = emptyTree(tree.length);
  const list = (from: string) => filesBetween(git.root, from, tree, env, signal);
  return (await list(common || alsoSince || empty)) ?? (await list(empty)) ?? [];
}

/** The newest commit that two have in common; empty if git knows none. */
export async function commonCommit(
  root: string,
  one: string,
  other: string,
  env: Env,
  signal?: AbortSignal,
): Promise<string> {
  const { printed } = await runGit({ cwd: root, args: ['merge-base', one, other], env, signal });
  return printed.split('\n', 1)[0] ?? '';
}

interface Comparison {
  readonly answer: GitAnswer;
  readonly ends: readonly string[];
  readonly warning?: string;
  /** The message if git failed. */
  readonly failure?: string;
}

type Ask = (command: string, ...args: string[]) => Promise<GitAnswer>;

async function compare(request: ChangesRequest, { index, tree }: Snapshot): Promise<Comparison> {
  const { git, base, env, signal, commit, upTo, heldSince, uncommitted = false } = request;
  const run = (...args: string[]) => runGit({ cwd: git.root, env, index, signal, args });
  // Line counts make git read every file, so they are optional.
  const format = request.stats ? ['--raw', '--numstat'] : ['--name-only'];
  const ask: Ask = (command, ...args) =>
    run(command, '-r', '-z', '--no-renames', SUBMODULES, ...format, ...args, '--');
  const empty = emptyTree(tree.length);
  if (commit !== undefined) return ofCommit(ask, commit);
  if (upTo !== undefined && !uncommitted) return upToCommit(ask, base, upTo, empty);
  // Not `--cached` if there are submodules: the index does not show changes inside them.
  const where = existsSync(`${git.root}/.gitmodules`) ? [] : ['--cached'];
  const fromIndex: Ask = (...args) => ask('diff-index', ...where, ...args);
  const head = readHeadCommit(git, askGit);
  const starts = [heldSince, base.commit].filter((start) => start !== undefined);
  if (head === undefined || uncommitted || starts.length === 0) {
    const from = uncommitted ? (head ?? empty) : empty;
    return { answer: await fromIndex(from), ends: [from, tree] };
  }
  const common = (start: string) => commonCommit(git.root, start, head, env, signal);
  return sinceFirst(starts, tree, fromIndex, common, base.ref);
}

const NO_ANSWER: GitAnswer = { code: -1, printed: '', said: '' };

async function ofCommit(ask: Ask, commit: string): Promise<Comparison> {
  const failure = `No commit ${JSON.stringify(commit)}.`;
  if (commit.startsWith('-')) return { answer: NO_ANSWER, ends: [], failure };
  const ends = [`${commit}^1`, commit];
  const answer = await ask('diff-tree', ...ends);
  // The first commit has no parent, and neither does the oldest of a shallow clone.
  if (answer.code === 0) return { answer, ends };
  const root = ['--root', commit];
  return { answer: await ask('diff-tree', '--no-commit-id', ...root), ends: root, failure };
}

async function upToCommit(ask: Ask, base: Base, upTo: string, empty: string): Promise<Comparison> {
  if (upTo.startsWith('-')) return ofCommit(ask, upTo);
  const ends = base.commit === undefined ? [empty, upTo] : ['--merge-base', base.commit, upTo];
  const answer = await ask('diff-tree', ...ends);
  if (answer.code === 0 || base.commit === undefined) return { answer, ends };
  return {
    ...(await ofCommit(ask, upTo)),
    warning: `${noCommonCommit(base.ref)}; only the last commit counts.`,
  };
}

/** The changes since the first of these commits that git can compare with. */
async function sinceFirst(
  starts: readonly string[],
  tree: string,
  fromIndex: Ask,
  commonWith: (start: string) => Promise<string>,
  ref: string,
): Promise<Comparison> {
  let answer = NO_ANSWER;
  for (const start of starts) {
    const ends = [start, tree];
    answer = await fromIndex('--merge-base', start);
    if (answer.code === 0) return { answer, ends };
    // `--merge-base` failed: several common commits, none, or a git version without the option.
    const common = await commonWith(start);
    answer = await fromIndex(common === '' ? start : common);
    if (answer.code !== 0) continue;
    return common === ''
      ? { answer, ends, warning: `${noCommonCommit(ref)}; compared with ${ref} itself.` }
      : { answer, ends };
  }
  return { answer, ends: [] };
}

function noCommonCommit(ref: string): string {
  return `This clone has no commit in common with ${ref}`;
}

/** With stats, git prints status and path of each file, then a line of counts for each. */
function parseListing(printed: string, wantsStats: boolean): Pick<Changes, 'files' | 'stats'> {
  const parts = printed.split('\0').slice(0, -1);
  if (!wantsStats) return { files: parts };
  const files: string[] = [];
  const kinds: string[] = [];
  let at = 0;
  for (; parts[at]?.startsWith(':'); at += 2) {
    kinds.push(parts[at]?.at(-1) ?? '');
    files.push(parts[at + 1] ?? '');
  }
  const counts = parts.slice(at).map((line) => line.split('\t', 2).map((count) => Number(count) || 0));
  const added = kinds.filter((kind) => kind === 'A').length;
  const deleted = kinds.filter((kind) => kind === 'D').length;
  return {
    files,
    stats: {
      new: added,
      deleted,
      modified: files.length - added - deleted,
      linesAdded: counts.reduce((sum, [lines = 0]) => sum + lines, 0),
      linesRemoved: counts.reduce((sum, [, lines = 0]) => sum + lines, 0),
    },
  };
}

const TREE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The files that differ between two trees or commits; `undefined` if git cannot tell. */
export async function filesBetween(
  root: string,
  from: string,
  to: string,
  env: Env,
  signal?: AbortSignal,
): Promise<readonly string[] | undefined> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', SUBMODULES, '--name-only', from, to, '--'];
  const { code, printed } = await runGit({ cwd: root, args, env, signal });
  return code === 0 ? printed.split('\0').slice(0, -1) : undefined;
}

/**
 * Lists for each older snapshot what differs from the present one. A snapshot that no longer exists has no entry. Changes
 * inside a submodule, or behind a symlink out of the repository, do not show in snapshots, so a changed one counts as
 * changed since all of them.
 */
export async function changedSince(
  git: GitHead,
  changes: Changes,
  trees: readonly string[],
  env: Env,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const since = new Map<string, readonly string[]>();
  if (trees.length === 0) return since;
  const inner = changes.files.filter((file) => isOpaque(git.root, file));
  for (const tree of new Set(trees)) {
    if (!TREE.test(tree)) continue;
    const isNow = tree === changes.tree;
    const files = isNow ? [] : await filesBetween(git.root, tree, changes.tree, env, signal);
    if (files !== undefined) since.set(tree, [...files, ...inner]);
  }
  return since;
}

function isOpaque(root: string, file: string): boolean {
  const path = join(root, file);
  // Not `throwIfNoEntry`: a deleted file's directory may be a file now, and then it still throws.
  const stats = attempt(() => lstatSync(path));
  if (stats?.isSymbolicLink() !== true) return stats?.isDirectory() === true;
  const target = attempt(() => realpathSync(path));
  return target !== undefined && pathBelow(realpathSync(root), target) === undefined;
}
