import { plainText } from './plain-text';

const MOST_LINES = 20;
const LONGEST_LINE = 300;

/** The last lines of what a gate said, short enough to be shown to an agent. */
export class RecentLines {
  #lines: string[] = [];

  push(line: string): void {
    const plain = plainText(line).trimEnd();
    if (plain === '') return;
    this.#lines.push(plain.length > LONGEST_LINE ? `${plain.slice(0, LONGEST_LINE)}…` : plain);
    if (this.#lines.length > MOST_LINES * 2) this.#lines = this.#lines.slice(-MOST_LINES);
  }

  text(): string {
    return this.#lines.slice(-MOST_LINES).join('\n');
  }
}
