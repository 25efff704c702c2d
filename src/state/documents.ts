import { lstatSync, readFileSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, normalize, resolve, sep } from 'node:path';
import type { Who } from '../core/actor';
import { errorCode } from '../core/failure';
import type { Json } from '../core/json';
import type { GitPlace } from '../git/head';
import { READ_NO_FOLLOW, withPlainFile } from './files';
import { readTopic } from './topic';

/**
 * Where a document is stored, independent of the machine:
 * - `git`: the git common directory (`.holdpoint/` at the root where there is no git)
 * - `own`: our own directory inside it
 * - `project`: the root of the work tree
 * - `home`: the user's home
 * - `messages`: the nearest message store (`.jwz` or `.zawinski`) above the event's directory
 */
export type DocumentBase = 'git' | 'own' | 'project' | 'home' | 'messages';

/**
 * What a lost write would mean:
 * - `durable`: synced to disk; decisions may depend on it
 * - `counted`: replaced atomically, not synced; holding a turn depends on it
 * - `bookkeeping`: replaced atomically, not synced; no decision depends on it
 */
export type Durability = 'durable' | 'counted' | 'bookkeeping';

export interface DocumentRef {
  readonly base: DocumentBase;
  /** Relative to the base, with forward slashes. */
  readonly path: string;
  readonly format: 'json' | 'text' | 'topic';
  readonly durability: Durability;
  /** Which messages of the file to read; only with format `topic`. */
  readonly topic?: TopicAsk;
}

/** One topic of a message file, read backwards up to a message of this session or of no session. */
export interface TopicAsk {
  readonly name: string;
  readonly session: string;
  /** `unwanted`: if there is no message of this session, leaves out those of other sessions. */
  readonly others?: 'unwanted';
  /** For people: the newest messages of all sessions, at most this many. */
  readonly most?: number;
}

/** One message of a topic; without an id it has not been written yet. */
export type TopicMessage = {
  readonly id?: string;
  /** Milliseconds since the epoch. */
  readonly at?: number;
  readonly body: string;
};

/**
 * The value of a document of format `topic`: the newest messages, oldest first. A change returns it with messages added
 * at the end; they are appended to the file, and nothing in the file is rewritten.
 */
export type Topic = {
  /** The directory of the file. */
  readonly dir: string;
  /** Whether the file contains a record of the topic. */
  readonly known: boolean;
  /** The id that new messages are added under, if known. */
  readonly id?: string;
  readonly messages: readonly TopicMessage[];
};

/** A document as found on disk. Unreadable is not an error: the content is just ignored. */
export type Document =
  | { readonly kind: 'present'; readonly value: Json; readonly version: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly file: string; readonly why: string };

/**
 * A change to one document. `apply` is pure and idempotent: it gets the value on disk at the moment of writing
 * (`undefined` if missing or unreadable) and returns the new one. The same value means nothing to write; `undefined`
 * deletes the file.
 */
export interface Change {
  readonly document: DocumentRef;
  /** A short description for the journal, such as `triggered commit_plan`. */
  readonly what: string;
  /** Who made the change and how, if the event alone does not tell. */
  readonly by?: Who;
  /** The reason to hold the call if this cannot be written: the permission it uses up could be used again. */
  readonly holdIfUnwritten?: string;
  apply(current: Json | undefined): Json | undefined;
}

export function documentKey(ref: DocumentRef): string {
  return `${ref.base}:${ref.path}`;
}

/** The directories of one project on this machine, one for each document base. */
export interface Layout {
  readonly root: string;
  readonly git: string;
  readonly own: string;
  readonly home: string;
  readonly messages?: string;
  /** The project's lock if it has no state directory; then only `messages` and `project` are written. */
  readonly soleLock?: string;
}

/** Our own directory in a project: config, and state where there is no git. */
export const OWN_DIR = '.holdpoint';

/** Where a project keeps its state; `undefined` without git and without our own directory. */
export function layoutOf(
  root: string,
  git: GitPlace | undefined,
  home: string,
  hasOwnDir: boolean,
): Layout | undefined {
  if (git) return { root, git: git.commonDir, own: `${git.commonDir}/holdpoint`, home };
  if (!hasOwnDir) return undefined;
  const dir = `${root}/${OWN_DIR}`;
  return { root, git: dir, own: `${dir}/state`, home };
}

/** An empty path segment, `.` or `..`: only paths with one need normalizing. */
const ODD_STEP = /(?:^|\/)(?:\.{0,2})(?:\/|$)/;

/** The absolute path of a document. Throws if the path leaves its base, since that is an internal error. */
export function documentFile(layout: Layout, ref: DocumentRef): string {
  const path = ODD_STEP.test(ref.path) ? normalize(ref.path) : ref.path;
  if (isAbsolute(path) || path === '.' || path === '..' || path.startsWith(`..${sep}`)) {
    throw new Error(`document path leaves its base: ${ref.path}`);
  }
  return `${directoryOf(layout, ref.base)}/${path}`;
}

/**
 * The directory that no symlink below it may lead out of. A directory that we create could be replaced by a symlink, so
 * its container is the directory above, which the user gave us.
 */
export function containerOf(layout: Layout, base: DocumentBase): string {
  switch (base) {
    case 'git':
    case 'own':
      return layout.git === `${layout.root}/${OWN_DIR}` ? layout.root : layout.git;
    case 'messages':
      return dirname(directoryOf(layout, base));
    case 'project':
    case 'home':
      return directoryOf(layout, base);
  }
}

export function isKept({ soleLock }: Layout, base: DocumentBase): boolean {
  return soleLock === undefined || base === 'messages' || base === 'project';
}

/** The lock that covers all documents of the project. */
export function projectLockFile(layout: Layout): string {
  return layout.soleLock ?? `${layout.own}/lock`;
}

function directoryOf(layout: Layout, base: DocumentBase): string {
  if (base === 'project') return layout.root;
  const directory = layout[base];
  if (directory === undefined) throw new Error('there is no message store here');
  return directory;
}

/** A symlink on the path to a file that is broken or leads out of the container. */
export interface OutwardLink {
  readonly kind: 'outward';
  readonly link: string;
  readonly target: string;
  readonly why: string;
  /** True if the file itself is the symlink, false if a directory above it is. */
  readonly isFile: boolean;
  /** True if the target does not exist. */
  readonly isDangling: boolean;
}

/** Where a file really is, after following symlinks inside its container. */
export type Place =
  | { readonly kind: 'found'; readonly path: string; readonly stats: Stats }
  | { readonly kind: 'missing'; readonly path: string }
  | OutwardLink;

/**
 * Checks every path segment between container and file, so that no symlink leads outside unnoticed. The container
 * itself may be a symlink. Throws errors of `lstat`, except for a missing file.
 */
export function placeOf(container: string, file: string): Place {
  const steps = stepsBelow(container, file);
  let path = container;
  for (const [index, step] of steps.entries()) {
    path = `${path}/${step}`;
    const isFile = index === steps.length - 1;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return { kind: 'missing', path: [path, ...steps.slice(index + 1)].join('/') };
    if (stats.isSymbolicLink()) {
      const real = followInside(container, path, isFile);
      if (typeof real !== 'string') return real;
      path = real;
      if (isFile) return { kind: 'found', path, stats: lstatSync(path) };
    } else if (isFile) {
      return { kind: 'found', path, stats };
    }
  }
  throw new Error(`nothing below ${container}: ${file}`);
}

function stepsBelow(container: string, file: string): string[] {
  const base = container.endsWith(sep) ? container : container + sep;
  if (!file.startsWith(base)) throw new Error(`not below ${container}: ${file}`);
  return file.slice(base.length).split(sep);
}

function followInside(container: string, link: string, isFile: boolean): string | OutwardLink {
  let target: string;
  try {
    target = realpathSync.native(link);
  } catch {
    target = resolve(dirname(link), readlinkSync(link));
    const why = `is reached by a broken symlink: ${target}`;
    return { kind: 'outward', link, target, why, isFile, isDangling: true };
  }
  const inside = realpathSync.native(container) + sep;
  if (target.startsWith(inside)) return target;
  const why = `is reached by a symlink that leaves ${container}: ${target}`;
  return { kind: 'outward', link, target, why, isFile, isDangling: false };
}

/** A document and the real path of its file, for writers. */
export type Found =
  | { readonly kind: 'present'; readonly path: string; readonly value: Json; readonly version: string }
  | { readonly kind: 'missing'; readonly path: string }
  | {
      readonly kind: 'unreadable';
      readonly path: string;
      readonly why: string;
      /** True if a retry may help (too many open files); false if the file itself is the problem. */
      readonly isTemporary: boolean;
      readonly outward?: OutwardLink;
    };

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads a document without a lock: writers rename, so readers see a complete file. A dangling symlink counts as missing
 * here; only writers treat it as an obstacle.
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

/** The document if it has not changed since `read`, otherwise `undefined`. Unchanged text is not parsed again. */
export function findUnchanged(layout: Layout, ref: DocumentRef, read: Document): Found | undefined {
  const found = findDocument(layout, ref, read);
  if (found.kind === 'present') {
    return read.kind === 'present' && read.version === found.version ? found : undefined;
  }
  if (found.kind === read.kind) return found;
  const isDangling = found.kind === 'unreadable' && found.outward?.isDangling === true;
  return isDangling && read.kind === 'missing' ? { kind: 'missing', path: found.path } : undefined;
}

/** Like `readDocument`, with path and reason. Broken JSON is read twice: another program may be writing in place. */
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
    if (ref.topic !== undefined)
      return { kind: 'present', path, ...readTopic(path, ref.topic, ref.base === 'messages') };
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
    const value: Json = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
    return { kind: 'present', path, value, version: text };
  } catch {
    return unreadable(path, 'is not valid JSON');
  }
}
