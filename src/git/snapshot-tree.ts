import { constants, copyFileSync, rmdirSync, rmSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { detailOf, fail, type Result, succeed } from '../domain/failure';
import type { GitPlace } from '../domain/git-head';
import * as say from './messages';
import { complaintOf, type GitAnswer, runGit } from './run-git';
import { scratchDirectory } from './scratch-directory';
import { stepsAtOnce } from './steps-at-once';

/** The whole work tree as git would commit it, untracked files included, without touching the real index. */
export interface Snapshot {
  readonly tree: string;
  /** An index that holds that tree; gone after `dispose`. */
  readonly index: string;
  /** Files that could not be read, in words for people. */
  readonly warnings: readonly string[];
  /** What the comparison that was announced came to, where it could be made along with the snapshot. */
  readonly compared?: GitAnswer;
  dispose(): void;
}

export interface SnapshotOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute paths that stay as the index has them. */
  readonly leaveOut: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Takes a snapshot with two calls of git. What it will be compared by may be told before, as arguments of git. */
export async function takeSnapshot(
  git: GitPlace,
  options: SnapshotOptions,
  comparison?: readonly string[],
): Promise<Result<Snapshot, string>> {
  const made = copyIndex(git);
  if (!made.ok) return made;
  const dir = made.value;
  const index = join(dir, 'index');
  const dispose = (): void => removeIndex(dir);
  const call = { cwd: git.root, env: options.env, index, signal: options.signal };
  const pathspecs = wanted(git, options);
  const quick = comparison && (await stepsAtOnce(call, pathspecs, comparison));
  if (quick !== undefined) {
    const { tree, compared, added } = quick;
    return succeed({ tree, index, warnings: warningsOf(added), compared, dispose });
  }
  const added = await runGit({ ...call, args: ['add', '-A', '--ignore-errors', '--', ...pathspecs] });
  const written = isUsable(added) ? await runGit({ ...call, args: ['write-tree'] }) : added;
  if (written.code !== 0) {
    dispose();
    return fail(say.noSnapshot(complaintOf(written)));
  }
  return succeed({ tree: written.printed.trim(), index, warnings: warningsOf(added), dispose });
}

/** Step by step, as what removes whole trees takes long to load; whatever git may have left there needs it. */
function removeIndex(dir: string): void {
  try {
    unlinkSync(join(dir, 'index'));
    rmdirSync(dir);
  } catch {
    rmSync(dir, { recursive: true, force: true });
  }
}

function copyIndex(git: GitPlace): Result<string, string> {
  try {
    const dir = scratchDirectory(git);
    const real = join(git.gitDir, 'index');
    const stat = statSync(real, { throwIfNoEntry: false });
    if (stat === undefined) return succeed(dir);
    copyFileSync(real, join(dir, 'index'), constants.COPYFILE_FICLONE);
    // git looks into files that are as new as the index; a newer copy would hide what was changed within its second.
    const seconds = Math.floor(stat.mtimeMs) / 1000;
    utimesSync(join(dir, 'index'), seconds, seconds);
    return succeed(dir);
  } catch (error) {
    return fail(say.noSnapshot(detailOf(error)));
  }
}

/** Everything but what is left out. Pathspecs of that kind alone stand for all the rest. */
function wanted(git: GitPlace, { leaveOut }: SnapshotOptions): string[] {
  return leaveOut.flatMap((path) => {
    const way = relative(git.root, path).split(sep).join('/');
    const isInside = way !== '' && way !== '..' && !way.startsWith('../') && !isAbsolute(way);
    return isInside ? [`:(top,exclude,literal)${way}`] : [];
  });
}

/** Ends with 1 where some files could not be read, and also where what is left out is ignored anyway. */
function isUsable({ code }: GitAnswer): boolean {
  return code === 0 || code === 1;
}

function warningsOf({ said }: GitAnswer): string[] {
  const errors = said.split('\n').filter((line) => line.startsWith('error: '));
  return [...new Set(errors)].map((line) => say.notInSnapshot(line.slice(7)));
}
