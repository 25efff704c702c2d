import { detailOf } from '../../../core/failure';
import { appendText } from './append-text';
import { consoleLogLost } from './messages';
import { plainLines } from './plain-lines';
import type { Reporter, RunEvent } from './request';

/**
 * What a run says: to whoever listens, and to `console.N.log`. The file is begun only when a gate is about
 * to run; what was said before is written into it then, so that runs with nothing to do leave no file.
 */
export class ConsoleLog {
  readonly #reporter: Reporter;
  #kept = '';
  #file: string | undefined;
  #broken = false;

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
  }

  readonly say: Reporter = (event: RunEvent): void => {
    this.#reporter(event);
    const text = plainLines(event)
      .map((line) => `${line}\n`)
      .join('');
    if (text === '') return;
    if (this.#file === undefined) this.#kept += text;
    else this.#append(text);
  };

  /** Throws where the file is there already or cannot be made. */
  open(file: string): void {
    appendText(file, this.#kept, 'new file');
    this.#file = file;
    this.#kept = '';
  }

  #append(text: string): void {
    if (this.#file === undefined || this.#broken) return;
    try {
      appendText(this.#file, text);
    } catch (error) {
      this.#broken = true;
      this.#reporter({ kind: 'warning', text: consoleLogLost(this.#file, detailOf(error)) });
    }
  }
}
