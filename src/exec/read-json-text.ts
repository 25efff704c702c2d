import { closeSync, constants, openSync, readSync } from 'node:fs';
import { errorCode } from '../core/error-code';
import { detailOf, fail, type Result, succeed } from '../core/failure';
import { blockFor } from './block-for';
import { hasByteAt } from './quick-look';
import { LIMIT, readAll } from './standard-io';

const CHUNK = 65_536;
const PAUSE_MS = 2;
const CLOSING_BRACE = 0x7d;
const SPACE = 0x20;

/**
 * Reads standard input until it is a whole JSON object, it ends, or the time is over: whoever sent the object
 * may keep the stream open for ever. What comes too late is missing from the answer.
 */
export function readJsonText(withinMs: number): Result<string> | Promise<Result<string>> {
  if (isFile()) return readAll(0);
  const fd = openWithoutWaiting();
  return fd === undefined ? readStream(withinMs) : readPolling(fd, withinMs);
}

/** Where a place can be looked up, reading never waits. */
function isFile(): boolean {
  if (process.platform === 'win32') return false;
  try {
    hasByteAt(0, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESPIPE';
  }
}

/** The same pipe once more, in a way that no reading of it waits. Sockets, and other systems, have no such way. */
function openWithoutWaiting(): number | undefined {
  try {
    return openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

function readPolling(fd: number, withinMs: number): Result<string> {
  const collected = new Collected();
  const deadline = Date.now() + withinMs;
  const buffer = new Uint8Array(CHUNK);
  try {
    while (Date.now() < deadline) {
      const length = readOrNothing(fd, buffer);
      if (length === undefined) blockFor(PAUSE_MS);
      else if (length === 0 || collected.isEnoughWith(buffer.slice(0, length))) break;
    }
    return collected.result();
  } catch (error) {
    return unreadable(error);
  } finally {
    closeSync(fd);
  }
}

function readOrNothing(fd: number, buffer: Uint8Array): number | undefined {
  try {
    return readSync(fd, buffer, 0, buffer.length, null);
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return undefined;
    throw error;
  }
}

/** Node's own stream costs more than the rest of the event, but it can be waited for with a clock. */
function readStream(withinMs: number): Promise<Result<string>> {
  const collected = new Collected();
  const { stdin } = process;
  return new Promise((resolve) => {
    const finish = (result: Result<string>): void => {
      clearTimeout(timer);
      stdin.pause();
      resolve(result);
    };
    const timer = setTimeout(() => finish(collected.result()), withinMs);
    stdin.on('data', (data: Uint8Array) => {
      if (collected.isEnoughWith(data)) finish(collected.result());
    });
    stdin.on('end', () => finish(collected.result()));
    stdin.on('error', (error) => finish(unreadable(error)));
  });
}

function unreadable(error: unknown): Result<string> {
  return fail({ code: 'input.unreadable', detail: detailOf(error) });
}

class Collected {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  isEnoughWith(chunk: Uint8Array): boolean {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    return this.#bytes > LIMIT || (endsWithBrace(chunk) && isJson(this.#text()));
  }

  result(): Result<string> {
    if (this.#bytes > LIMIT) return fail({ code: 'input.too-large', bytes: this.#bytes, limit: LIMIT });
    return succeed(this.#text());
  }

  #text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

/** The whole is parsed only where it may be whole, however many pieces it comes in. */
function endsWithBrace(chunk: Uint8Array): boolean {
  return chunk.findLast((byte) => byte > SPACE) === CLOSING_BRACE;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
