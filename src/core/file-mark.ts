import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { textOf } from '../exec/text-of';

/** Larger files are told apart by size and time. */
const LARGEST_BYTES = 256 * 1024;
/** A reference of git is shorter, and so is many an index. */
const SHORT_BYTES = 4096;
const ENDING_BYTES = 64;
const NO_DIGEST = '0'.repeat(40);

/**
 * Something that changes whenever a file does that is short, as a reference of git, or ends in a digest of itself, as
 * its index: the length and the last bytes. `undefined` where that would tell nothing, or cannot be read.
 */
export function markOf(file: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const bytes = new Uint8Array(SHORT_BYTES);
    const length = readSync(fd, bytes, 0, SHORT_BYTES, 0);
    if (length === SHORT_BYTES) return markOfLonger(fd, bytes);
    return markFrom(length, textOf(bytes, Math.max(0, length - ENDING_BYTES), length, 'hex'));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function markOfLonger(fd: number, bytes: Uint8Array): string | undefined {
  const { size } = fstatSync(fd);
  if (size < SHORT_BYTES || size >= LARGEST_BYTES) return undefined;
  const length = readSync(fd, bytes, 0, ENDING_BYTES, size - ENDING_BYTES);
  return length === ENDING_BYTES ? markFrom(size, textOf(bytes, 0, length, 'hex')) : undefined;
}

/** Git may be told to leave the digest out. */
function markFrom(length: number, ending: string): string | undefined {
  const isBlank = ending.endsWith(NO_DIGEST) || ending.replaceAll('0', '') === '';
  return isBlank ? undefined : `${length}-${ending}`;
}
