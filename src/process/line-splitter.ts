import { StringDecoder } from 'node:string_decoder';

/** A line without end would otherwise be held as a whole; what is longer is cut. */
const LONGEST_LINE = 64 * 1024;

/** Cuts a stream of bytes into lines, whatever the borders of its pieces. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #take: (line: string) => void;
  #begun = '';

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  push(bytes: Buffer): void {
    const parts = this.#decoder.write(bytes).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      this.#add(part);
      this.#emit();
    }
    this.#add(last);
  }

  /** Gives out a last line that has no newline. */
  end(): void {
    this.#add(this.#decoder.end());
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
