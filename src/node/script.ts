import { bindings, type ScriptClass, type StraightScript } from './binding';
import { ownScript } from './own';

interface ScriptOptions {
  readonly filename?: string;
  readonly cachedData?: Uint8Array | undefined;
}

/** What chunks use of a script. */
interface Runnable extends Omit<StraightScript, 'runInContext'> {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the source is, as `vm.Script` has it
  runInThisContext(options?: { readonly timeout?: number }): any;
}

type Runnables = new (source: string, options?: ScriptOptions) => Runnable;

/**
 * Stands in for what chunks use of `node:vm`, which Node loads and compiles only when it is asked for. It is called by
 * `new` and hands out what the binding made, since a class of our own would have to be made at every event.
 */
function straight(
  source: string,
  { filename = 'evalmachine.<anonymous>', cachedData }: ScriptOptions = {},
): Runnable {
  const Class = bindings?.binding('contextify').ContextifyScript as ScriptClass;
  const script = new Class(source, filename, 0, 0, cachedData, false, undefined, Symbol(filename));
  const runInThisContext: Runnable['runInThisContext'] = ({ timeout = -1 } = {}) =>
    script.runInContext(null, timeout, true, false, false);
  return Object.assign(script, { runInThisContext });
}

export const Script: Runnables = (bindings === undefined ? ownScript() : straight) as unknown as Runnables;
