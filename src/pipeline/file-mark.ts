import { closeSync, constants, openSync, readSync } from 'node:fs';
import { textOf } from '../process/text-of';

/** Larger files are told apart by size and time. */
const LARGEST_BYTES = 256 * 1024;
const ENDING_BYTES = 64;

/**
 * Something that changes whenever a file does that is short, as a reference of git, or ends in a digest of itself, as
 * its index: the length and the last bytes. `undefined` where that would tell nothing, or cannot be read. To ask
 * for size and time would cost more than to read it.
 */
export function markOf(file: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const bytes = new Uint8Array(LARGEST_BYTES);
    const length = readSync(fd, bytes, 0, LARGEST_BYTES, 0);
    if (length === LARGEST_BYTES) return undefined;
    const ending = textOf(bytes, Math.max(0, length - ENDING_BYTES), length, 'hex');
    // Git may be told to leave the digest out.
    return /^0*$|0{40}$/.test(ending) ? undefined : `${length}-${ending}`;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
