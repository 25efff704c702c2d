import { closeSync, constants, openSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { waitAtMost } from './process-group';

export interface RunOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly cut: boolean;
  /** Whether the log has all of it. */
  readonly isLogged: boolean;
}

export interface OutputSpec {
  /** How many bytes of each stream are kept: its beginning and its end, without the middle. */
  readonly maxBytesInMemory: number;
  /** A file that both streams are appended to in the order of arrival. If there is too much, the middle is left out. */
  readonly log?: { readonly file: string; readonly maxBytes: number };
  /** Called for each line of either stream while the program runs. */
  onLine?(line: string): void;
}

/** How long a pipe may stay open without output once its program has ended. */
const SILENCE_MS = 50;
/** Limits `drain`: a process that we cannot kill may hold a pipe and write for ever. */
const MAX_ROUNDS = 20;

/** Collects output in memory and in its log, and passes lines to a listener. Throws if the log cannot be opened. */
export function collectOutput({ maxBytesInMemory, log: wanted, onLine }: OutputSpec) {
  const kept = { stdout: new CappedOutput(maxBytesInMemory), stderr: new CappedOutput(maxBytesInMemory) };
  const log = wanted && openLog(wanted.file, wanted.maxBytes);
  const open = new Set<Readable>();
  let received = 0;
  let allClosed = (): void => undefined;
  return {
    listen(name: 'stdout' | 'stderr', stream: Readable): void {
      const lines = onLine && splitLines(onLine);
      open.add(stream);
      stream.on('data', (bytes: Buffer) => {
        received += bytes.length;
        kept[name].push(bytes);
        log?.push(bytes);
        lines?.push(bytes);
      });
      // A broken pipe brings no more output; its `close` follows.
      stream.on('error', () => undefined);
      stream.on('close', () => {
        open.delete(stream);
        lines?.end();
        if (open.size === 0) allClosed();
      });
    },

    /** Reads what is left in the pipes, then closes them: other processes may hold them open. */
    async drain(): Promise<void> {
      const closed = new Promise<void>((resolve) => {
        allClosed = resolve;
      });
      for (let round = 0; round < MAX_ROUNDS && open.size > 0; round++) {
        const before = received;
        await waitAtMost(SILENCE_MS, closed);
        // On a busy machine the timer fires before the pipes are read; one more turn of the event loop reads them.
        await new Promise(setImmediate);
        if (received === before) break;
      }
      for (const stream of open) stream.destroy();
    },

    finish(): RunOutput {
      const { stdout, stderr } = kept;
      const cut = stdout.cut || stderr.cut;
      return { stdout: stdout.text(), stderr: stderr.text(), cut, isLogged: log?.close() ?? false };
    },
  };
}

const NEWLINE = 10;

/** Keeps the beginning and the end of a stream, together at most `limit` bytes. */
export class CappedOutput {
  readonly #headSize: number;
  readonly #tail: TailRing;
  #head: Buffer | undefined;
  #used = 0;

  constructor(limit: number) {
    this.#headSize = Math.ceil(limit / 2);
    this.#tail = new TailRing(limit - this.#headSize);
  }

  push(bytes: Buffer): void {
    this.#head ??= Buffer.alloc(this.#headSize);
    const taken = bytes.copy(this.#head, this.#used);
    this.#used += taken;
    if (taken < bytes.length) this.#tail.push(bytes.subarray(taken));
  }

  get cut(): boolean {
    return this.#tail.missing > 0;
  }

  /** The whole output if it fits; otherwise both ends, with a line in between that says how much is missing. */
  text(): string {
    if (this.#head === undefined) return '';
    const head = this.#head.subarray(0, this.#used);
    const tail = this.#tail.bytes();
    if (!this.cut) return Buffer.concat([head, tail]).toString('utf8');
    const newline = head.length === 0 || head.at(-1) === NEWLINE ? '' : '\n';
    return `${head.toString('utf8')}${newline}${leftOutLine(this.#tail.missing)}${tail.toString('utf8')}`;
  }
}

/** The end of a long output tells the most; this much of it is cheap to keep in memory. */
const LOG_TAIL_BYTES = 64 * 1024;
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND;

/** A log file of limited size: written through until the limit is near, after that only the end is kept. */
function openLog(file: string, maxBytes: number) {
  const tail = new TailRing(Math.min(LOG_TAIL_BYTES, Math.floor(maxBytes / 2)));
  const fd = openSync(file, APPEND);
  let room = maxBytes - tail.size;
  let broken = false;
  // A full disk must not end the run: the rest is lost, and the result says `broken`.
  const write = (bytes: Buffer): void => {
    try {
      for (let from = 0; from < bytes.length && !broken; ) from += writeSync(fd, bytes, from);
    } catch {
      broken = true;
    }
  };
  return {
    push(bytes: Buffer): void {
      const now = bytes.subarray(0, room);
      room -= now.length;
      write(now);
      if (now.length < bytes.length) tail.push(bytes.subarray(now.length));
    },
    /** Whether everything was written. */
    close(): boolean {
      const { missing } = tail;
      if (missing > 0) write(Buffer.from(`\n${leftOutLine(missing)}`));
      write(tail.bytes());
      closeSync(fd);
      return !broken && missing === 0;
    },
  };
}

/** The last `size` bytes of a stream, in constant memory however many or small the chunks. */
class TailRing {
  readonly size: number;
  #ring: Buffer | undefined;
  #at = 0;
  #total = 0;

  constructor(size: number) {
    this.size = size;
  }

  push(bytes: Buffer): void {
    this.#total += bytes.length;
    const last = bytes.subarray(Math.max(0, bytes.length - this.size));
    if (last.length === 0) return;
    this.#ring ??= Buffer.alloc(this.size);
    const fits = last.copy(this.#ring, this.#at);
    last.copy(this.#ring, 0, fits);
    this.#at = (this.#at + last.length) % this.size;
  }

  /** How many bytes were pushed and then overwritten. */
  get missing(): number {
    return Math.max(0, this.#total - this.size);
  }

  bytes(): Buffer {
    if (this.#ring === undefined) return Buffer.alloc(0);
    if (this.#total < this.size) return this.#ring.subarray(0, this.#at);
    return Buffer.concat([this.#ring.subarray(this.#at), this.#ring.subarray(0, this.#at)]);
  }
}

/** Longer lines are cut, so that output without newlines does not fill the memory. */
const MAX_LINE_LENGTH = 64 * 1024;

function splitLines(take: (line: string) => void) {
  const decoder = new StringDecoder('utf8');
  let line = '';
  const emit = (): void => {
    const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
    line = '';
    take(whole);
  };
  const add = (text: string): void => {
    text.split('\n').forEach((part, at) => {
      if (at > 0) emit();
      line += part.slice(0, MAX_LINE_LENGTH - line.length);
    });
  };
  return {
    push: (bytes: Buffer): void => add(decoder.write(bytes)),
    end(): void {
      add(decoder.end());
      if (line !== '') emit();
    },
  };
}

function leftOutLine(bytes: number): string {
  return `[… ${bytes} bytes left out …]\n`;
}
