import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Who } from '../../../core/actor';
import { countIn, isJsonObject, type Json, jsonIn, present, textIn, textsIn } from '../../../core/json';
import { digest } from '../../../core/text';
import { attempt, readText } from '../../../exec/attempt';
import { findGit } from '../../../git/head';
import { discard, writeFileAtomic } from '../../../state/files';
import type { GatesConfig } from '../config';
import { GATE_RECORDS, runRecordName } from '../session';
import { logDirOf, STATE_NAME } from './logs';
import { type ExecutionState, readState } from './state';

/*
 * What we know of the runs in a log directory, kept where agents have no business. The files in the log directory are
 * for people and for the older program; anybody can write them, so they are believed as far as they agree with this.
 */

export type RunRecord = {
  /** The text of the state as we wrote it. */
  readonly state?: string;
  /** When the files of the last run were looked at, in milliseconds since the epoch. */
  readonly seenAt: number;
  /** A digest of what has passed on which files, as we wrote it. */
  readonly cache?: string;
  /** Trees on which all gates have passed, the newest last. */
  readonly passed: readonly string[];
  /** A digest of the gates that ran. */
  readonly gates?: string;
};

/** The gates of a config, as a text to compare: a pass of other gates is none of these. */
export function gatesDigest({ entryPoints, checks, reviews }: GatesConfig): string {
  return digest(JSON.stringify([entryPoints, checks, reviews]));
}

const NOTHING: RunRecord = { seenAt: 0, passed: [] };
const MOST_TREES = 50;
const DAY_MS = 24 * 60 * 60_000;
const KEPT_MS = 30 * DAY_MS;

/** `undefined` outside of a repository, where no gates run. */
export function runRecordFile(root: string, logDir: string): string | undefined {
  const git = findGit(root);
  return git && join(git.commonDir, 'holdpoint', GATE_RECORDS, runRecordName(logDir));
}

export function runRecordFrom(value: Json | undefined): RunRecord {
  if (!isJsonObject(value)) return NOTHING;
  return {
    seenAt: countIn(value, 'seen_at'),
    passed: textsIn(value, 'passed'),
    ...present({
      state: textIn(value, 'state'),
      cache: textIn(value, 'cache'),
      gates: textIn(value, 'gates'),
    }),
  };
}

export function readRunRecord(file: string | undefined): RunRecord {
  return file === undefined ? NOTHING : runRecordFrom(jsonIn(readText(file) ?? ''));
}

/** Trees on which all of these gates have passed. */
export function passedTrees({ gates, passed }: RunRecord, config: GatesConfig): readonly string[] {
  return gates === gatesDigest(config) ? passed : [];
}

interface NotedRun {
  readonly record: string | undefined;
  readonly kept: RunRecord;
  readonly config: GatesConfig;
  readonly by?: Who;
  readonly seenAt: number;
}

/**
 * Keeps what a run has come to. Only who has the lease may call it, and only once a run. What an agent had run in its own
 * shell is its own affair.
 */
export function noteRun(
  { record: file, kept, config, by, seenAt }: NotedRun,
  news: {
    readonly state?: string | undefined;
    readonly cache?: string | undefined;
    readonly passed?: string | undefined;
  },
): void {
  if (by?.actor === 'agent' || file === undefined) return;
  const gates = gatesDigest(config);
  const { state = kept.state, cache = kept.cache, passed: tree } = news;
  const before = kept.gates === gates ? kept.passed : [];
  const passed = tree === undefined ? before : [...before.filter((one) => one !== tree), tree];
  const value = { version: 1, seen_at: seenAt, gates, state, cache, passed: passed.slice(-MOST_TREES) };
  // What is not kept is not believed later: the gates run again.
  attempt(() => writeFileAtomic(file, `${JSON.stringify(value)}\n`, { durable: false }));
}

/** Records of sessions that ended without saying so, and of log directories that are no longer used. */
export function removeOldRecords(file: string | undefined, { seenAt }: RunRecord, now: number): void {
  // Once a day is enough.
  if (file === undefined || now - seenAt < DAY_MS) return;
  try {
    const dir = dirname(file);
    for (const name of readdirSync(dir)) {
      const { mtimeMs = now } = statSync(join(dir, name), { throwIfNoEntry: false }) ?? {};
      if (now - mtimeMs > KEPT_MS) rmSync(join(dir, name), { force: true });
    }
  } catch {
    // They are only in the way.
  }
}

export type LeaseNote = ReturnType<typeof leaseNote>;

/**
 * The text of a run's lease is kept beside its record, so that a lock that somebody else made is known as such. It is
 * there before the lock is, and each lease has a file of its own: others may be after the same lock.
 */
export function leaseNote(record: string | undefined) {
  const fileOf = (text: string): string | undefined => record?.replace(/json$/, `${digest(text)}.lease`);
  return {
    isOurs: (text: string): boolean => readText(fileOf(text) ?? '') === text,
    keep: (text: string): void => {
      const file = fileOf(text);
      if (file === undefined) return;
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(file, text, { mode: 0o600 });
      } catch {
        // Then another process does not wait for us.
      }
    },
    drop: (text: string): void => {
      const file = fileOf(text);
      if (file !== undefined) discard(file);
    },
  };
}

/**
 * Whom a file in the log directory is from. `ours`: as we wrote it. `old`: another program wrote it before the session
 * began, or no session is known. `foreign`: it was written during the session, and not by us.
 */
export type Origin = 'ours' | 'old' | 'foreign';

export function originOf(
  isOurs: boolean,
  changedAt: number | undefined,
  sessionBegan: number | undefined,
): Origin {
  if (isOurs) return 'ours';
  const isNew = sessionBegan !== undefined && (changedAt ?? 0) >= sessionBegan;
  return isNew ? 'foreign' : 'old';
}

/**
 * Whether a lock in the log directory is one of a run. Ours are known by our note. The older program leaves only its
 * process number, and only in its own projects; one that came up during a session there is nobody's.
 */
export function lockBelief(
  file: string,
  note: LeaseNote,
  home: '.gauntlet' | '.holdpoint',
  sessionBegan: number | undefined,
): (text: string) => boolean {
  return (text) =>
    note.isOurs(text) || (home === '.gauntlet' && originOf(false, changedAt(file), sessionBegan) === 'old');
}

/** The change time, which no program can set. */
function changedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ctimeMs;
}

/** What is known of the runs of a work tree. */
export function runRecordOf(root: string, config: GatesConfig): RunRecord {
  return readRunRecord(runRecordFile(root, logDirOf(root, config)));
}

/** Trees on which all of these gates have passed in any work tree of the repository, be it gone by now. */
export function passedAnywhere(root: string, config: GatesConfig): readonly string[] {
  const own = runRecordFile(root, logDirOf(root, config));
  const dir = own === undefined ? '' : dirname(own);
  const files = attempt(() => readdirSync(dir)) ?? [];
  const others = files.filter((name) => /^runs-.*\.json$/.test(name)).map((name) => join(dir, name));
  // The newest are looked at first, and those from here before any other.
  return [...new Set([...others, own])].flatMap((file) => passedTrees(readRunRecord(file), config));
}

/** The state of the last run, as far as it can be believed. */
export function believedState(
  logDir: string,
  record: RunRecord,
  sessionBegan: number | undefined,
): ExecutionState | undefined {
  const file = join(logDir, STATE_NAME);
  const text = readText(file);
  if (text === undefined) return undefined;
  const origin = originOf(text === record.state, changedAt(file), sessionBegan);
  return readState(logDir, origin === 'foreign' ? (record.state ?? '') : text);
}
