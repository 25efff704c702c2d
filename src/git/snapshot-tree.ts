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
import { discard, withPlainFile } from '../state/files';
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
  if (!mayHaveFlags(call.index ?? '', git.commonDir)) return;
  const { printed } = await runGit({ ...call, args: ['ls-files', '-v', '-z'] });
  // Small letters stand for `assume-unchanged`, an S for `skip-worktree`.
  const flagged = Array.from(printed.matchAll(/(?:^|\0)([a-zS]) ([^\0]+)/g), ([, tag = '', path = '']) => ({
    tag,
    path,
  }));
  const isSparse = existsSync(`${git.gitDir}/info/sparse-checkout`);
  const isLeftOut = (path: string): boolean =>
    isSparse && attempt(() => lstatSync(`${git.root}/${path}`)) === undefined;
  const assumed = flagged.filter(({ tag }) => tag !== 'S');
  const skipped = flagged.filter(({ tag, path }) => tag.toUpperCase() === 'S' && !isLeftOut(path));
  const marks = [
    ['--no-assume-unchanged', assumed],
    ['--no-skip-worktree', skipped],
  ] as const;
  for (const [option, files] of marks) {
    if (files.length === 0) continue;
    const input = files.map(({ path }) => `${path}\0`).join('');
    await runGit({ ...call, args: ['update-index', option, '-z', '--stdin'], input });
  }
}

/** Bytes before an entry's hash: times, device, inode, mode, owner and size. */
const BEFORE_HASH = 40;
/** `assume-unchanged`, and that more flags follow. */
const ANY_FLAG = 0xc000;

/** Whether an index in git's documented format (versions 2 to 4) has such flags, or keeps them in another file. */
function mayHaveFlags(index: string, commonDir: string): boolean {
  if (!existsSync(index)) return false;
  try {
    const bytes = readFileSync(index);
    const config = withPlainFile(`${commonDir}/config`, constants.O_RDONLY, (fd) => readFileSync(fd, 'utf8'));
    const isLong = /^\s*objectformat\s*=\s*sha256\s*$/im.test(config);
    const flagsAt = BEFORE_HASH + (isLong ? 32 : 20);
    const isPadded = bytes.readUInt32BE(4) < 4;
    let at = 12;
    for (let left = bytes.readUInt32BE(8); left > 0; left--) {
      if ((bytes.readUInt16BE(at + flagsAt) & ANY_FLAG) !== 0) return true;
      let name = at + flagsAt + 2;
      // In version 4, a number of several bytes says how much of the name before is shared.
      if (!isPadded) while ((bytes.readUInt8(name++) & 0x80) !== 0);
      const end = bytes.indexOf(0, name);
      if (end < 0) return true;
      at = isPadded ? at + (Math.floor((end - at) / 8) + 1) * 8 : end + 1;
    }
    return bytes.toString('latin1', at, at + 4) === 'link';
  } catch {
    return true;
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
  // Opening a pipe would wait for a writer.
  if (!statSync(real).isFile()) throw new Error(`${real} is not a regular file`);
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
