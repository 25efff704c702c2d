import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { leftOutLine } from './messages';
import type { LogState } from './run-result';
import { TailRing } from './tail-ring';

/** The end of a long output tells the most, and this much of it is cheap to hold. */
const TAIL_BYTES = 64 * 1024;
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND;

/**
 * A log on disk that a flood cannot fill: all until the limit is near, then only the last part.
 * Written at once, so that what was said before a crash of ours can be read.
 */
export class OutputFile {
  readonly #tail: TailRing;
  #fd: number | undefined;
  #room: number;
  #broken = false;

  /** Throws what the file system says where the file cannot be opened. */
  constructor(file: string, maxBytes: number) {
    const tail = Math.min(TAIL_BYTES, Math.floor(maxBytes / 2));
    this.#room = maxBytes - tail;
    this.#tail = new TailRing(tail);
    this.#fd = openSync(file, APPEND);
  }

  push(bytes: Uint8Array): void {
    const now = bytes.subarray(0, this.#room);
    this.#room -= now.length;
    if (now.length > 0) this.#write(now);
    if (now.length < bytes.length) this.#tail.push(bytes.subarray(now.length));
  }

  close(): LogState {
    const { missing } = this.#tail;
    if (missing > 0) this.#write(Buffer.from(`\n${leftOutLine(missing)}`));
    this.#write(this.#tail.bytes());
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    if (this.#broken) return 'broken';
    return missing > 0 ? 'cut' : 'whole';
  }

  /** A full disk must not end the run: what follows is lost, and the result says so. */
  #write(bytes: Uint8Array): void {
    if (this.#fd === undefined || this.#broken) return;
    try {
      let from = 0;
      while (from < bytes.length) from += writeSync(this.#fd, bytes, from);
    } catch {
      this.#broken = true;
    }
  }
}
