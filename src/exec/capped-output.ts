import { withoutBegunCharacter, withoutEndedCharacter } from './character-boundary';
import { joined } from './joined-bytes';
import { leftOutLine } from './messages';
import { TailRing } from './tail-ring';
import { textOf } from './text-of';

const NEWLINE = 10;

/** The beginning and the end of a stream, at most `limit` bytes together. */
export class CappedOutput {
  readonly #headSize: number;
  readonly #tail: TailRing;
  #head: Uint8Array | undefined;
  #used = 0;

  constructor(limit: number) {
    this.#headSize = Math.ceil(Math.max(0, limit) / 2);
    this.#tail = new TailRing(Math.max(0, limit) - this.#headSize);
  }

  push(bytes: Uint8Array): void {
    this.#head ??= new Uint8Array(this.#headSize);
    const taken = Math.min(bytes.length, this.#headSize - this.#used);
    this.#head.set(bytes.subarray(0, taken), this.#used);
    this.#used += taken;
    if (taken < bytes.length) this.#tail.push(bytes.subarray(taken));
  }

  get cut(): boolean {
    return this.#tail.missing > 0;
  }

  /** Whole where it fitted; else one line says how much is missing between its two ends. */
  text(): string {
    if (this.#head === undefined) return '';
    const head = this.#head.subarray(0, this.#used);
    const tail = this.#tail.bytes();
    if (!this.cut) return whole(joined(head, tail));
    const first = withoutBegunCharacter(head);
    const last = withoutEndedCharacter(tail);
    const missing = head.length - first.length + this.#tail.missing + tail.length - last.length;
    const newline = first.length === 0 || first.at(-1) === NEWLINE ? '' : '\n';
    return `${whole(first)}${newline}${leftOutLine(missing)}${whole(last)}`;
  }
}

function whole(bytes: Uint8Array): string {
  return textOf(bytes, 0, bytes.length, 'utf8');
}
