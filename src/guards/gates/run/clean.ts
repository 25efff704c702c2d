import { lstatSync, mkdirSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { detailOf } from '../../../core/failure';
import { takeLease } from './lease';
import type { LeaseHolder } from './lease-holder';
import { ARCHIVE_NAME, STATE_NAME } from './log-dir';
import { currentLogs, filesIn } from './log-files';
import { isLogName } from './log-names';
import { notOurArchive } from './messages';
import { removeLegacyRef } from './state-file';

export type Cleaned =
  | { readonly kind: 'archived'; readonly files: readonly string[] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'locked'; readonly file: string; readonly holder: LeaseHolder }
  | { readonly kind: 'failed'; readonly why: string };

/**
 * The `clean` command: moves logs and state to `previous/`, which forgets the session and the run interval.
 * Without anything to move nothing is touched, and no directory is made.
 */
export function cleanByHand(logDir: string): Cleaned {
  if (!lstatSync(logDir, { throwIfNoEntry: false })) return { kind: 'nothing' };
  try {
    const taken = takeLease(logDir);
    if (taken.kind === 'held') return { kind: 'locked', file: taken.file, holder: taken.holder };
    try {
      const files = [...archiveLogs(logDir), ...archiveState(logDir)];
      return files.length > 0 ? { kind: 'archived', files } : { kind: 'nothing' };
    } finally {
      taken.lease.release();
    }
  } catch (error) {
    return { kind: 'failed', why: detailOf(error) };
  }
}

/**
 * Moves the logs of all runs to `previous/`, which is emptied of the older ones first; without any, it stays
 * as it is. Answers with the names of what was moved. Throws what the file system says.
 */
export function archiveLogs(logDir: string): readonly string[] {
  removeLegacyRef(logDir);
  const { names } = currentLogs(logDir);
  if (names.length === 0) return [];
  const archive = archiveIn(logDir);
  // Anything else in there is not ours to remove.
  const older = filesIn(archive, (name) => isLogName(name) || name === STATE_NAME);
  for (const name of older) if (!names.includes(name)) unlinkSync(join(archive, name));
  for (const name of names) renameSync(join(logDir, name), join(archive, name));
  return names;
}

function archiveState(logDir: string): readonly string[] {
  const file = join(logDir, STATE_NAME);
  if (!lstatSync(file, { throwIfNoEntry: false })) return [];
  renameSync(file, join(archiveIn(logDir), STATE_NAME));
  return [STATE_NAME];
}

/** A link in its place could lead anywhere, and what is there would be removed. */
function archiveIn(logDir: string): string {
  const archive = join(logDir, ARCHIVE_NAME);
  const stat = lstatSync(archive, { throwIfNoEntry: false });
  if (stat && !stat.isDirectory()) throw new Error(notOurArchive(archive));
  if (!stat) mkdirSync(archive, { recursive: true });
  return archive;
}
