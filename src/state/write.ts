import { lstatSync, renameSync, unlinkSync } from 'node:fs';
import type { Change, DocumentRef, Keeping } from '../core/document';
import { documentKey } from '../core/document';
import type { Failure } from '../core/failure';
import { detailOf } from '../core/failure';
import type { Json } from '../core/json';
import type { Found } from './documents';
import { findDocument } from './documents';
import type { Layout } from './layout';
import type { Lock } from './lock';
import { changeTopic } from './topic-change';
import { discard, syncDirectory, writeTemporary } from './whole-file';

/** What a commit did. Each document stands for itself: one that fails does not stop the others. */
export interface WriteReport {
  readonly written: readonly string[];
  /** Where files that could not be read were moved to, whole. */
  readonly setAside: readonly string[];
  readonly failures: readonly { readonly keeping: Keeping; readonly failure: Failure }[];
}

const LONGEST_SPACED = 64 * 1024;

/** What became of one document. */
export interface Outcome {
  readonly written?: string;
  readonly setAside?: string;
  readonly failure?: Failure;
}

/** Documents that were looked at under the lock already, by their key. */
export type Fresh = ReadonlyMap<string, Found>;

/** Writes the changes under a lock that the caller holds, each document once. */
export function applyChanges(
  layout: Layout,
  lock: Lock,
  changes: readonly Change[],
  fresh?: Fresh,
): WriteReport {
  const byDocument = new Map<string, [Change, ...Change[]]>();
  for (const change of changes) {
    const key = documentKey(change.document);
    const others = byDocument.get(key);
    if (others === undefined) byDocument.set(key, [change]);
    else others.push(change);
  }
  const written: string[] = [];
  const setAside: string[] = [];
  const failures: { keeping: Keeping; failure: Failure }[] = [];
  for (const [key, mine] of byDocument) {
    const ref = mine[0].document;
    const known = fresh?.get(key);
    // Nobody has looked closely at what is missing.
    const found = known?.kind === 'present' ? known : findDocument(layout, ref);
    const outcome = changeDocument(lock, ref, found, mine);
    if (outcome.written !== undefined) written.push(outcome.written);
    if (outcome.setAside !== undefined) setAside.push(outcome.setAside);
    if (outcome.failure) failures.push({ keeping: ref.keeping, failure: outcome.failure });
  }
  return { written, setAside, failures };
}

function changeDocument(lock: Lock, ref: DocumentRef, found: Found, changes: readonly Change[]): Outcome {
  if (ref.format === 'topic') return changeTopic(lock, ref, found, changes);
  const hindrance = found.kind === 'unreadable' ? hindranceOf(found) : undefined;
  if (hindrance) return { failure: hindrance };
  const before = found.kind === 'present' ? found.value : undefined;
  let after = before;
  for (const change of changes) after = change.apply(after);
  if (after === before) return {};
  if (after === undefined) return removeDocument(lock, found.path);
  const isLong = found.kind === 'present' && found.version.length > LONGEST_SPACED;
  const text = textFor(ref, after, isLong);
  // A file that somebody has spaced otherwise is left so where nothing else would change.
  if (before !== undefined && text === textFor(ref, before, isLong)) return {};
  return replaceDocument(lock, ref, found, text);
}

/**
 * JSON is spaced for people to read, up to a length that nobody reads; from there on it only takes time. What is
 * short with its spaces is short without; of what `isLong` that is not even tried.
 */
function textFor(ref: DocumentRef, value: Json, isLong: boolean): string {
  if (ref.format === 'json') {
    const spaced = isLong ? undefined : JSON.stringify(value, null, 2);
    if (spaced !== undefined && spaced.length <= LONGEST_SPACED) return `${spaced}\n`;
    const json = JSON.stringify(value);
    return `${json.length > LONGEST_SPACED ? json : (spaced ?? JSON.stringify(value, null, 2))}\n`;
  }
  if (typeof value === 'string') return value;
  throw new Error(`a text document was given something else: ${ref.path}`);
}

/** What forbids to write at all, as against a broken file, which is moved out of the way. */
function hindranceOf(found: Extract<Found, { kind: 'unreadable' }>): Failure | undefined {
  const { path: file, outward } = found;
  if (outward && !outward.isFile) return { code: 'state.outside', file, target: outward.target };
  return found.passing ? { code: 'state.unreadable', file, detail: found.why } : undefined;
}

function removeDocument(lock: Lock, path: string): Outcome {
  if (!lock.stillMine()) return { failure: { code: 'lock.lost', file: lock.file } };
  try {
    unlinkSync(path);
    return { written: path };
  } catch (error) {
    return { failure: { code: 'state.write-failed', file: path, detail: detailOf(error) } };
  }
}

function replaceDocument(lock: Lock, ref: DocumentRef, found: Found, text: string): Outcome {
  const { path } = found;
  const durable = ref.keeping === 'durable';
  let temporary: string | undefined;
  let setAside: string | undefined;
  try {
    temporary = writeTemporary(path, text, durable, ref.format === 'text' ? modeOf(path) : undefined);
    if (!lock.stillMine()) return { failure: { code: 'lock.lost', file: lock.file } };
    if (found.kind === 'unreadable') setAside = moveAside(path);
    renameSync(temporary, path);
    temporary = undefined;
    if (durable) syncDirectory(path);
    return { written: path, ...(setAside === undefined ? {} : { setAside }) };
  } catch (error) {
    const failure: Failure = { code: 'state.write-failed', file: path, detail: detailOf(error) };
    return { failure, ...(setAside === undefined ? {} : { setAside }) };
  } finally {
    if (temporary !== undefined) discard(temporary);
  }
}

/** A text is somebody's own file: who may read it stays as it was. */
function modeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.mode;
}

function moveAside(path: string): string {
  let time = Date.now();
  const name = () => `${path}.corrupt-${time}-${process.pid}`;
  while (lstatSync(name(), { throwIfNoEntry: false })) time++;
  renameSync(path, name());
  return name();
}
