import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { isJsonObject, type JsonObject, jsonIn } from '../core/json';

const FIRST_BYTES = 256 * 1024;
/** A longer line is no entry that matters; its end is looked for, and nothing of it is kept. */
const LONGEST_LINE = 128 * 1024 * 1024;
const NEW_LINE = 0x0a;

/**
 * The lines of a file, without their ends, in memory that does not grow with the file. Each counts only until the next
 * one is asked for. `onRead` is told how many bytes were read.
 */
export function* linesOf(path: string, onRead: (bytes: number) => void = () => undefined): Generator<Buffer> {
  const fd = openSync(path, 'r');
  try {
    let buffer: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
    let filled = 0;
    for (;;) {
      if (filled === buffer.length) buffer = grown(buffer, filled);
      const read = readSync(fd, buffer, filled, buffer.length - filled, null);
      if (read === 0) break;
      onRead(read);
      let begin = 0;
      let end = buffer.indexOf(NEW_LINE, filled);
      filled += read;
      for (; end >= 0 && end < filled; end = buffer.indexOf(NEW_LINE, begin)) {
        yield buffer.subarray(begin, end);
        begin = end + 1;
      }
      buffer.copyWithin(0, begin, filled);
      filled -= begin;
    }
    if (filled > 0) yield buffer.subarray(0, filled);
  } finally {
    closeSync(fd);
  }
}

function grown(buffer: Buffer, filled: number): Buffer {
  if (buffer.length >= LONGEST_LINE) throw new Error('has a line that is longer than 128 MB');
  const larger = Buffer.allocUnsafe(buffer.length * 2);
  buffer.copy(larger, 0, 0, filled);
  return larger;
}

/** Whether a line looks like a whole entry; what a client was killed over does not. */
export function isWhole(line: Buffer): boolean {
  const last = line.at(-1) === 0x0d ? line.at(-2) : line.at(-1);
  return line[0] === 0x7b && last === 0x7d;
}

export function entryIn(line: Buffer): JsonObject | undefined {
  const value = jsonIn(line.toString('utf8'));
  return isJsonObject(value) ? value : undefined;
}

const LARGEST_DOCUMENT = 64 * 1024 * 1024;

/** The entries of a session that is one JSON document: what it says of itself, then its messages. */
export function entriesInDocument(path: string): readonly JsonObject[] {
  const fd = openSync(path, 'r');
  try {
    if (fstatSync(fd).size > LARGEST_DOCUMENT) return [];
    const value = jsonIn(readFileSync(fd, 'utf8'));
    if (!isJsonObject(value)) return [];
    const { messages, ...rest } = value;
    return [rest, ...(Array.isArray(messages) ? messages.filter(isJsonObject) : [])];
  } finally {
    closeSync(fd);
  }
}
