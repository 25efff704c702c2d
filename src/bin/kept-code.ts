import { closeSync, constants, openSync, readSync } from 'node:fs';
import { compareBytes } from '../node/compare-bytes';
import { ENDINGS_AT, HEADER_BYTES } from './first-chunk';

const PIECE_BYTES = 32 * 1024;

/** What V8 made of chunks at earlier events, and how those ended; without code where every ending was met only once. */
export interface Kept {
  readonly code: Uint8Array | undefined;
  readonly endings: number;
}

/** The code of earlier events, read into `bytes`; nothing where none was noted yet, or something else lies there. */
export function readKept(cacheFile: string, bytes: Uint8Array): Kept | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(cacheFile, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (readSync(fd, bytes, 0, HEADER_BYTES, null) !== HEADER_BYTES) return undefined;
    const length = (bytes[0] as number) + 256 * (bytes[1] as number) + 65_536 * (bytes[2] as number);
    const end = HEADER_BYTES + length;
    if (end > bytes.length - PIECE_BYTES) return undefined;
    if (length > 0) readSync(fd, bytes, HEADER_BYTES, length, null);
    const code = bytes.subarray(HEADER_BYTES, end);
    if (!isRepeated(fd, code, bytes.subarray(end, end + PIECE_BYTES))) return undefined;
    return { code: length > 0 ? code : undefined, endings: bytes[ENDINGS_AT] as number };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Whether the same bytes come once more and nothing after them; piece by piece, so that few pages are touched. */
function isRepeated(fd: number, code: Uint8Array, piece: Uint8Array): boolean {
  for (let at = 0; ; ) {
    const read = readSync(fd, piece, 0, PIECE_BYTES, null);
    if (read === 0) return at === code.length;
    if (compareBytes(piece.subarray(0, read), code.subarray(at, at + read)) !== 0) return false;
    at += read;
  }
}
