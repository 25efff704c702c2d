import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { attempt, detailOf, fail, type Result, succeed } from '../core/failure';
import { discard } from '../state/files';
import type { GitPlace } from './head';
import { errorLineOf, type GitCall, runGit } from './run-git';

/** The whole work tree as git would commit it, untracked files included. The real index is left alone. */
export interface Snapshot {
  readonly tree: string;
  /** An index file that holds that tree; `dispose` removes it. */
  readonly index: string;
  /** Messages about files that could not be read. */
  readonly warnings: readonly string[];
  dispose(): void;
}

export interface SnapshotOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute paths whose content is taken from the index instead of the work tree. */
  readonly leaveOut: readonly string[];
  readonly signal?: AbortSignal | undefined;
  readonly until?: number | undefined;
}

/** Takes a snapshot, usually with two calls of git. */
export async function takeSnapshot(
  git: GitPlace,
  { env, leaveOut, signal, until }: SnapshotOptions,
): Promise<Result<Snapshot, string>> {
  const failed = (why: string) => fail(`git could not take a snapshot of the work tree: ${why}`);
  let index: string;
  try {
    index = copyIndex(git);
  } catch (error) {
    return failed(detailOf(error));
  }
  // A git that was killed may leave its lock file.
  const dispose = (): void => {
    discard(index);
    discard(`${index}.lock`);
  };
  const call = { cwd: git.root, env, index, signal, until };
  await clearSkipFlags(git, call);
  const excluded = leaveOut
    .map((path) => pathBelow(git.root, path))
    .filter((path) => path !== undefined && path !== '')
    .map((path) => `:(top,exclude,literal)${path}`);
  const added = await runGit({ ...call, args: ['add', '-A', '--ignore-errors', '--', ...excluded] });
  // `git add` exits with 1 if some files could not be read, and also if an excluded path is ignored anyway.
  const isUsable = added.code === 0 || added.code === 1;
  const written = isUsable ? await runGit({ ...call, args: ['write-tree'] }) : added;
  if (written.code !== 0) {
    dispose();
    // The copy has the same damage as the real index, so the message names that one.
    return failed(errorLineOf(written).replaceAll(index, `${git.gitDir}/index`));
  }
  const errors = added.said.split('\n').filter((line) => line.startsWith('error: '));
  const warnings = [...new Set(errors)].map(
    (line) => `git left something out of the snapshot: ${line.slice('error: '.length)}`,
  );
  return succeed({ tree: written.printed.trim(), index, warnings, dispose });
}

type Call = Omit<GitCall, 'args' | 'input'>;

/** Clears the index flags that make git skip files, but not those of files that a sparse checkout leaves out. */
async function clearSkipFlags(git: GitPlace, call: Call): Promise<void> {
  const { assumed, skipped } = flaggedIn(call.index ?? '', git.commonDir);
  const isSparse = existsSync(`${git.gitDir}/info/sparse-checkout`);
  const present = skipped.filter(
    (path) => !isSparse || attempt(() => lstatSync(`${git.root}/${path}`)) !== undefined,
  );
  const marks = [
    ['--no-assume-unchanged', assumed],
    ['--no-skip-worktree', present],
  ] as const;
  for (const [option, paths] of marks) {
    if (paths.length === 0) continue;
    const input = paths.map((path) => `${path}\0`).join('');
    await runGit({ ...call, args: ['update-index', option, '-z', '--stdin'], input });
  }
}

/** A path relative to a directory above it, with slashes; `undefined` if it is not below that directory. */
export function pathBelow(root: string, path: string): string | undefined {
  const below = relative(root, path).split(sep).join('/');
  const isElsewhere = below === '..' || below.startsWith('../') || isAbsolute(below);
  return isElsewhere ? undefined : below;
}

function copyIndex(git: GitPlace): string {
  const index = scratchIndex(git, Date.now());
  const real = `${git.gitDir}/index`;
  const stats = lstatSync(real, { throwIfNoEntry: false });
  // A hard link serves as a copy and keeps the timestamps: git never writes to an index, it replaces it. Some file
  // systems have no hard links, and some users may not create them.
  const isLinked = stats?.isFile() === true && attempt(() => linkSync(real, index) ?? true) === true;
  if (stats === undefined || isLinked) return index;
  copyFileSync(real, index, constants.COPYFILE_FICLONE);
  // Git compares the content of files as new as the index; a newer copy would hide edits of the index's last second.
  const seconds = Math.floor(statSync(real).mtimeMs) / 1000;
  utimesSync(index, seconds, seconds);
  return index;
}

/** The optional extension is for temporary files that git creates beside an index. */
const INDEX_NAME = /^index-\d+-.*[^-.]{6}(?:\.[a-z]+)?$/;
/** Far longer than any snapshot takes. */
const LEFTOVER_AGE_MS = 60 * 60_000;

/** A fresh path for an index of ours inside the repository. Removes what killed processes left there. */
export function scratchIndex({ commonDir }: GitPlace, now: number): string {
  const own = `${commonDir}/holdpoint`;
  mkdirSync(own, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(own)) {
    // `ctime`, since a hard link shares the modification time of the real index.
    const { ctimeMs = now } =
      (INDEX_NAME.test(name) && lstatSync(`${own}/${name}`, { throwIfNoEntry: false })) || {};
    if (now - ctimeMs > LEFTOVER_AGE_MS) rmSync(`${own}/${name}`, { recursive: true, force: true });
  }
  const nonce = Math.random().toString(36).slice(2, 8).padEnd(6, '0');
  return `${own}/index-${process.pid}-${nonce}`;
}

/** Entries that git skips when it compares the work tree: `assume-unchanged` and `skip-worktree`. */
interface Flagged {
  readonly assumed: readonly string[];
  readonly skipped: readonly string[];
}

const NONE: Flagged = { assumed: [], skipped: [] };
/** Bytes before an entry's hash: times, device, inode, mode, owner and size. */
const BEFORE_HASH = 40;
const ASSUME_VALID = 0x8000;
const EXTENDED = 0x4000;
const SKIP_WORKTREE = 0x4000;

/** Reads the flagged entries of an index in git's documented format (versions 2 to 4); none if it cannot be read. */
export function flaggedIn(file: string, commonDir: string): Flagged {
  try {
    const isLong = /^\s*objectformat\s*=\s*sha256\s*$/im.test(readFileSync(`${commonDir}/config`, 'utf8'));
    return flaggedOf(readFileSync(file), isLong ? 32 : 20);
  } catch {
    return NONE;
  }
}

function flaggedOf(bytes: Buffer, hashBytes: number): Flagged {
  if (bytes.toString('latin1', 0, 4) !== 'DIRC') return NONE;
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  const assumed: string[] = [];
  const skipped: string[] = [];
  let entry: Entry = { flags: 0, more: 0, name: Buffer.alloc(0), next: 12 };
  for (let at = 0; at < count; at++) {
    entry = entryAt(bytes, entry, version, hashBytes);
    if ((entry.flags & ASSUME_VALID) !== 0) assumed.push(entry.name.toString('utf8'));
    if ((entry.more & SKIP_WORKTREE) !== 0) skipped.push(entry.name.toString('utf8'));
  }
  return { assumed, skipped };
}

interface Entry {
  readonly flags: number;
  readonly more: number;
  readonly name: Buffer;
  /** Offset of the next entry. */
  readonly next: number;
}

function entryAt(bytes: Buffer, before: Entry, version: number, hashBytes: number): Entry {
  const at = before.next;
  const flags = bytes.readUInt16BE(at + BEFORE_HASH + hashBytes);
  const start = at + BEFORE_HASH + hashBytes + 2;
  const isExtended = version > 2 && (flags & EXTENDED) !== 0;
  const more = isExtended ? bytes.readUInt16BE(start) : 0;
  const from = start + (isExtended ? 2 : 0);
  // Only version 4 shortens a name by the prefix that it shares with the previous one.
  const strip = version === 4 ? varint(bytes, from) : undefined;
  const begin = strip?.next ?? from;
  const end = bytes.indexOf(0, begin);
  if (end < 0) throw new Error('an entry has no end');
  const own = bytes.subarray(begin, end);
  if (strip !== undefined) {
    const shared = before.name.subarray(0, before.name.length - strip.value);
    return { flags, more, name: Buffer.concat([shared, own]), next: end + 1 };
  }
  // Older versions pad entries with one to eight zero bytes.
  return { flags, more, name: own, next: at + (Math.floor((end - at) / 8) + 1) * 8 };
}

/** A number as git encodes offsets: seven bits per byte, adding one for each further byte. */
function varint(bytes: Buffer, from: number): { readonly value: number; readonly next: number } {
  let byte = bytes.readUInt8(from);
  let value = byte & 0x7f;
  let at = from + 1;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(at++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, next: at };
}
