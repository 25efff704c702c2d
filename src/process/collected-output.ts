import type { Readable } from 'node:stream';
import { CappedOutput } from './capped-output';
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
  readonly #open = new Set<Readable>();
  #heard = 0;

  constructor(spec: RunSpec, file: OutputFile | undefined) {
    this.#stdout = new CappedOutput(spec.maxBytesInMemory);
    this.#stderr = new CappedOutput(spec.maxBytesInMemory);
    this.#file = file;
    this.#onLine = spec.onLine && ((line) => spec.onLine?.(line));
  }

  listen(stdout: Readable, stderr: Readable): void {
    this.#hear(stdout, this.#stdout);
    this.#hear(stderr, this.#stderr);
  }

  /** Waits for what is still in the pipes, then closes them: others may hold them open. */
  async drain(): Promise<void> {
    const closed = Promise.all([...this.#open].map(closing));
    for (let round = 0; round < MOST_ROUNDS && this.#open.size > 0; round++) {
      const before = this.#heard;
      await waitAtMost(SILENCE_MS, closed);
      // After a busy moment the timer comes before what waits in the pipes; one turn more hears it.
      await new Promise(setImmediate);
      if (this.#heard === before) break;
    }
    for (const stream of this.#open) stream.destroy();
  }

  finish(): RunOutput {
    return {
      stdout: this.#stdout.text(),
      stderr: this.#stderr.text(),
      cut: this.#stdout.cut || this.#stderr.cut,
      log: this.#file?.close() ?? 'none',
    };
  }

  #hear(stream: Readable, kept: CappedOutput): void {
    const lines = this.#onLine && new LineSplitter(this.#onLine);
    this.#open.add(stream);
    stream.on('data', (bytes: Buffer) => {
      this.#heard += bytes.length;
      kept.push(bytes);
      this.#file?.push(bytes);
      lines?.push(bytes);
    });
    // A pipe that breaks has said all it will; its `close` follows.
    stream.on('error', () => undefined);
    stream.on('close', () => {
      this.#open.delete(stream);
      lines?.end();
    });
  }
}

function closing(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once('close', resolve);
  });
}
