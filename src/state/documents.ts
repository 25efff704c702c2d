import { closeSync, constants, existsSync, openSync, readFileSync } from 'node:fs';
import type { Document, DocumentRef } from '../core/document';
import { errorCode } from '../core/error-code';
import type { Json } from '../core/json';
import { plainText } from '../exec/quick-look';
import type { Layout } from './layout';
import { containerOf, documentFile } from './layout';
import type { OutwardLink } from './place';
import { placeOf } from './place';
import { above, isReachedStraight, isStraightDirectory } from './straight-places';
import { readTopic } from './topic-read';
import { isStillVersion, readSmallTopic } from './topic-small';

interface Present {
  readonly kind: 'present';
  readonly path: string;
  readonly value: Json;
  readonly version: string;
  /** Whether it was read as a plain file; then the version ends as the file does. */
  readonly plain?: boolean;
}

/** A document and where it really is, for who wants to write it next. */
export type Found =
  | Present
  | { readonly kind: 'missing'; readonly path: string }
  | {
      readonly kind: 'unreadable';
      readonly path: string;
      readonly why: string;
      /** True when the trouble is of the moment, such as too many open files, and not the file's. */
      readonly passing: boolean;
      readonly outward?: OutwardLink;
    };

const LARGEST_BYTES = 16 * 1024 * 1024;

/** What an event has read of JSON, by its file. It reads before the lock and under it, and mostly the same. */
const taken = new WeakMap<Layout, Map<string, Present>>();

/**
 * Reads a document without a lock: a rename shows the whole old file or the whole new one. A link in its place
 * that leads nowhere is nothing; only who wants to write takes a closer look.
 */
export function readDocument(layout: Layout, ref: DocumentRef): Document {
  if (isWithoutPlace(layout, ref)) return { kind: 'missing' };
  const file = documentFile(layout, ref);
  const isThere = existsSync(file);
  if (!isThere && isStraightDirectory(layout, above(file))) return { kind: 'missing' };
  const found = findAt(layout, ref, file, isThere);
  switch (found.kind) {
    case 'present':
      return { kind: 'present', value: found.value, version: found.version };
    case 'missing':
      return { kind: 'missing' };
    case 'unreadable':
      return { kind: 'unreadable', file, why: found.why };
  }
}

function isPlainlyMissing(layout: Layout, ref: DocumentRef): boolean {
  if (isWithoutPlace(layout, ref)) return true;
  const file = documentFile(layout, ref);
  return !existsSync(file) && isStraightDirectory(layout, above(file));
}

function isWithoutPlace({ messages }: Layout, { base }: DocumentRef): boolean {
  return base === 'messages' && messages === undefined;
}

/** What is there of a document that was read before, or `undefined` if it has changed. Its text is not taken apart again. */
export function findUnchanged(layout: Layout, ref: DocumentRef, read: Document): Found | undefined {
  if (read.kind === 'missing' && isPlainlyMissing(layout, ref)) return { kind: 'missing', path: ref.path };
  if (read.kind === 'present' && !isWithoutPlace(layout, ref)) {
    const file = documentFile(layout, ref);
    if (isStill(ref, file, read.version) && isReachedStraight(layout, file, true)) {
      return { ...read, path: file, plain: true };
    }
  }
  const found = findDocument(layout, ref);
  const isSame = found.kind === read.kind && versionOf(found) === versionOf(read);
  return isSame ? found : undefined;
}

function isStill({ topic }: DocumentRef, file: string, version: string): boolean {
  return topic === undefined ? plainText(file, LARGEST_BYTES) === version : isStillVersion(file, version);
}

function versionOf(document: Found | Document): string {
  return document.kind === 'present' ? document.version : '';
}

/** Like `readDocument`. A parse error is looked at twice: other programs write in place. */
export function findDocument(layout: Layout, ref: DocumentRef): Found {
  if (isWithoutPlace(layout, ref)) return { kind: 'missing', path: ref.path };
  const file = documentFile(layout, ref);
  // What was there before is there still, or a closer look tells.
  return findAt(layout, ref, file, taken.get(layout)?.has(file) === true || existsSync(file));
}

function findAt(layout: Layout, ref: DocumentRef, file: string, isThere: boolean): Found {
  try {
    const first = look(layout, ref, file, isThere);
    const isDoubtful = first.kind === 'unreadable' && ref.format === 'json';
    return isDoubtful ? look(layout, ref, file, existsSync(file)) : first;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return { kind: 'missing', path: file };
    const passing = !['EACCES', 'EPERM', 'ELOOP'].includes(code);
    return { kind: 'unreadable', path: file, why: `cannot be read (${code || 'unknown error'})`, passing };
  }
}

/** Nearly always there is a plain file or nothing at all, and no link in sight. */
function look(layout: Layout, ref: DocumentRef, file: string, isThere: boolean): Found {
  if (!isReachedStraight(layout, file, isThere)) return lookClosely(layout, ref, file);
  if (!isThere) return { kind: 'missing', path: file };
  if (ref.topic !== undefined) {
    const small = readSmallTopic(file, ref.topic);
    if (small === undefined) return lookClosely(layout, ref, file);
    return { kind: 'present', path: file, ...small, plain: true };
  }
  const text = plainText(file, LARGEST_BYTES);
  if (text === undefined) return lookClosely(layout, ref, file);
  return ref.format === 'json' ? takenApart(layout, file, text) : parsed(file, text, ref.format);
}

/** The same text is not taken apart again. */
function takenApart(layout: Layout, file: string, text: string): Found {
  const known = taken.get(layout) ?? new Map<string, Present>();
  const last = known.get(file);
  if (last?.version === text) return last;
  const found = parsed(file, text, 'json');
  if (found.kind === 'present') taken.set(layout, known.set(file, found));
  return found;
}

function lookClosely(layout: Layout, { base, format, topic }: DocumentRef, file: string): Found {
  const place = placeOf(containerOf(layout, base), file);
  if (place.kind === 'missing') return place;
  if (place.kind === 'outward') {
    return { kind: 'unreadable', path: file, why: place.why, passing: false, outward: place };
  }
  const { path, stats } = place;
  const bad = (why: string): Found => ({ kind: 'unreadable', path, why, passing: false });
  if (stats.isDirectory()) return bad('is a directory');
  if (!stats.isFile()) return bad('is not a regular file');
  if (topic !== undefined) return { kind: 'present', path, ...readTopic(layout, path, topic) };
  if (stats.size > LARGEST_BYTES) return bad('is larger than 16 MB');
  return parsed(path, readText(path), format);
}

function parsed(path: string, version: string, format: DocumentRef['format']): Found {
  const bad = (why: string): Found => ({ kind: 'unreadable', path, why, passing: false });
  if (format === 'text') return { kind: 'present', path, value: version, version };
  if (version === '') return bad('is empty');
  try {
    const value: Json = JSON.parse(version.charCodeAt(0) === 0xfeff ? version.slice(1) : version);
    return { kind: 'present', path, value, version };
  } catch {
    return bad('is not valid JSON');
  }
}

function readText(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
