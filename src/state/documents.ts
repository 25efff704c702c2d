import { readFileSync } from 'node:fs';
import type { Document, DocumentRef, TopicMessage } from '../core/document';
import { detailOf, errorCode } from '../core/failure';
import type { Json } from '../core/json';
import { READ_NO_FOLLOW, withPlainFile } from './files';
import { containerOf, documentFile, type Layout, type OutwardLink, placeOf } from './layout';
import { readMessages, readTopic } from './topic';

/** A document and the real path of its file, for whoever is going to write it. */
export type Found =
  | { readonly kind: 'present'; readonly path: string; readonly value: Json; readonly version: string }
  | { readonly kind: 'missing'; readonly path: string }
  | {
      readonly kind: 'unreadable';
      readonly path: string;
      readonly why: string;
      /** True if trying later may help (too many open files); false if the file itself is at fault. */
      readonly isTemporary: boolean;
      readonly outward?: OutwardLink;
    };

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads a document without a lock: thanks to the rename, readers see a whole file. A dangling symlink counts as
 * missing here; only writers treat it as an obstacle.
 */
export function readDocument(layout: Layout, ref: DocumentRef): Document {
  const found = findDocument(layout, ref);
  switch (found.kind) {
    case 'present':
      return { kind: 'present', value: found.value, version: found.version };
    case 'missing':
      return { kind: 'missing' };
    case 'unreadable':
      if (found.outward?.isDangling) return { kind: 'missing' };
      return { kind: 'unreadable', file: documentFile(layout, ref), why: found.why };
  }
}

/** The document again if it is still as it was `read`, otherwise `undefined`. Text that did not change is not parsed. */
export function findUnchanged(layout: Layout, ref: DocumentRef, read: Document): Found | undefined {
  const found = findDocument(layout, ref, read);
  if (found.kind === 'present') {
    return read.kind === 'present' && read.version === found.version ? found : undefined;
  }
  if (found.kind === read.kind) return found;
  const isDangling = found.kind === 'unreadable' && found.outward?.isDangling === true;
  return isDangling && read.kind === 'missing' ? { kind: 'missing', path: found.path } : undefined;
}

/** Like `readDocument`, with the path and the reason. Broken JSON is read twice: other programs write in place. */
export function findDocument(layout: Layout, ref: DocumentRef, known?: Document): Found {
  if (ref.base === 'messages' && layout.messages === undefined) return { kind: 'missing', path: ref.path };
  const found = find(layout, ref, known);
  return found.kind === 'unreadable' && ref.format === 'json' ? find(layout, ref, known) : found;
}

function find(layout: Layout, ref: DocumentRef, known: Document | undefined): Found {
  const file = documentFile(layout, ref);
  try {
    const place = placeOf(containerOf(layout, ref.base), file);
    if (place.kind === 'missing') return place;
    if (place.kind === 'outward') return { ...unreadable(file, place.why), outward: place };
    const { path, stats } = place;
    if (!stats.isFile())
      return unreadable(path, stats.isDirectory() ? 'is a directory' : 'is not a regular file');
    if (ref.topic !== undefined) return { kind: 'present', path, ...readTopic(layout, path, ref.topic) };
    if (stats.size > MAX_BYTES) return unreadable(path, 'is larger than 16 MB');
    const text = withPlainFile(path, READ_NO_FOLLOW, (fd) => readFileSync(fd, 'utf8'));
    if (known?.kind === 'present' && known.version === text) return { ...known, path };
    return parsed(path, text, ref.format);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return { kind: 'missing', path: file };
    const isTemporary = !['EACCES', 'EPERM', 'ELOOP'].includes(code);
    return { ...unreadable(file, `cannot be read (${code || 'unknown error'})`), isTemporary };
  }
}

function unreadable(path: string, why: string): Extract<Found, { kind: 'unreadable' }> {
  return { kind: 'unreadable', path, why, isTemporary: false };
}

function parsed(path: string, text: string, format: DocumentRef['format']): Found {
  if (format === 'text') return { kind: 'present', path, value: text, version: text };
  if (text === '') return unreadable(path, 'is empty');
  try {
    const value: Json = JSON.parse(text.replace(/^\ufeff/, ''));
    return { kind: 'present', path, value, version: text };
  } catch {
    return unreadable(path, 'is not valid JSON');
  }
}

/** The messages of a topic whoever wrote them, for people who look. */
export type TopicHistory =
  | { readonly kind: 'read'; readonly known: boolean; readonly newestFirst: readonly TopicMessage[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly file: string; readonly why: string };

/** The newest messages of a topic, at most `limit`. */
export function topicHistory(layout: Layout, ref: DocumentRef, limit: number): TopicHistory {
  const found = findDocument(layout, ref);
  if (found.kind === 'missing') return found;
  if (found.kind === 'unreadable') return { kind: 'unreadable', file: found.path, why: found.why };
  try {
    const { ids, newestFirst } = readMessages(
      layout,
      found.path,
      ref.topic?.name ?? '',
      (_message, count) => count >= limit,
    );
    return { kind: 'read', known: ids.length > 0, newestFirst };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'missing' };
    return { kind: 'unreadable', file: found.path, why: `cannot be read (${detailOf(error)})` };
  }
}
