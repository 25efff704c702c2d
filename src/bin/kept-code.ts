import { closeSync, constants, openSync, readSync } from 'node:fs';
import { HEADER_BYTES } from './first-chunk';

const PIECE_BYTES = 32 * 1024;

/** What V8 made of chunks at an earlier event. */
export interface Kept {
  readonly code: Uint8Array;
  readonly endings: number;
}

/** The code of an earlier event, read into `bytes`; nothing where none is kept yet, or something else lies there. */
export function readKept(cacheFile: string, bytes: Uint8Array): Kept | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(cacheFile, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    readSync(fd, bytes, 0, HEADER_BYTES, null);
    const [low = 0, middle = 0, high = 0, endings = 0] = bytes;
    const end = HEADER_BYTES + low + 256 * middle + 65_536 * high;
    if (end > bytes.length - PIECE_BYTES || readSync(fd, bytes, HEADER_BYTES, end - HEADER_BYTES, null) === 0)
      return undefined;
    const code = bytes.subarray(HEADER_BYTES, end);
    return isRepeated(fd, code, bytes.subarray(end, end + PIECE_BYTES)) ? { code, endings } : undefined;
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
    if (Buffer.compare(piece.subarray(0, read), code.subarray(at, at + read)) !== 0) return false;
    at += read;
  }
}
