import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { detailOf } from '../core/failure';
import type { GitPlace, HeadPosition } from '../core/git-head';
import { plainText } from '../exec/quick-look';
import type { AskGit } from './head';
import { branchOf, commitIn, usesReftable } from './refs';

/** What HEAD holds where the references are kept in a reftable, so that older gits refuse to go on. */
const NOT_HERE = 'refs/heads/.invalid';
/** No HEAD is larger. */
const LARGEST_BYTES = 64 * 1024;

/** Where HEAD points; git itself is asked only where a file cannot tell. */
export function readPosition(place: GitPlace, askGit: AskGit): HeadPosition {
  const file = `${place.gitDir}/HEAD`;
  try {
    const written = headIn(file);
    const elsewhere = written === NOT_HERE || usesReftable(place.commonDir);
    return positionOf(elsewhere ? headByGit(place.root, askGit) : written, place.gitDir);
  } catch (error) {
    return { kind: 'unreadable', file, why: detailOf(error) };
  }
}

function positionOf(target: string, gitDir: string): HeadPosition {
  const branch = branchOf(target);
  if (branch !== undefined) return { kind: 'branch', branch };
  const commit = commitIn(target);
  if (commit === undefined) throw new Error('it names neither a branch nor a commit');
  const rebased = branchBeingRebased(gitDir);
  return rebased === undefined ? { kind: 'detached', commit } : { kind: 'rebase', branch: rebased, commit };
}

/** The full name of a reference, or a commit. HEAD as a symbolic link is how git began, and still valid. */
function headIn(file: string): string {
  const text = plainText(file, LARGEST_BYTES) ?? closerLook(file);
  return text.startsWith('ref:') ? text.slice(4).trim() : (commitIn(text) ?? '');
}

function closerLook(file: string): string {
  const stat = lstatSync(file);
  if (stat.isSymbolicLink()) {
    const link = readlinkSync(file);
    if (link.startsWith('refs/')) return `ref: ${link}`;
  } else if (!stat.isFile()) {
    // A pipe in its place would be waited for without end.
    throw new Error('it is not a plain file');
  }
  return readFileSync(file, 'utf8');
}

function headByGit(root: string, askGit: AskGit): string {
  const said =
    askGit(root, ['symbolic-ref', '--quiet', 'HEAD']) ??
    askGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  if (said === undefined) throw new Error('its references are in a reftable, and git did not read it');
  return said.trim();
}

/** Both ways of rebasing leave the branch's name in a file; a detached HEAD that is rebased has none. */
function branchBeingRebased(gitDir: string): string | undefined {
  for (const way of ['rebase-merge', 'rebase-apply']) {
    try {
      const branch = branchOf(readFileSync(join(gitDir, way, 'head-name'), 'utf8').trim());
      if (branch !== undefined) return branch;
    } catch {
      // No rebase of this kind is going on.
    }
  }
  return undefined;
}
