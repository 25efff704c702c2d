import { lstatSync, renameSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { detailOf, type Failure, fail, type Result, succeed } from '../core/failure';
import { isJsonObject, type Json } from '../core/json';
import {
  type Change,
  containerOf,
  type DocumentRef,
  type Durability,
  documentFile,
  documentKey,
  type Found,
  findDocument,
  isKept,
  type Layout,
  placeOf,
  projectLockFile,
  type Topic,
} from './documents';
import { acquireLock, type Lock, type Patience, writeFileAtomic } from './files';
import { appendToTopic } from './topic';

/** What was written. Documents are independent: if one fails, the others are still written. */
export interface WriteReport {
  readonly written: readonly string[];
  /** Unreadable files were moved to these paths, unchanged. */
  readonly setAside: readonly string[];
  readonly failures: readonly { readonly durability: Durability; readonly failure: Failure }[];
}

/** Documents already read under the lock, by key. */
export type FreshDocuments = ReadonlyMap<string, Found>;

/**
 * Changes documents, waiting up to `patience` for each lock. Fails as a whole only if the project's lock is not
 * available; if a document in the home directory cannot be locked, only that one fails.
 */
export function updateDocuments(
  layout: Layout,
  changes: readonly Change[],
  patience: number | Patience,
): Result<WriteReport> {
  const reports: WriteReport[] = [];
  const kept = changes.filter((change) => isKept(layout, change.document.base));
  const inProject = kept.filter((change) => change.document.base !== 'home');
  if (inProject.length > 0) {
    const lock = lockProject(layout, patience);
    if (!lock.ok) return lock;
    reports.push(applyAndRelease(layout, lock.value, inProject));
  }
  const inHome = kept.filter((change) => change.document.base === 'home');
  for (const group of byDocument(inHome).values()) {
    const { document } = group[0];
    const lock = lockInside(containerOf(layout, 'home'), homeLockFile(layout, document), patience);
    const failures = lock.ok ? [] : [{ durability: document.durability, failure: lock.failure }];
    reports.push(
      lock.ok ? applyAndRelease(layout, lock.value, group) : { written: [], setAside: [], failures },
    );
  }
  return succeed({
    written: reports.flatMap((report) => report.written),
    setAside: reports.flatMap((report) => report.setAside),
    failures: reports.flatMap((report) => report.failures),
  });
}

/** The lock of one document in the home directory, shared by projects. Never taken while holding the project's lock. */
export function homeLockFile(layout: Layout, ref: DocumentRef): string {
  return `${documentFile(layout, ref)}.lock`;
}

/** Takes the project's lock; fails if a symlink leads out of the project. */
export function lockProject(layout: Layout, patience: number | Patience): Result<Lock> {
  const { soleLock } = layout;
  const container = soleLock === undefined ? containerOf(layout, 'own') : dirname(dirname(soleLock));
  return lockInside(container, projectLockFile(layout), patience);
}

function lockInside(container: string, file: string, patience: number | Patience): Result<Lock> {
  try {
    // Checks the directory, not the file: a lock is itself a symlink, and others may release it meanwhile.
    const directory = dirname(file);
    const place = directory === container ? undefined : placeOf(container, directory);
    if (place?.kind === 'outward') return fail({ code: 'state.outside', file, target: place.target });
  } catch (error) {
    return fail({ code: 'state.write-failed', file, detail: detailOf(error) });
  }
  return acquireLock(file, patience);
}

function applyAndRelease(layout: Layout, lock: Lock, changes: readonly Change[]): WriteReport {
  try {
    return applyChanges(layout, lock, changes);
  } finally {
    lock.release();
  }
}

type Group = [Change, ...Change[]];

function byDocument(changes: readonly Change[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const change of changes) {
    const key = documentKey(change.document);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [change]);
    else group.push(change);
  }
  return groups;
}

/** Writes the changes under a lock that the caller holds, each document once. One that throws fails alone. */
export function applyChanges(
  layout: Layout,
  lock: Lock,
  changes: readonly Change[],
  fresh?: FreshDocuments,
): WriteReport {
  const outcomes = [...byDocument(changes)].map(([key, group]) => {
    const { document } = group[0];
    const { durability, format } = document;
    const known = fresh?.get(key);
    const change = format === 'topic' ? changeTopic : changeFile;
    try {
      // A missing document may also be a dangling symlink; only `findDocument` detects that.
      const found = known?.kind === 'present' ? known : findDocument(layout, document);
      return { durability, ...change(lock, document, found, group) };
    } catch (error) {
      return { durability, failure: writeFailed(documentFile(layout, document), error) };
    }
  });
  return {
    written: outcomes.flatMap(({ written }) => written ?? []),
    setAside: outcomes.flatMap(({ setAside }) => setAside ?? []),
    failures: outcomes.flatMap(({ durability, failure }) => (failure ? [{ durability, failure }] : [])),
  };
}

interface Outcome {
  readonly written?: string;
  readonly setAside?: string;
  readonly failure?: Failure;
}

function changeFile(lock: Lock, ref: DocumentRef, found: Found, changes: readonly Change[]): Outcome {
  const obstacle = found.kind === 'unreadable' ? obstacleIn(found) : undefined;
  if (obstacle) return { failure: obstacle };
  const before = found.kind === 'present' ? found.value : undefined;
  const after = applied(changes, before);
  if (after === before) return {};
  if (after === undefined) return removeDocument(lock, found.path);
  const text = textFor(ref, after);
  // If only the formatting would change, somebody else's formatting stays. Long files always have our own.
  if (found.kind === 'present') {
    const old = text.length > MAX_INDENTED ? found.version : textFor(ref, found.value);
    if (text === old) return {};
  }
  return replaceDocument(lock, ref, found, text);
}

function applied(changes: readonly Change[], before: Json | undefined): Json | undefined {
  return changes.reduce((value, change) => change.apply(value), before);
}

const MAX_INDENTED = 64 * 1024;

/** JSON is indented for people to read, unless it is too long for that. */
function textFor(ref: DocumentRef, value: Json): string {
  if (ref.format === 'json') {
    const json = JSON.stringify(value);
    return `${json.length > MAX_INDENTED ? json : JSON.stringify(value, null, 2)}\n`;
  }
  if (typeof value === 'string') return value;
  throw new Error(`a text document was given something else: ${ref.path}`);
}

type Unreadable = Extract<Found, { kind: 'unreadable' }>;

/** A reason not to write at all. A broken file is none: it is moved aside. */
function obstacleIn({ path: file, why, outward, isTemporary }: Unreadable): Failure | undefined {
  if (outward && !outward.isFile) return { code: 'state.outside', file, target: outward.target };
  return isTemporary ? { code: 'state.unreadable', file, detail: why } : undefined;
}

function removeDocument(lock: Lock, path: string): Outcome {
  if (!lock.isStillMine()) return { failure: lost(lock) };
  try {
    unlinkSync(path);
    return { written: path };
  } catch (error) {
    return { failure: writeFailed(path, error) };
  }
}

class LockLost extends Error {}

function replaceDocument(lock: Lock, ref: DocumentRef, found: Found, text: string): Outcome {
  const { path } = found;
  let setAside: string | undefined;
  const outcome = (rest: Outcome): Outcome => (setAside === undefined ? rest : { ...rest, setAside });
  try {
    writeFileAtomic(path, text, {
      durable: ref.durability === 'durable',
      // A text document is the user's own file, so it keeps its permissions.
      mode: ref.format === 'text' ? lstatSync(path, { throwIfNoEntry: false })?.mode : undefined,
      beforeRename: () => {
        if (!lock.isStillMine()) throw new LockLost();
        if (found.kind === 'unreadable') setAside = moveAside(path);
      },
    });
    return outcome({ written: path });
  } catch (error) {
    return outcome({ failure: error instanceof LockLost ? lost(lock) : writeFailed(path, error) });
  }
}

function moveAside(path: string): string {
  let time = Date.now();
  const name = () => `${path}.corrupt-${time}-${process.pid}`;
  while (lstatSync(name(), { throwIfNoEntry: false })) time++;
  renameSync(path, name());
  return name();
}

/** Appends the new messages. Other programs use the file too, so an unreadable one is not moved aside. */
function changeTopic(lock: Lock, ref: DocumentRef, found: Found, changes: readonly Change[]): Outcome {
  const { path } = found;
  if (found.kind === 'unreadable') {
    const { outward } = found;
    if (outward) return { failure: { code: 'state.outside', file: path, target: outward.target } };
    return { failure: { code: 'state.write-failed', file: path, detail: found.why } };
  }
  const before = found.kind === 'present' ? found.value : undefined;
  const bodies = newBodies(applied(changes, before));
  if (bodies.length === 0) return {};
  if (!lock.isStillMine()) return { failure: lost(lock) };
  try {
    appendToTopic(ref, path, bodies, before as Topic | undefined);
    return { written: path };
  } catch (error) {
    return { failure: writeFailed(path, error) };
  }
}

/** The messages without an id have not been written yet. */
function newBodies(topic: Json | undefined): string[] {
  const messages = isJsonObject(topic) && Array.isArray(topic['messages']) ? topic['messages'] : [];
  return messages.flatMap((message: Json) => {
    const { id, body } = isJsonObject(message) ? message : {};
    return id === undefined && typeof body === 'string' ? [body] : [];
  });
}

function lost(lock: Lock): Failure {
  return { code: 'lock.lost', file: lock.file };
}

function writeFailed(file: string, error: unknown): Failure {
  return { code: 'state.write-failed', file, detail: detailOf(error) };
}
