import { constants, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { attempt, readText } from '../core/failure';
import { readAt, readSmallFile, withPlainFile } from '../state/files';
import { commitIn, type GitHead, readHeadCommit, usesReftable } from './head';
import type { AskGit } from './run-git';

/** The work in a repository outside the work tree. Read from files alone, since a session's start must be quick. */
export interface OtherWork {
  /** The commit of each branch, by name; absent if there are too many branches. */
  readonly heads?: Readonly<Record<string, string>>;
  readonly stashes: readonly string[];
  /** Names of linked work trees. */
  readonly worktrees: readonly string[];
  /** Length in bytes of the reflog of this work tree's HEAD. */
  readonly log: number;
}

const MOST_HEADS = 5000;
const LARGEST_PACKED = 16 * 1024 * 1024;

export function otherWorkOf(git: GitHead, askGit: AskGit): OtherWork {
  const heads = refsBelow(git, 'refs/heads/', askGit);
  const { size: log = 0 } = statSync(headLog(git.gitDir), { throwIfNoEntry: false }) ?? {};
  return {
    ...(heads.size <= MOST_HEADS && { heads: Object.fromEntries(heads) }),
    stashes: stashesOf(git).map(({ to }) => to),
    worktrees: worktreesOf(git),
    log,
  };
}

/** Branches and remote branches with their commits, by names without `refs/heads/` and `refs/remotes/`. */
export interface Refs {
  /** The checked-out commit; absent before the first commit. */
  readonly head?: string;
  readonly heads: Readonly<Record<string, string>>;
  readonly remotes: Readonly<Record<string, string>>;
  /** By names without `refs/tags/`; absent if there are too many. */
  readonly tags?: Readonly<Record<string, string>>;
  /** The commits of tags and all other refs but the stash. */
  readonly others: readonly string[];
  /** Branches that other work trees have checked out. */
  readonly elsewhere: readonly string[];
}

const MOST_TAGS = 2000;

/** Reads the refs from their files; runs git only for formats that only git can read. */
export function readRefs(git: GitHead, askGit: AskGit): Refs {
  const head = readHeadCommit(git, askGit);
  const heads: Record<string, string> = {};
  const remotes: Record<string, string> = {};
  const tags: Record<string, string> = {};
  const others: string[] = [];
  for (const [name, commit] of refsBelow(git, 'refs/', askGit)) {
    if (name.startsWith('heads/')) heads[name.slice('heads/'.length)] = commit;
    else if (name.startsWith('remotes/')) remotes[name.slice('remotes/'.length)] = commit;
    else if (name !== 'stash') others.push(commit);
    if (name.startsWith('tags/')) tags[name.slice('tags/'.length)] = commit;
  }
  return {
    elsewhere: otherWorktrees(git, worktreesOf(git)).branches,
    ...(head !== undefined && { head }),
    heads,
    remotes,
    ...(others.length <= MOST_TAGS && { tags }),
    others,
  };
}

/** The refs below a prefix with their commits, by names without the prefix. */
export function refsBelow(
  { root, commonDir }: Pick<GitHead, 'root' | 'commonDir'>,
  prefix: string,
  askGit: AskGit,
): Map<string, string> {
  const found = new Map<string, string>();
  const add = (text: string): void => {
    for (const [, commit = '', name = ''] of text.matchAll(/^([0-9a-f]{40,64}) (refs\/.*)$/gm))
      if (name.startsWith(prefix)) found.set(name.slice(prefix.length), commit);
  };
  if (usesReftable(commonDir)) {
    add(askGit(root, ['for-each-ref', '--format=%(objectname) %(refname)', prefix]) ?? '');
    return found;
  }
  const packed = `${commonDir}/packed-refs`;
  add((existsSync(packed) && readSmallFile(packed, LARGEST_PACKED)) || '');
  for (const name of filesBelow(`${commonDir}/${prefix}`)) {
    const commit = commitIn(textOf(`${commonDir}/${prefix}${name}`));
    if (commit !== undefined) found.set(name, commit);
  }
  return found;
}

/** All files below a directory, as paths relative to it. */
function filesBelow(dir: string, before = ''): string[] {
  return (
    attempt(() =>
      readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory()
          ? filesBelow(`${dir}/${entry.name}`, `${before}${entry.name}/`)
          : [`${before}${entry.name}`],
      ),
    ) ?? []
  );
}

export function stashesOf({ commonDir }: Pick<GitHead, 'commonDir'>): Move[] {
  return movesIn(textOf(`${commonDir}/logs/refs/stash`));
}

/** Tips of the remote branches, except those whose last update was a push from here. */
export function fetchedTips(git: Pick<GitHead, 'root' | 'commonDir'>, askGit: AskGit): ReadonlySet<string> {
  const remotes = [...refsBelow(git, 'refs/remotes/', askGit)];
  const isPushed = (name: string): boolean =>
    movesIn(textOf(`${git.commonDir}/logs/refs/remotes/${name}`)).at(-1)?.how === 'update by push';
  return new Set(remotes.filter(([name]) => !isPushed(name)).map(([, commit]) => commit));
}

const FETCHED =
  /^(?:fetch|pull|clone|remote)(?: -\S+)*(?: (?!-|\.*\/|\.+(?=[ :]))[^\s:]+(?: \S+)*?)?: (?:storing (?:head|ref)|fast-forward|forced-update|from )/;

/** Whether a reflog message is of a fetch from a named remote. One from a path does not count: it may be local work. */
export function wasFetched(how: string): boolean {
  return FETCHED.test(how);
}

/** The commits of `fetchedTips`, and all earlier ones that the reflogs of remote branches record as fetched. */
export function fetchedCommits(
  git: Pick<GitHead, 'root' | 'commonDir'>,
  askGit: AskGit,
): ReadonlySet<string> {
  const names = [...refsBelow(git, 'refs/remotes/', askGit).keys()];
  const moves = names.flatMap((name) => movesIn(textOf(`${git.commonDir}/logs/refs/remotes/${name}`)));
  const brought = moves.filter(({ how }) => wasFetched(how)).map(({ to }) => to);
  return new Set([...fetchedTips(git, askGit), ...brought]);
}

/** The reflog of HEAD after its first `from` bytes; `undefined` if it has become shorter than that. */
export function headMovesSince(gitDir: string, from: number): Move[] | undefined {
  const bytes = Buffer.from(textOf(headLog(gitDir)));
  return bytes.length < from ? undefined : movesIn(bytes.toString('utf8', from));
}

function headLog(gitDir: string): string {
  return `${gitDir}/logs/HEAD`;
}

export function worktreesOf({ commonDir }: Pick<GitHead, 'commonDir'>): string[] {
  const dir = `${commonDir}/worktrees`;
  return existsSync(dir) ? (attempt(() => readdirSync(dir).sort()) ?? []) : [];
}

/** The root of a linked work tree; `undefined` once it has been removed. */
export function worktreeRoot(commonDir: string, name: string): string | undefined {
  const dir = `${commonDir}/worktrees/${name}`;
  // Relative to `dir` with git's `worktree.useRelativePaths`.
  const file = resolve(dir, textOf(`${dir}/gitdir`).trim());
  return basename(file) === '.git' && existsSync(file) ? dirname(file) : undefined;
}

/** The branches and reflogs of other work trees, to tell whether a branch or commit is theirs. */
export function otherWorktrees({ gitDir, commonDir }: GitHead, names: readonly string[]) {
  const all = [commonDir, ...names.map((name) => `${commonDir}/worktrees/${name}`)];
  const dirs = all.filter((dir) => dir !== gitDir);
  return {
    branches: dirs.flatMap((dir) => /^ref: refs\/heads\/(.+)$/m.exec(textOf(`${dir}/HEAD`))?.[1] ?? []),
    made: (commit: string) => dirs.some((dir) => textOf(headLog(dir)).includes(commit)),
  };
}

function textOf(file: string): string {
  // Most of these files do not exist, and a thrown error costs more than this check.
  return existsSync(file) ? (readText(file) ?? '') : '';
}

/** More would not fit on a command line. */
const MOST_HISTORIES = 1000;

/** Whether a commit is in the history of any of the others; false if git cannot tell. */
export function isInHistory(
  ...[root, commit, histories, askGit]: Parameters<typeof newestMissingCommit>
): boolean {
  return newestMissingCommit(root, commit, histories, askGit) === '';
}

/** The newest commit that `commit` has and the others lack; empty if there is none, `undefined` if git fails. */
export function newestMissingCommit(
  root: string,
  commit: string,
  histories: readonly string[],
  askGit: AskGit,
  ...only: string[]
): string | undefined {
  const known = [...new Set(histories)].filter((one) => commitIn(one) === one).slice(0, MOST_HISTORIES);
  if (commitIn(commit) !== commit || known.length === 0) return undefined;
  // `--ignore-missing`: without it, one commit that no longer exists would make git fail.
  const args = ['rev-list', '--max-count=1', '--ignore-missing', ...only, commit, '--not', ...known];
  return askGit(root, args);
}

const TAIL_BYTES = 16 * 1024;

/** One move of a ref, from its reflog. */
export interface Move {
  readonly from: string;
  readonly to: string;
  /** Seconds since the epoch. */
  readonly at: number;
  /** The reflog message, such as `commit: a message` or `update by push`. */
  readonly how: string;
}

/** The last moves of a ref, newest last; empty if it has no reflog. */
export function lastMoves(logFile: string): Move[] {
  const read = () =>
    withPlainFile(logFile, constants.O_RDONLY, (fd, { size }) => {
      const length = Math.min(size, TAIL_BYTES);
      return readAt(fd, size - length, length).toString();
    });
  return movesIn(attempt(read) ?? '');
}

/** The branch that was checked out before the current one, by the moves of HEAD. */
export function branchLeft(moves: readonly Move[]): string | undefined {
  const switches = moves.flatMap(({ how }) => /^checkout: moving from (\S+) to /.exec(how)?.[1] ?? []);
  return switches.at(-1);
}

function movesIn(log: string): Move[] {
  // Neither names nor addresses contain a `>`, but messages may.
  const lines = log.matchAll(/^([\da-f]{40,64}) ([\da-f]{40,64}) [^>\n]*> (\d+) [+-]\d{4}(?:\t(.*))?$/gm);
  return Array.from(lines, ([, from = '', to = '', at, how = '']) => ({ from, to, at: Number(at), how }));
}
