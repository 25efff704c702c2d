import { readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, readText } from '../../../core/failure';
import {
  countIn,
  isJsonObject,
  type Json,
  jsonIn,
  textIn,
  textsIn,
  withoutUndefined,
} from '../../../core/json';
import { digest } from '../../../core/text';
import { findGit } from '../../../git/head';
import { writeFileAtomic } from '../../../state/files';
import type { GatesConfig } from '../config';
import { GATE_RECORDS, runRecordName } from '../session-baseline';
import { logDirOf, STATE_NAME } from './logs';
import type { PlannedRun } from './plan';
import { type ExecutionState, readState } from './state';

/*
 * Our own record of the runs in a log directory, kept in the git directory, where agents must not write. The
 * files in the log directory are for people and for agent-gauntlet. Anybody can write them, so they are only
 * trusted as far as they match this record.
 */

export type RunRecord = {
  /** The text of the state file as we wrote it. */
  readonly state?: string;
  /** When the last run read the project's files, in milliseconds since the epoch. */
  readonly seenAt: number;
  /** The seal of the gate cache as we wrote it. */
  readonly cache?: string;
  /** Trees on which all gates passed, the newest last. */
  readonly passed: readonly string[];
  /** A digest of the gates that ran. */
  readonly gates?: string;
};

/** Identifies the gates of a config: a pass of other gates does not count for these. */
export function gatesDigest({ entryPoints, checks, reviews }: GatesConfig): string {
  return digest(JSON.stringify([entryPoints, checks, reviews]));
}

const NOTHING: RunRecord = { seenAt: 0, passed: [] };
const MOST_TREES = 50;
const DAY_MS = 24 * 60 * 60_000;
const KEPT_MS = 30 * DAY_MS;

/** `undefined` outside a repository, where no gates run. */
export function runRecordFile(root: string, logDir: string): string | undefined {
  const git = findGit(root);
  return git && join(git.commonDir, 'holdpoint', GATE_RECORDS, runRecordName(logDir));
}

export function runRecordFrom(value: Json | undefined): RunRecord {
  if (!isJsonObject(value)) return NOTHING;
  return {
    seenAt: countIn(value, 'seen_at'),
    passed: textsIn(value, 'passed'),
    ...withoutUndefined({
      state: textIn(value, 'state'),
      cache: textIn(value, 'cache'),
      gates: textIn(value, 'gates'),
    }),
  };
}

export function readRunRecord(file: string | undefined): RunRecord {
  return file === undefined ? NOTHING : runRecordFrom(jsonIn(readText(file) ?? ''));
}

/** Trees on which all gates of this config passed. */
export function passedTrees({ gates, passed }: RunRecord, config: GatesConfig): readonly string[] {
  return gates === gatesDigest(config) ? passed : [];
}

/** Records a run, except one in an agent's own shell. Needs the lease; call it at most once per run. */
export function recordRun(
  { record: file, kept, config, by, seenAt }: PlannedRun,
  news: Partial<Record<'state' | 'cache' | 'passed', string | undefined>>,
): void {
  if (by?.actor === 'agent' || file === undefined) return;
  const gates = gatesDigest(config);
  const { state = kept.state, cache = kept.cache, passed: tree } = news;
  const before = kept.gates === gates ? kept.passed : [];
  const passed = tree === undefined ? before : [...before.filter((one) => one !== tree), tree];
  const value = { version: 1, seen_at: seenAt, gates, state, cache, passed: passed.slice(-MOST_TREES) };
  // What is not recorded is not trusted later: the gates run again.
  attempt(() => writeFileAtomic(file, `${JSON.stringify(value)}\n`, { durable: false }));
}

/** Removes records of sessions that never reported their end, and of unused log directories. */
export function removeOldRecords(file: string | undefined, { seenAt }: RunRecord, now: number): void {
  // Once a day is enough.
  if (file === undefined || now - seenAt < DAY_MS) return;
  // Errors are ignored: old records do no harm.
  attempt(() => {
    const dir = dirname(file);
    for (const name of readdirSync(dir)) {
      const { mtimeMs = now } = statSync(join(dir, name), { throwIfNoEntry: false }) ?? {};
      if (now - mtimeMs > KEPT_MS) rmSync(join(dir, name), { force: true });
    }
  });
}

/**
 * Who wrote a file in the log directory. `ours`: it is as we wrote it. `old`: another program wrote it before
 * the session began, or no session is known. `foreign`: another program wrote it during the session.
 */
export function originOf(
  isOurs: boolean,
  changedAt: number | undefined,
  sessionBegan: number | undefined,
): 'ours' | 'old' | 'foreign' {
  if (isOurs) return 'ours';
  const isNew = sessionBegan !== undefined && (changedAt ?? 0) >= sessionBegan;
  return isNew ? 'foreign' : 'old';
}

/** The ctime, which no program can set. */
export function changedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ctimeMs;
}

/** Trees on which all of these gates passed in any work tree of the repository, even a deleted one. */
export function passedTreesAnywhere(root: string, config: GatesConfig): readonly string[] {
  const own = runRecordFile(root, logDirOf(root, config));
  const dir = own === undefined ? '' : dirname(own);
  const names = (attempt(() => readdirSync(dir)) ?? []).filter((name) => /^runs-.*\.json$/.test(name));
  const others = names.map((name) => join(dir, name)).filter((file) => file !== own);
  // Callers start at the end: with our own record, and the newest trees of each.
  return [...others, own].flatMap((file) => passedTrees(readRunRecord(file), config));
}

/** The state of the last run; for a foreign file, the state as we recorded it. */
export function trustedState(
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
