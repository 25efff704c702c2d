import { closeSync, constants, existsSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { errorCode } from '../core/error-code';
import type { Failure } from '../core/failure';
import { detailOf } from '../core/failure';
import type { JsonObject } from '../core/json';
import { hasByteAt } from '../exec/quick-look';
import { journalLine } from './journal-line';
import type { Layout } from './layout';
import { containerOf, isKept, journalFile } from './layout';
import { acquireLock } from './lock';
import { placeOf } from './place';
import { inPrivateDirectory } from './private-directory';
import { isReachedStraight, isSeenStraight } from './straight-places';

const LARGEST_BYTES = 4 * 1024 * 1024;
const ARCHIVES = [3, 2, 1] as const;
const APPEND =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** All files of the journal, the newest first. */
export function journalFiles(layout: Layout): readonly string[] {
  return [journalFile(layout), ...[...ARCHIVES].reverse().map((number) => archiveFile(layout, number))];
}

/**
 * Adds lines by one append, which needs no lock; a power cut may take them, since no decision rests on them.
 * Before that, a journal that has grown too large is put away.
 */
export function appendJournal(
  layout: Layout,
  line: JsonObject,
  ...more: readonly JsonObject[]
): Failure | undefined {
  if (!isKept(layout, 'own')) return undefined;
  const file = journalFile(layout);
  try {
    // In a directory that was seen only the file itself may be a link, and is not opened then.
    const isStraight =
      isSeenStraight(layout, layout.own) || isReachedStraight(layout, file, existsSync(file));
    const outside = isStraight ? undefined : leadsOutside(layout);
    if (outside !== undefined) return outside;
    const bytes = journalLine(line);
    append(layout, more.length === 0 ? bytes : Buffer.concat([bytes, ...more.map(journalLine)]));
    return undefined;
  } catch (error) {
    const outside = errorCode(error) === 'ELOOP' ? leadsOutside(layout) : undefined;
    return outside ?? { code: 'state.write-failed', file, detail: detailOf(error) };
  }
}

function leadsOutside(layout: Layout): Failure | undefined {
  const file = journalFile(layout);
  const place = placeOf(containerOf(layout, 'own'), file);
  return place.kind === 'outward' ? { code: 'state.outside', file, target: place.target } : undefined;
}

function append(layout: Layout, bytes: Buffer): void {
  const file = journalFile(layout);
  const open = (): number => inPrivateDirectory(file, () => openSync(file, APPEND, 0o600));
  let fd: number | undefined = open();
  try {
    if (hasByteAt(fd, LARGEST_BYTES - bytes.length)) {
      closeSync(fd);
      fd = undefined;
      rotate(layout, bytes.length);
      fd = open();
    }
    if (writeSync(fd, bytes) === bytes.length) return;
    // So that at least the next line does not continue this one.
    writeSync(fd, '\n');
    throw new Error('only a part was written');
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Whoever gets the lock at once does it; the others go on appending, into whichever file they opened. */
function rotate(layout: Layout, adding: number): void {
  const lock = acquireLock(`${layout.own}/journal.lock`, 0);
  if (!lock.ok) return;
  try {
    const size = statSync(journalFile(layout), { throwIfNoEntry: false })?.size ?? 0;
    if (size + adding <= LARGEST_BYTES) return;
    for (const number of ARCHIVES) {
      const newer = number === 1 ? journalFile(layout) : archiveFile(layout, number - 1);
      moveIfThere(newer, archiveFile(layout, number));
    }
  } catch {
    // A journal that cannot be put away grows on: better than a line that is lost.
  } finally {
    lock.value.release();
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

function archiveFile(layout: Layout, number: number): string {
  return `${layout.own}/journal.${number}.jsonl`;
}
