import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  statSync,
  unlinkSync,
  utimesSync,
} from 'node:fs';
import { detailOf, fail, type Result, succeed } from '../core/failure';
import type { GitPlace } from '../core/git-head';
import type { CancelSignal } from '../exec/cancel-signal';
import * as say from './messages';
import { complaintOf, type GitAnswer, runGit } from './run-git';
import { scratchIndex } from './scratch-index';
import { stepsAtOnce } from './steps-at-once';
import { wayBelow } from './way-below';

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
  readonly signal?: CancelSignal | undefined;
}

/** Takes a snapshot with two calls of git. What it will be compared by may be told before, as arguments of git. */
export async function takeSnapshot(
  git: GitPlace,
  options: SnapshotOptions,
  comparison?: readonly string[],
): Promise<Result<Snapshot, string>> {
  const made = copyIndex(git);
  if (!made.ok) return made;
  const index = made.value;
  const dispose = (): void => removeIndex(index);
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

/** With what a git that was killed may have left beside it. */
function removeIndex(index: string): void {
  for (const file of [index, `${index}.lock`]) if (existsSync(file)) unlinkSync(file);
}

function copyIndex(git: GitPlace): Result<string, string> {
  try {
    const index = scratchIndex(git, Date.now());
    const real = `${git.gitDir}/index`;
    const stat = lstatSync(real, { throwIfNoEntry: false });
    if (stat !== undefined && !(stat.isFile() && hasLinked(real, index))) copy(real, index);
    return succeed(index);
  } catch (error) {
    return fail(say.noSnapshot(detailOf(error)));
  }
}

/** A second name is as good as a copy and keeps the times: git never writes to an index, it puts a new one in its place. */
function hasLinked(real: string, index: string): boolean {
  try {
    linkSync(real, index);
    return true;
  } catch {
    // Not every file system has links, and not everybody may make them.
    return false;
  }
}

function copy(real: string, index: string): void {
  const stat = statSync(real);
  copyFileSync(real, index, constants.COPYFILE_FICLONE);
  // git looks into files that are as new as the index; a newer copy would hide what was changed within its second.
  const seconds = Math.floor(stat.mtimeMs) / 1000;
  utimesSync(index, seconds, seconds);
}

/** Everything but what is left out. Pathspecs of that kind alone stand for all the rest. */
function wanted(git: GitPlace, { leaveOut }: SnapshotOptions): string[] {
  return leaveOut.flatMap((path) => {
    const way = wayBelow(git.root, path);
    return way === undefined || way === '' ? [] : [`:(top,exclude,literal)${way}`];
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
