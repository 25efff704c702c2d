import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { commitIn, type GitHead, readHeadCommit, usesReftable } from './head';
import type { AskGit } from './run-git';

/** The commits that branches and remote branches name, by their names without `refs/heads/` and `refs/remotes/`. */
export interface Refs {
  /** The commit that is checked out; absent before the first one. */
  readonly head?: string;
  readonly heads: Readonly<Record<string, string>>;
  readonly remotes: Readonly<Record<string, string>>;
  /** The branches that other work trees have checked out. */
  readonly elsewhere: readonly string[];
}

/** Reads the refs from their files; git is asked only where it alone can read them. */
export function readRefs(git: GitHead, askGit: AskGit): Refs {
  const { commonDir, root } = git;
  const all = usesReftable(commonDir)
    ? refsIn(askGit(root, ['for-each-ref', '--format=%(objectname) %(refname)']) ?? '')
    : new Map([
        ...refsIn(textOf(`${commonDir}/packed-refs`)),
        ...looseIn(commonDir, 'refs/heads'),
        ...looseIn(commonDir, 'refs/remotes'),
      ]);
  const below = (prefix: string): Record<string, string> => {
    const named = [...all].filter(([name]) => name.startsWith(prefix));
    return Object.fromEntries(named.map(([name, commit]) => [name.slice(prefix.length), commit]));
  };
  const head = readHeadCommit(git, askGit);
  return {
    elsewhere: checkedOutElsewhere(git),
    ...(head !== undefined && { head }),
    heads: below('refs/heads/'),
    remotes: below('refs/remotes/'),
  };
}

function checkedOutElsewhere({ gitDir, commonDir }: GitHead): string[] {
  const linked = namesIn(`${commonDir}/worktrees`).map((name) => `${commonDir}/worktrees/${name}`);
  const others = [commonDir, ...linked].filter((dir) => dir !== gitDir);
  return others.flatMap((dir) => /^ref: refs\/heads\/(.+)$/m.exec(textOf(`${dir}/HEAD`))?.[1] ?? []);
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** Lines of a commit and a full name; comments and peeled tags are none. */
function refsIn(text: string): [name: string, commit: string][] {
  return text.split('\n').flatMap((line) => {
    const commit = commitIn(line);
    return commit === undefined ? [] : [[line.slice(commit.length + 1), commit] as [string, string]];
  });
}

/** Each ref that has a file of its own. A symbolic one, such as a remote's HEAD, only repeats another. */
function looseIn(commonDir: string, dir: string): [name: string, commit: string][] {
  try {
    return readdirSync(`${commonDir}/${dir}`, { withFileTypes: true }).flatMap((entry) => {
      const name = `${dir}/${entry.name}`;
      if (entry.isDirectory()) return looseIn(commonDir, name);
      const commit = commitIn(textOf(`${commonDir}/${name}`));
      return commit === undefined ? [] : [[name, commit] as [string, string]];
    });
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const TAIL_BYTES = 16 * 1024;

/** One move of a ref, as git's log of it has it. */
export interface Move {
  readonly from: string;
  readonly to: string;
  /** Seconds since the epoch. */
  readonly at: number;
  /** Such as `commit: a message` or `update by push`. */
  readonly how: string;
}

/** The last moves of a ref, the newest last; none where git keeps no log of it. */
export function lastMoves(logFile: string): Move[] {
  try {
    const fd = openSync(logFile, 'r');
    try {
      const { size } = fstatSync(fd);
      const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
      readSync(fd, tail, 0, tail.length, size - tail.length);
      return tail.toString('utf8').split('\n').flatMap(moveIn);
    } finally {
      closeSync(fd);
    }
  } catch {
    return [];
  }
}

function moveIn(line: string): Move[] {
  const [, from, to, at, how = ''] =
    /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> (\d+) [+-]\d{4}(?:\t(.*))?$/.exec(line) ?? [];
  return from === undefined || to === undefined ? [] : [{ from, to, at: Number(at), how }];
}
