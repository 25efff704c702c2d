import { withoutBegunCharacter, withoutEndedCharacter } from './character-boundary';
import { leftOutLine } from './messages';
import { TailRing } from './tail-ring';

const NEWLINE = 10;

/** The beginning and the end of a stream, at most `limit` bytes together. */
export class CappedOutput {
  readonly #headSize: number;
  readonly #tail: TailRing;
  #head: Buffer | undefined;
  #used = 0;

  constructor(limit: number) {
    this.#headSize = Math.ceil(Math.max(0, limit) / 2);
    this.#tail = new TailRing(Math.max(0, limit) - this.#headSize);
  }

  push(bytes: Buffer): void {
    this.#head ??= Buffer.allocUnsafe(this.#headSize);
    const taken = bytes.copy(this.#head, this.#used);
    this.#used += taken;
    if (taken < bytes.length) this.#tail.push(bytes.subarray(taken));
  }

  get cut(): boolean {
    return this.#tail.missing > 0;
  }

  /** Whole where it fitted; else one line says how much is missing between its two ends. */
  text(): string {
    const head = this.#head?.subarray(0, this.#used) ?? Buffer.alloc(0);
    const tail = this.#tail.bytes();
    if (!this.cut) return Buffer.concat([head, tail]).toString('utf8');
    const first = withoutBegunCharacter(head);
    const last = withoutEndedCharacter(tail);
    const missing = head.length - first.length + this.#tail.missing + tail.length - last.length;
    const newline = first.length === 0 || first.at(-1) === NEWLINE ? '' : '\n';
    return `${first.toString('utf8')}${newline}${leftOutLine(missing)}${last.toString('utf8')}`;
  }
}
