import { withoutBegunCharacter } from './character-boundary';
import { joined, NOTHING } from './joined-bytes';
import { textOf } from './text-of';

/** A line without end would otherwise be held as a whole; what is longer is cut. */
const LONGEST_LINE = 64 * 1024;

/** Cuts a stream of bytes into lines, whatever the borders of its pieces. */
export class LineSplitter {
  readonly #take: (line: string) => void;
  /** The beginning of a character whose rest is still to come. */
  #left = NOTHING;
  #begun = '';

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  push(bytes: Uint8Array): void {
    const all = joined(this.#left, bytes);
    const whole = withoutBegunCharacter(all);
    this.#left = all.slice(whole.length);
    const parts = textOf(whole, 0, whole.length, 'utf8').split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      this.#add(part);
      this.#emit();
    }
    this.#add(last);
  }

  /** Gives out a last line that has no newline. */
  end(): void {
    this.#add(textOf(this.#left, 0, this.#left.length, 'utf8'));
    if (this.#begun !== '') this.#emit();
  }

  #add(part: string): void {
    const room = LONGEST_LINE - this.#begun.length;
    if (room > 0) this.#begun += part.slice(0, room);
  }

  #emit(): void {
    const line = this.#begun.endsWith('\r') ? this.#begun.slice(0, -1) : this.#begun;
    this.#begun = '';
    this.#take(line);
  }
}
