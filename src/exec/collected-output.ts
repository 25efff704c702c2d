import { CappedOutput } from './capped-output';
import type { ChildPipe } from './child';
import { LineSplitter } from './line-splitter';
import type { OutputFile } from './output-file';
import { waitAtMost } from './pause';
import type { RunOutput, RunSpec } from './run-result';

/** How long a silent pipe may stay open once its program is gone. */
const SILENCE_MS = 50;
/** A process that nobody can reach may hold a pipe and talk for ever. */
const MOST_ROUNDS = 20;

/** Everything a program says, on its way to memory, to the log and to whoever listens. */
export class CollectedOutput {
  readonly #stdout: CappedOutput;
  readonly #stderr: CappedOutput;
  readonly #file: OutputFile | undefined;
  readonly #onLine: ((line: string) => void) | undefined;
  readonly #open = new Set<ChildPipe>();
  #heard = 0;
  #allClosed = (): void => undefined;

  constructor(spec: RunSpec, file: OutputFile | undefined) {
    this.#stdout = new CappedOutput(spec.maxBytesInMemory);
    this.#stderr = new CappedOutput(spec.maxBytesInMemory);
    this.#file = file;
    this.#onLine = spec.onLine && ((line) => spec.onLine?.(line));
  }

  listen(stdout: ChildPipe, stderr: ChildPipe): void {
    this.#hear(stdout, this.#stdout);
    this.#hear(stderr, this.#stderr);
  }

  /** Waits for what is still in the pipes, then closes them: others may hold them open. */
  async drain(): Promise<void> {
    if (this.#open.size === 0) return;
    const closed = new Promise<void>((resolve) => {
      this.#allClosed = resolve;
    });
    for (let round = 0; round < MOST_ROUNDS && this.#open.size > 0; round++) {
      const before = this.#heard;
      await waitAtMost(SILENCE_MS, closed);
      // After a busy moment the timer comes before what waits in the pipes; one turn more hears it.
      await new Promise(setImmediate);
      if (this.#heard === before) break;
    }
    for (const pipe of this.#open) pipe.close();
  }

  finish(): RunOutput {
    return {
      stdout: this.#stdout.text(),
      stderr: this.#stderr.text(),
      cut: this.#stdout.cut || this.#stderr.cut,
      log: this.#file?.close() ?? 'none',
    };
  }

  #hear(pipe: ChildPipe, kept: CappedOutput): void {
    const lines = this.#onLine && new LineSplitter(this.#onLine);
    this.#open.add(pipe);
    const take = (bytes: Uint8Array): void => {
      this.#heard += bytes.length;
      kept.push(bytes);
      this.#file?.push(bytes);
      lines?.push(bytes);
    };
    pipe.listen(take, () => {
      this.#open.delete(pipe);
      lines?.end();
      if (this.#open.size === 0) this.#allClosed();
    });
  }
}
