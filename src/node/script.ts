import { bindings, type ScriptClass, type StraightScript } from './binding';
import { ownScript } from './own';

interface ScriptOptions {
  readonly filename?: string;
  readonly cachedData?: Uint8Array | undefined;
}

/** Stands in for what chunks use of `node:vm`, which Node loads and compiles only when it is asked for. */
class Straight {
  readonly #script: StraightScript;

  constructor(source: string, { filename = 'evalmachine.<anonymous>', cachedData }: ScriptOptions = {}) {
    const Class = bindings?.binding('contextify').ContextifyScript as ScriptClass;
    this.#script = new Class(source, filename, 0, 0, cachedData, false, undefined, Symbol(filename));
  }

  get cachedDataRejected(): boolean | undefined {
    return this.#script.cachedDataRejected;
  }

  createCachedData(): Buffer {
    return this.#script.createCachedData();
  }

  runInThisContext({ timeout = -1 }: { readonly timeout?: number } = {}): unknown {
    return this.#script.runInContext(null, timeout, true, false, false);
  }
}

export const Script: typeof Straight =
  bindings === undefined ? (ownScript() as unknown as typeof Straight) : Straight;
