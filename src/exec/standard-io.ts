import { readSync, writeSync } from 'node:fs';
import { errorCode } from '../core/error-code';
import { detailOf, fail, type Result, succeed } from '../core/failure';
import { blockFor } from './block-for';
import { textOf } from './text-of';

/** Most events fit into the first piece. */
const FIRST_CHUNK = 4000;
const CHUNK = 65_536;
/** More than any event has. */
export const LIMIT = 64 * 1024 * 1024;
const PAUSE_MS = 2;

/**
 * Reads a whole stream without Node's stream machinery, which would cost more than the event.
 * Non-blocking pipes answer EAGAIN until data comes, so we wait a little and try again.
 */
export function readAll(fd: number): Result<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let size = FIRST_CHUNK;
  for (;;) {
    const buffer = new Uint8Array(size);
    const read = readSome(fd, buffer);
    if (!read.ok) return read;
    if (read.value === 0) break;
    if (read.value === size) size = CHUNK;
    bytes += read.value;
    if (bytes > LIMIT) return fail({ code: 'input.too-large', bytes, limit: LIMIT });
    chunks.push(buffer.subarray(0, read.value));
  }
  const [only] = chunks;
  const whole = only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, bytes);
  return succeed(textOf(whole, 0, bytes, 'utf8'));
}

function readSome(fd: number, buffer: Uint8Array): Result<number> {
  for (;;) {
    try {
      return succeed(readSync(fd, buffer, 0, buffer.length, null));
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EOF') return succeed(0);
      if (code !== 'EAGAIN') return fail({ code: 'input.unreadable', detail: detailOf(error) });
      blockFor(PAUSE_MS);
    }
  }
}

/** Writes all of a text, and says whether it could: a reader may have gone away. */
export function writeAll(fd: number, text: string): boolean {
  if (text === '') return true;
  const bytes = Buffer.from(text, 'utf8');
  let from = 0;
  while (from < bytes.length) {
    try {
      from += writeSync(fd, bytes, from);
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') return false;
      blockFor(PAUSE_MS);
    }
  }
  return true;
}
