import { readText } from '../core/failure';
import type { GitHead, GitPlace, HeadPosition } from '../git/head';
import type { PastEvent } from '../hosts/session-log';

type Words = readonly string[];

/** HEAD of a session during the replay: as the host recorded it, updated by the session's own commands. */
export class Branches {
  /** Set by a command. Hosts record the switch late, so this counts until they report a different branch. */
  #switched: { readonly position: HeadPosition | undefined; readonly before: string | undefined } | undefined;
  readonly #start: string | undefined;

  /** `start` is the branch at the beginning according to the reflog, for hosts that do not record one. */
  constructor(start: string | undefined) {
    this.#start = start;
  }

  /** Where HEAD was at an event; `undefined` if unknown. */
  at({ branch: told }: PastEvent): HeadPosition | undefined {
    const switched = this.#switched;
    if (switched !== undefined && (told === undefined || told === switched.before)) return switched.position;
    this.#switched = undefined;
    const branch = told === undefined || told === '' ? this.#start : told;
    if (branch === undefined) return undefined;
    return branch === 'HEAD' ? DETACHED : { kind: 'branch', branch };
  }

  /** Applies what a finished command line did to HEAD. */
  note({ branch: before, ended }: PastEvent, lines: readonly Words[]): void {
    if (ended === undefined || ended.outcome === 'failure') return;
    for (const words of lines) {
      const moved = movedBy(words, ended.text);
      if (moved !== undefined) this.#switched = { position: moved === 'unknown' ? undefined : moved, before };
    }
  }
}

const DETACHED: HeadPosition = { kind: 'detached', commit: '' };

const SWITCHED = /(?:Switched to (?:a new )?branch|Already on|Reset branch) '([^']+)'/g;

/** Where a command moved HEAD to; `undefined` if it did not, `'unknown'` if neither words nor output tell. */
function movedBy(words: Words, printed: string): HeadPosition | 'unknown' | undefined {
  const [program, verb, ...args] = words;
  if (program !== 'git' || (verb !== 'switch' && verb !== 'checkout')) return undefined;
  // A line may switch several times; where it ended up counts.
  const said = [...printed.matchAll(SWITCHED)].at(-1)?.[1];
  const made = args.findIndex((arg) => /^(?:-[cCbB]|--create|--force-create|--orphan)$/.test(arg));
  const named = made < 0 ? undefined : args[made + 1];
  const target = named ?? said;
  if (target !== undefined) return { kind: 'branch', branch: target };
  if (args.some((arg) => arg === '--detach' || arg === '-d') || /HEAD is now at/.test(printed))
    return DETACHED;
  const rest = args.filter((arg) => !arg.startsWith('-'));
  const [only] = rest;
  if (only === undefined || args.includes('--') || rest.length > 1) return undefined;
  // In `git checkout NAME`, NAME may be a file.
  return verb === 'switch' ? { kind: 'branch', branch: only } : 'unknown';
}

/** A switch between branches in the reflog of a work tree's HEAD. */
const MOVE = /^[0-9a-f]{40,64} [0-9a-f]{40,64} .* (\d+) [+-]\d{4}\tcheckout: moving from (\S+) to (\S+)$/gm;

/** The branch that was checked out at a time, as far back as the reflog goes. */
export function branchInLog(
  git: GitPlace | undefined,
  now: GitHead | undefined,
  at: number,
): string | undefined {
  if (git === undefined) return undefined;
  const text = readText(`${git.gitDir}/logs/HEAD`) ?? '';
  const begin = /^\S+ \S+ .* (\d+) [+-]\d{4}\t/.exec(text)?.[1];
  if (begin === undefined || at < Number(begin) * 1000) return undefined;
  const moves = [...text.matchAll(MOVE)].map(([, time, from, to]) => ({ at: Number(time) * 1000, from, to }));
  const last = moves.findLast((move) => move.at <= at);
  if (last !== undefined) return last.to;
  const [next] = moves;
  if (next !== undefined) return next.from;
  return now?.position.kind === 'branch' ? now.position.branch : undefined;
}
