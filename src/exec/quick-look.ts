import { closeSync, constants, lstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { textOf } from './text-of';

/*
 * Looks at files without Node's `Stats`: to make the first of them costs more than everything that
 * an event reads.
 */

const ONE_BYTE = new Uint8Array(1);
/** Nearly everything that an event reads is smaller. */
const SMALL_BYTES = 64 * 1024;

/** The text of a regular file that is no link and has at most so many bytes; `undefined` where a closer look is needed. */
export function plainText(file: string, mostBytes: number): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return hasByteAt(fd, Math.min(SMALL_BYTES, mostBytes))
      ? largeText(fd, mostBytes)
      : readFileSync(fd, 'utf8');
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** In one piece: what Node reads a large text with grows as it goes, and every page of that costs. */
function largeText(fd: number, mostBytes: number): string | undefined {
  const bytes = new Uint8Array(mostBytes + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(fd, bytes, length, bytes.length - length, length);
  }
  return length > mostBytes ? undefined : textOf(bytes, 0, length, 'utf8');
}

/** Whether a file goes on at that place. Throws for directories, pipes and the like, where no place can be looked up. */
export function hasByteAt(fd: number, place: number): boolean {
  return readSync(fd, ONE_BYTE, 0, 1, place) > 0;
}

/** A link that leads nowhere is something. Of what is missing no `Stats` are made, so that is cheap to ask. */
export function isNothing(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined;
}
