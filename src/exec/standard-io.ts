import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { attempt, detailOf, errorCode, fail, type Result, succeed } from '../core/failure';
import { jsonIn } from '../core/json';

const CHUNK_BYTES = 65_536;
/** Larger than any real event. */
const MAX_BYTES = 64 * 1024 * 1024;
const PAUSE_MS = 2;

/** Blocks the thread: in the hook there is nothing else to do meanwhile. */
export function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Reads everything from a file descriptor, without loading Node's streams. */
export function readAll(fd: number): Result<string> {
  return readPolling(fd, collectInput(false), Number.POSITIVE_INFINITY);
}

/**
 * Reads standard input until it is a complete JSON object, it ends, or the time is up: a host may keep the stream open
 * after sending the object. After a timeout the result is whatever has arrived.
 */
export function readJsonText(withinMs: number): Result<string> | Promise<Result<string>> {
  if (fstatSync(0).isFile()) return readAll(0);
  // Reopens standard input as a non-blocking pipe. That fails for sockets, and without `/proc`.
  const fd = attempt(() => openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK));
  if (fd === undefined) return readStream(withinMs);
  try {
    return readPolling(fd, collectInput(true), Date.now() + withinMs);
  } finally {
    closeSync(fd);
  }
}

/** A non-blocking pipe returns EAGAIN while it is empty, so we sleep a little and retry. */
function readPolling(fd: number, input: ReturnType<typeof collectInput>, deadline: number): Result<string> {
  try {
    while (Date.now() < deadline) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const length = tryRead(fd, buffer);
      if (length === undefined) blockFor(PAUSE_MS);
      else if (length === 0 || input.isEnoughWith(buffer.subarray(0, length))) break;
    }
    return input.result();
  } catch (error) {
    return unreadable(error);
  }
}

function tryRead(fd: number, buffer: Buffer): number | undefined {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EOF') return 0;
    if (code === 'EAGAIN') return undefined;
    throw error;
  }
}

function readStream(withinMs: number): Promise<Result<string>> {
  const input = collectInput(true);
  const { stdin } = process;
  return new Promise((resolve) => {
    const finish = (result: Result<string>): void => {
      clearTimeout(timer);
      stdin.pause();
      resolve(result);
    };
    const timer = setTimeout(() => finish(input.result()), withinMs);
    stdin.on('data', (chunk: Buffer) => {
      if (input.isEnoughWith(chunk)) finish(input.result());
    });
    stdin.on('end', () => finish(input.result()));
    stdin.on('error', (error) => finish(unreadable(error)));
  });
}

function unreadable(error: unknown): Result<string> {
  return fail({ code: 'input.unreadable', detail: detailOf(error) });
}

/** With `endsWithObject`, a complete JSON object is enough. */
function collectInput(endsWithObject: boolean) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const text = (): string => (chunks.length === 1 ? String(chunks[0]) : String(Buffer.concat(chunks)));
  return {
    /** Adds a chunk; true if no more input is needed. */
    isEnoughWith(chunk: Buffer): boolean {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BYTES) return true;
      // Parsing is tried only when the object may be complete, so the number of chunks does not matter.
      const mayBeWhole = endsWithObject && chunk.toString('latin1').trimEnd().endsWith('}');
      return mayBeWhole && jsonIn(text()) !== undefined;
    },
    result(): Result<string> {
      if (bytes <= MAX_BYTES) return succeed(text());
      return fail({ code: 'input.too-large', bytes, limit: MAX_BYTES });
    },
  };
}

/** Writes all of a text. False if that fails: the reader may be gone. */
export function writeAll(fd: number, text: string): boolean {
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

/** Milliseconds of a monotonic clock. Loading `performance` would take longer than most checks. */
export function monotonicMs(): number {
  return process.uptime() * 1000;
}
