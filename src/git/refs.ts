import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { readSmallFile } from '../state/files';
import { commitIn, type GitHead, readHeadCommit, textOf, usesReftable } from './head';
import type { AskGit } from './run-git';

export type Holdings = Readonly<ReturnType<typeof holdingsOf>>;

const MOST_HEADS = 5000;
const LARGEST_PACKED = 16 * 1024 * 1024;

/** What holds work in a repository besides the work tree: all of it by reading files, since a session's start must be quick. */
export function holdingsOf(git: GitHead, askGit: AskGit) {
  const heads = refsBelow(git, 'refs/heads/', askGit);
  const { size: log = 0 } = statSync(headLog(git.gitDir), { throwIfNoEntry: false }) ?? {};
  return {
    /** Branches by name, with the commit of each; absent where there are too many to keep. */
    ...(heads.size <= MOST_HEADS && { heads: Object.fromEntries(heads) }),
    stashes: stashesOf(git).map(({ to }): string => to) as readonly string[],
    /** Names of linked work trees. */
    worktrees: worktreesOf(git) as readonly string[],
    /** How long the record of this work tree's HEAD is. */
    log,
  };
}

export type Refs = ReturnType<typeof readRefs>;

/**
 * The commits that branches and remote branches name, by their names without `refs/heads/` and `refs/remotes/`, and the
 * commit that is checked out, where there is one. Read from files; git is asked only where it alone can read them.
 */
export function readRefs(git: GitHead, askGit: AskGit) {
  const head = readHeadCommit(git, askGit);
  return {
    /** The branches that other work trees have checked out. */
    elsewhere: branchesIn(otherGitDirs(git, worktreesOf(git))),
    ...(head !== undefined && { head }),
    heads: Object.fromEntries(refsBelow(git, 'refs/heads/', askGit)),
    remotes: Object.fromEntries(refsBelow(git, 'refs/remotes/', askGit)),
  };
}

/** The git directories of the main work tree and of linked ones, without our own. */
function otherGitDirs({ gitDir, commonDir }: GitHead, names: readonly string[]): string[] {
  const dirs = [commonDir, ...names.map((name) => `${commonDir}/worktrees/${name}`)];
  return dirs.filter((dir) => dir !== gitDir);
}

function branchesIn(gitDirs: readonly string[]): string[] {
  return gitDirs.flatMap((dir) => /^ref: refs\/heads\/(.+)$/m.exec(textOf(`${dir}/HEAD`) ?? '')?.[1] ?? []);
}

/** References below a prefix, by the rest of their names. */
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
    const commit = commitIn(textOf(`${commonDir}/${prefix}${name}`) ?? '');
    if (commit !== undefined) found.set(name, commit);
  }
  return found;
}

/** Files below a directory, by their paths in it. */
function filesBelow(dir: string, before = ''): string[] {
  try {
    return readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory()
        ? filesBelow(`${dir}/${entry.name}`, `${before}${entry.name}/`)
        : [`${before}${entry.name}`],
    );
  } catch {
    return [];
  }
}

/** One move of a ref, as git's log of it has it. */
export interface Move {
  readonly from: string;
  readonly to: string;
  /** Seconds since the epoch. */
  readonly at: number;
  /** Such as `commit: a message` or `update by push`. */
  readonly how: string;
}

function movesIn(log: string): Move[] {
  const lines = log.matchAll(/^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> (\d+) [+-]\d{4}(?:\t(.*))?$/gm);
  return Array.from(lines, ([, from = '', to = '', at, how = '']) => ({ from, to, at: Number(at), how }));
}

const TAIL_CHARACTERS = 16 * 1024;

/** The last moves of a ref, the newest last; none where git keeps no log of it. */
export function lastMoves(logFile: string): Move[] {
  return movesIn(textOf(logFile)?.slice(-TAIL_CHARACTERS) ?? '');
}

export function stashesOf({ commonDir }: Pick<GitHead, 'commonDir'>): Move[] {
  return movesIn(textOf(`${commonDir}/logs/refs/stash`) ?? '');
}

/** Commits that remote branches were brought to by a fetch, not by a push from here. */
export function fetchedTips(git: Pick<GitHead, 'root' | 'commonDir'>, askGit: AskGit): ReadonlySet<string> {
  const remotes = [...refsBelow(git, 'refs/remotes/', askGit)];
  const isPushed = (name: string): boolean =>
    lastMoves(`${git.commonDir}/logs/refs/remotes/${name}`).at(-1)?.how === 'update by push';
  return new Set(remotes.filter(([name]) => !isPushed(name)).map(([, commit]) => commit));
}

/** What HEAD of a work tree went through since its record was `from` bytes long; `undefined` if that was cut. */
export function headMovesSince(gitDir: string, from: number): Move[] | undefined {
  const bytes = Buffer.from(textOf(headLog(gitDir)) ?? '');
  return bytes.length < from ? undefined : movesIn(bytes.toString('utf8', from));
}

function headLog(gitDir: string): string {
  return `${gitDir}/logs/HEAD`;
}

export function worktreesOf({ commonDir }: Pick<GitHead, 'commonDir'>): string[] {
  if (!existsSync(`${commonDir}/worktrees`)) return [];
  try {
    return readdirSync(`${commonDir}/worktrees`).sort();
  } catch {
    return [];
  }
}

/** Where a linked work tree is; `undefined` once it was removed. */
export function worktreeRoot(commonDir: string, name: string): string | undefined {
  const file = textOf(`${commonDir}/worktrees/${name}/gitdir`)?.trim() ?? '';
  const isThere = file !== '' && basename(file) === '.git' && statSync(file, { throwIfNoEntry: false });
  return isThere ? dirname(file) : undefined;
}

/** Branches and records of other work trees, by which one tells whose a commit is. */
export function othersIn(git: GitHead, names: readonly string[]) {
  const dirs = otherGitDirs(git, names);
  const branches = branchesIn(dirs);
  const logs = dirs.map((dir) => textOf(headLog(dir)) ?? '');
  return {
    has: (branch: string) => branches.includes(branch),
    made: (commit: string) => logs.some((text) => text.includes(commit)),
  };
}
