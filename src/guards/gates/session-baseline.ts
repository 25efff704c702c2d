import { basename } from 'node:path';
import {
  countIn,
  isJsonObject,
  type Json,
  nameIn,
  objectIn,
  textIn,
  textsIn,
  withoutUndefined,
} from '../../core/json';
import { digest, ownJson, sessionRecordRef } from '../../core/text';
import { resolveBase } from '../../git/base';
import { type GitHead, readHeadCommit } from '../../git/head';
import { type OtherWork, otherWorkOf } from '../../git/refs';
import { askGit } from '../../git/run-git';
import type { Change, Document, DocumentRef } from '../../state/documents';
import type { GatesConfig } from './config';

/* The repository as a session found it. Changes are counted from there, even if the agent moves refs. */

/** Directory below `holdpoint` in the common git directory. */
export const GATE_RECORDS = 'gates';
export const SESSION_FILE = /^session-.*\.json$/;

/** How a session found the repository. Plain data, since it is part of an effect's input. */
export type SessionBaseline = OtherWork & {
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The root of the work tree it began in. */
  readonly root: string;
  /** Absent if there was no commit yet. */
  readonly head?: string;
  /** The base branch's commit; absent if there was none. */
  readonly base?: string;
  /** The weakened checks found at the last stop, as sentences. */
  readonly weaker: readonly string[];
  /** Weakened checks, of this or earlier stops, that a person has accepted. */
  readonly accepted: readonly string[];
  /** A digest of what the user was told last. */
  readonly told?: string;
  /** A digest of the work put aside for which a turn was held. */
  readonly aside?: string;
  /** A digest of the work put aside that the user was told of when a turn was let go. */
  readonly released?: string;
};

export function baselineRef(sessionId: string): DocumentRef {
  const name = basename(sessionRecordRef(sessionId).path);
  return ownJson(`${GATE_RECORDS}/session-${name}`);
}

/** The file of the record of the runs in one log directory. */
export function runRecordName(logDir: string): string {
  return `runs-${digest(logDir)}.json`;
}

export function baselineIn(document: Document): SessionBaseline | undefined {
  return document.kind === 'present' ? parseBaseline(document.value) : undefined;
}

function parseBaseline(value: Json): SessionBaseline | undefined {
  const root = textIn(value, 'root');
  if (!isJsonObject(value) || root === undefined) return undefined;
  return {
    sessionId: textIn(value, 'session_id') ?? '',
    at: countIn(value, 'at'),
    root,
    ...withoutUndefined({ head: nameIn(value, 'head'), base: nameIn(value, 'base') }),
    ...(isJsonObject(value['heads']) && { heads: objectIn(value, 'heads') as Record<string, string> }),
    stashes: textsIn(value, 'stashes'),
    worktrees: textsIn(value, 'worktrees'),
    log: countIn(value, 'log'),
    weaker: textsIn(value, 'weaker'),
    accepted: textsIn(value, 'accepted'),
    ...withoutUndefined({
      told: nameIn(value, 'told'),
      aside: nameIn(value, 'aside'),
      released: nameIn(value, 'released'),
    }),
  };
}

function toJson({ sessionId, ...rest }: SessionBaseline): Json {
  return { version: 1, session_id: sessionId, ...(rest as unknown as { [key: string]: Json }) };
}

export function newBaseline(
  sessionId: string,
  git: GitHead,
  config: GatesConfig,
  at: number,
): SessionBaseline {
  const base = resolveBase(git, { configured: config.baseBranch }, askGit);
  return {
    sessionId,
    at,
    root: git.root,
    ...withoutUndefined({ head: readHeadCommit(git, askGit), base: base.ok ? base.value.commit : undefined }),
    ...otherWorkOf(git, askGit),
    weaker: [],
    accepted: [],
  };
}

/** Records the beginning, unless one is recorded already. */
export function recordBaseline(baseline: SessionBaseline): Change {
  return {
    document: baselineRef(baseline.sessionId),
    what: 'kept where the session began',
    apply: (current) =>
      current !== undefined && parseBaseline(current) !== undefined ? current : toJson(baseline),
  };
}

/** Records weakened checks and what the user was told, or the work put aside for which a turn was held. */
export function recordExtraFindings(
  sessionId: string,
  what: string,
  news: Partial<Record<'told' | 'aside' | 'released', string | undefined>> & {
    readonly weaker?: readonly string[];
  },
): Change {
  return changed(baselineRef(sessionId), what, (known) => withoutUndefined({ ...known, ...news }));
}

/** Records that a person accepts the checks that became weaker in a session. */
export function acceptWeaker(document: DocumentRef): Change {
  return changed(document, 'weaker checks accepted', (known) => {
    return { ...known, accepted: [...new Set([...known.accepted, ...known.weaker])], weaker: [] };
  });
}

function changed(
  document: DocumentRef,
  what: string,
  update: (known: SessionBaseline) => SessionBaseline,
): Change {
  return {
    document,
    what,
    apply: (current) => {
      const known = current === undefined ? undefined : parseBaseline(current);
      if (known === undefined) return current;
      const next = toJson(update(known));
      return JSON.stringify(next) === JSON.stringify(toJson(known)) ? current : next;
    },
  };
}
