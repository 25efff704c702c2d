import { truncateSync } from 'node:fs';
import { isoTime } from '../../../core/text';
import { appendText } from './append-text';

/**
 * A log of one gate. The first line of each entry carries the time. What cannot be written is lost:
 * a full disk, or a gate that sweeps the directory, must not change how the gate ended.
 */
export class GateLog {
  readonly file: string;
  #bytes = 0;

  constructor(file: string) {
    this.file = file;
  }

  write(...texts: readonly string[]): void {
    const time = isoTime(Date.now());
    const entries = texts.map((text) => `[${time}] ${text}${text.endsWith('\n') ? '' : '\n'}`).join('');
    try {
      appendText(this.file, entries);
      this.#bytes += Buffer.byteLength(entries);
    } catch {
      // See above.
    }
  }

  /** Takes back what others have appended since the last entry, such as a program's output as it came. */
  takeBack(): void {
    try {
      truncateSync(this.file, this.#bytes);
    } catch {
      // Then it stands there twice.
    }
  }
}
