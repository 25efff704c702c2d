/** Tells its listeners to stop at once. An `AbortSignal` is one as well. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Like an `AbortController`, which prints a warning from the eleventh listener on: any number of checks may listen. */
export class Canceller {
  readonly #listeners = new Set<() => void>();
  #aborted = false;
  readonly signal: CancelSignal;

  constructor() {
    const isAborted = (): boolean => this.#aborted;
    this.signal = {
      get aborted() {
        return isAborted();
      },
      addEventListener: (_type, listener) => void this.#listeners.add(listener),
      removeEventListener: (_type, listener) => void this.#listeners.delete(listener),
    };
  }

  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    for (const listener of [...this.#listeners]) listener();
  }
}
