import { lstatSync, renameSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { detailOf, type Failure, fail, type Result, succeed } from '../core/failure';
import { isJsonObject, type Json } from '../core/json';
import {
  type Change,
  containerOf,
  type DocumentRef,
  documentFile,
  documentKey,
  type Found,
  findDocument,
  isKept,
  type Keeping,
  type Layout,
  MAX_BYTES,
  placeOf,
  projectLockFile,
  type Topic,
} from './documents';
import { readSmallFile, writeFileAtomic } from './files';
import { acquireLock, type Lock, type Patience } from './lock';
import { appendToTopic } from './topic';

/** What was written. Documents are independent: one that fails does not stop the others. */
export interface WriteReport {
  readonly written: readonly string[];
  /** Where unreadable files were moved to, unchanged. */
  readonly setAside: readonly string[];
  readonly failures: readonly { readonly keeping: Keeping; readonly failure: Failure }[];
}

/** Documents that were already read under the lock, by their key. */
export type Fresh = ReadonlyMap<string, Found>;

/**
 * Changes documents, with some patience for each lock. Fails as a whole only if the project's lock cannot be
 * had; a document in the home directory that cannot be locked fails by itself.
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
    const failures = lock.ok ? [] : [{ keeping: document.keeping, failure: lock.failure }];
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

/** The lock of one document in the home directory, which all projects share. Never taken while the project's is held. */
export function homeLockFile(layout: Layout, ref: DocumentRef): string {
  return `${documentFile(layout, ref)}.lock`;
}

/** Takes the lock of the project, unless a symlink would lead it elsewhere. */
export function lockProject(layout: Layout, patience: number | Patience): Result<Lock> {
  const { soleLock } = layout;
  const container = soleLock === undefined ? containerOf(layout, 'own') : dirname(dirname(soleLock));
  return lockInside(container, projectLockFile(layout), patience);
}

function lockInside(container: string, file: string, patience: number | Patience): Result<Lock> {
  try {
    // Not the file: a lock is a symlink itself, and others release it while we look.
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

/** Writes the changes under a lock that the caller holds, each document once. */
export function applyChanges(
  layout: Layout,
  lock: Lock,
  changes: readonly Change[],
  fresh?: Fresh,
): WriteReport {
  const outcomes = [...byDocument(changes)].map(([key, group]) => {
    const { document } = group[0];
    const inText = changeLongText(layout, lock, group);
    if (inText !== undefined) return { keeping: document.keeping, ...inText };
    const known = fresh?.get(key);
    // A missing document may still be a dangling symlink, which only `findDocument` tells.
    const found = known?.kind === 'present' ? known : findDocument(layout, document);
    const change = document.format === 'topic' ? changeTopic : changeFile;
    return { keeping: document.keeping, ...change(lock, document, found, group) };
  });
  return {
    written: outcomes.flatMap(({ written }) => written ?? []),
    setAside: outcomes.flatMap(({ setAside }) => setAside ?? []),
    failures: outcomes.flatMap(({ keeping, failure }) => (failure ? [{ keeping, failure }] : [])),
  };
}

/** What became of one document. */
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
  // A file that somebody has formatted differently stays as it is if nothing else would change. A long one is ours.
  if (found.kind === 'present') {
    const old = text.length > MAX_INDENTED ? found.version : textFor(ref, found.value);
    if (text === old) return {};
  }
  return replaceDocument(lock, ref, found, text);
}

/** Makes changes in the text of a long document, where all of them can be made there. */
function changeLongText(layout: Layout, lock: Lock, changes: Group): Outcome | undefined {
  const { document } = changes[0];
  if (changes.some((change) => change.applyToText === undefined)) return undefined;
  const place = placeOf(containerOf(layout, document.base), documentFile(layout, document));
  if (place.kind !== 'found' || place.stats.size <= MAX_INDENTED) return undefined;
  const version = readSmallFile(place.path, MAX_BYTES);
  const text = changes.reduce((now, change) => now && change.applyToText?.(now), version);
  if (version === undefined || text === undefined) return undefined;
  const found = { kind: 'present', path: place.path, value: null, version } as const;
  return text === version ? {} : replaceDocument(lock, document, found, text);
}

function applied(changes: readonly Change[], before: Json | undefined): Json | undefined {
  return changes.reduce((value, change) => change.apply(value), before);
}

const MAX_INDENTED = 64 * 1024;

/** JSON is indented for people to read, except for what is too long for that. */
function textFor(ref: DocumentRef, value: Json): string {
  if (ref.format === 'json') {
    const json = JSON.stringify(value);
    return `${json.length > MAX_INDENTED ? json : JSON.stringify(value, null, 2)}\n`;
  }
  if (typeof value === 'string') return value;
  throw new Error(`a text document was given something else: ${ref.path}`);
}

type Unreadable = Extract<Found, { kind: 'unreadable' }>;

/** What forbids writing at all; a broken file is only moved out of the way. */
function obstacleIn({ path: file, why, outward, isTemporary }: Unreadable): Failure | undefined {
  if (outward && !outward.isFile) return { code: 'state.outside', file, target: outward.target };
  return isTemporary ? { code: 'state.unreadable', file, detail: why } : undefined;
}

function removeDocument(lock: Lock, path: string): Outcome {
  if (!lock.stillMine()) return { failure: lost(lock) };
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
      durable: ref.keeping === 'durable',
      // A text is the user's own file: its permissions stay.
      mode: ref.format === 'text' ? lstatSync(path, { throwIfNoEntry: false })?.mode : undefined,
      beforeRename: () => {
        if (!lock.stillMine()) throw new LockLost();
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

/** Appends the new messages. The file is not ours alone, so one that cannot be read is left where it is. */
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
  if (!lock.stillMine()) return { failure: lost(lock) };
  try {
    appendToTopic(ref, path, bodies, before as Topic | undefined);
    return { written: path };
  } catch (error) {
    return { failure: writeFailed(path, error) };
  }
}

/** The messages without an id: no file has them yet. */
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
