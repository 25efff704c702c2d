import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Context, createContext, Script } from 'node:vm';
import type { Rule } from '../../api';
import * as api from '../../api';
import { attempt } from '../../core/failure';
import type { RuleModule } from './config';

/*
 * Rules run in their own V8 context: changes to globals stay there, and V8 ends a rule that does not return,
 * even after an `await`. They are the user's code and as trusted as the config: this contains mistakes,
 * not attacks.
 */

/** How long one rule may take. */
export const RULE_MS = 1000;
/** How often to look whether a rule that waits for something outside can go on. */
const LOOK_MS = 2;

/** Time limit for all rules together, so that the event is answered in time. */
const ALL_RULES_MS = 4000;

/** A rule to run, its files, and how long it may take. */
export interface RuleRun {
  readonly files: readonly string[];
  readonly limit: number;
  start(): unknown;
}

/** The result of one rule. */
export type RuleResult = { readonly value: unknown } | { readonly error: RuleError };

/** Why a rule is broken, with the place if it is known. */
export interface RuleError {
  readonly detail: string;
  /** Which of the rule's files it happened in. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** It timed out. */
  readonly hung?: true;
  /** It asked for a fact that is unknown when a past session is replayed. */
  readonly unknown?: true;
}

/** Node globals that rules may expect, read only on use: some of them load a lot of code. */
const GLOBALS = [
  'Buffer',
  'URL',
  'URLSearchParams',
  'TextEncoder',
  'TextDecoder',
  'structuredClone',
  'AbortController',
  'AbortSignal',
  'performance',
  'fetch',
  'atob',
  'btoa',
  'clearTimeout',
  'clearInterval',
] as const;
/** These call back: the callback runs under the watchdog too, and is cancelled at the end of the event. */
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'] as const;

/** What a module is compiled to, as in CommonJS; `importMeta` stands for `import.meta`. */
type Wrapper = (...given: unknown[]) => void;
const wrapped = (code: string): string =>
  `(function (exports, require, module, __filename, __dirname, importMeta) {${code}\n})`;
/** The file name that stack traces have for modules that are compiled together. */
const BUNDLE = '/holdpoint-rules';

interface Awaited {
  readonly at: number;
  until: number;
  result?: RuleResult;
}

type Follow = (promise: unknown, done: (value: unknown) => void, fail: (error: unknown) => void) => void;

export class Sandbox {
  readonly #context: Context;
  /** Calls the global `work` under V8's watchdog, and runs all microtasks of this context that follow. */
  #script: Script | undefined;
  #slot: { work: (wrappers?: readonly Wrapper[]) => void };
  #follower: Follow | undefined;
  /** Modules that were compiled together, each with its first line. */
  #bundle: readonly { readonly module: RuleModule; readonly line: number }[] = [];
  #wrappers: readonly Wrapper[] = [];
  #isWatching = false;
  #works: readonly RuleRun[] = [];
  /** The index of the running rule, and how to cancel the timers that rules have started. */
  #running = 0;
  readonly #timers: (() => void)[] = [];
  /** The rule whose promise is awaited, and until when. */
  #awaited: Awaited | undefined;
  /** Whether a rule's promise was still open when its time was over: it may go on while others run. */
  #isLeft = false;

  constructor() {
    const globals: Record<string, unknown> & { work: () => void } = { work: () => undefined };
    for (const name of GLOBALS)
      Object.defineProperty(globals, name, { get: () => globalThis[name], configurable: true });
    for (const name of TIMERS) globals[name] = this.#timer(name);
    // Ours are all timeouts.
    globals['clearImmediate'] = clearTimeout;
    globals['console'] = stderrConsole();
    globals['process'] = guardedProcess();
    this.#slot = globals;
    this.#context = createContext(globals, { name: 'rules', microtaskMode: 'afterEvaluate' });
  }

  /** Awaits a promise inside the context, so that its handlers run with this context's microtasks. */
  get #follow(): Follow {
    this.#follower ??= new Script(
      '(promise, done, fail) => { Promise.resolve(promise).then((value) => done(value), (error) => fail(error)) }',
    ).runInContext(this.#context) as Follow;
    return this.#follower;
  }

  #timer(name: (typeof TIMERS)[number]): (call: unknown, ...rest: unknown[]) => unknown {
    return (call, ...rest) => {
      const at = this.#running;
      const isDelayed = name === 'setTimeout' || name === 'setInterval';
      const work = (): void => {
        const begun = Date.now();
        const before = this.#running;
        this.#running = at;
        try {
          this.#watched(this.#limitOf(at), () =>
            (call as (...args: unknown[]) => unknown)(...rest.slice(isDelayed ? 1 : 0)),
          );
        } catch (error) {
          this.#fail(at, error);
        }
        this.#running = before;
        // A rule has its whole time, whatever the timers of others take.
        if (this.#awaited !== undefined && this.#awaited.at !== at) this.#awaited.until += Date.now() - begun;
      };
      if (name === 'queueMicrotask') return queueMicrotask(work);
      const start = name === 'setInterval' ? setInterval : setTimeout;
      const handle = start(work, isDelayed ? Number(rest[0] ?? 0) : 0);
      this.#timers.push(() => clearTimeout(handle));
      return handle;
    };
  }

  #limitOf(at: number): number {
    return this.#works[at]?.limit ?? RULE_MS;
  }

  #fail(at: number, error: unknown): void {
    if (this.#awaited?.at === at)
      this.#awaited.result ??= { error: this.errorOf(error, this.#works[at]?.files ?? []) };
  }

  /** Compiles the modules of several files at once, for the first run. One by one takes twice the time. */
  prepare(
    sources: readonly (readonly RuleModule[])[],
    compile: (text: string, name: string) => Script,
  ): void {
    let line = 1;
    const starts = sources.flat().map((module) => {
      const start = { module, line };
      line += module.code.split('\n').length + 1;
      return start;
    });
    try {
      const text = `work([${starts.map(({ module }) => wrapped(module.code)).join(',\n')}])`;
      this.#script = compile(text, BUNDLE);
      this.#bundle = starts;
    } catch {
      // One of them does not parse: then each is compiled by itself, and that one reports it.
    }
  }

  #wrapperOf(module: RuleModule): Wrapper {
    const known = this.#wrappers[this.#bundle.findIndex((one) => one.module === module)];
    return known ?? new Script(wrapped(module.code), { filename: module.file }).runInContext(this.#context);
  }

  /** The error, with the first place in one of these files. */
  errorOf(error: unknown, files: readonly string[]): RuleError {
    return errorOf(error, files, (line) => {
      const start = this.#bundle.findLast((one) => one.line <= line);
      return start === undefined ? undefined : `${start.module.file}:${line - start.line + 1}`;
    });
  }

  /** The rules that a file exports. Throws what the file throws, or a timeout. */
  load(modules: readonly RuleModule[]): readonly Rule[] {
    const loaded = new Map<number, { exports: Record<string, unknown> }>();
    const load = (at: number): Record<string, unknown> => {
      const known = loaded.get(at);
      if (known !== undefined) return known.exports;
      const source = modules[at] as RuleModule;
      const { file, imports } = source;
      const module = { exports: {} as Record<string, unknown> };
      loaded.set(at, module);
      const requireHere = (name: string): unknown => {
        const own = imports[name];
        if (own !== undefined) return load(own);
        if (name === 'holdpoint') return api;
        if (name === 'process' || name === 'node:process') return this.#context['process'];
        const found = loadFrom(file, name);
        return /^(?:node:)?child_process$/.test(name)
          ? withLimits(found as Programs, () => this.#limitOf(this.#running))
          : found;
      };
      const meta = {
        filename: file,
        dirname: dirname(file),
        get url() {
          return pathToFileURL(file).href;
        },
      };
      this.#wrapperOf(source)(module.exports, requireHere, module, file, meta.dirname, meta);
      return module.exports;
    };
    let exported: unknown;
    this.#watched(RULE_MS, () => {
      const module = load(0);
      exported = module['default'] ?? module;
    });
    return [exported].flat() as Rule[];
  }

  /**
   * Runs rules one after the other, so that one that does not end is known. If one fails, the next still run. `stray` is
   * told of errors that no rule caught, and of the rules that they may come from.
   */
  async run(
    works: readonly RuleRun[],
    stray: (error: RuleError, from: readonly number[]) => void,
  ): Promise<readonly RuleResult[]> {
    this.#works = works;
    const stop = onEscape((error) => {
      const from = [...works.entries()].filter(([, { files }]) => this.errorOf(error, files).file);
      const [[only = -1] = []] = from;
      // Other rules still answer, and an answer that was given counts.
      if (from.length === 1 && this.#awaited?.at === only) return this.#fail(only, error);
      const files = from.flatMap(([, work]) => work.files);
      const named = from.map(([at]) => at);
      stray(this.errorOf(error, files), named);
    });
    const end = Date.now() + ALL_RULES_MS;
    const results: RuleResult[] = [];
    try {
      while (results.length < works.length) {
        if (Date.now() > end) results.push({ error: NO_TIME });
        else results.push(...this.#runFrom(results.length));
        if (this.#awaited !== undefined) results.push(await this.#resultOf(this.#awaited, end));
      }
    } finally {
      for (const cancel of this.#timers.splice(0)) cancel();
      // Node reports an unhandled rejection only after this turn of the event loop.
      setImmediate(stop);
    }
    return results;
  }

  /** Runs as many rules as one watchdog can cover, up to the first that returns a promise; returns their results. */
  #runFrom(from: number): RuleResult[] {
    const limit = this.#limitOf(from);
    // Rules share a watchdog only while they are quick, so that each still has its whole limit.
    const shared = limit / 10;
    const results: RuleResult[] = [];
    let isOpen = false;
    const { hung } = this.#tryWatched(limit + shared, () => {
      const begun = Date.now();
      do {
        this.#running = from + results.length;
        isOpen = true;
        const result = this.#start(this.#running);
        if (result === undefined) return;
        isOpen = false;
        results.push(result);
      } while (this.#works[from + results.length]?.limit === limit && Date.now() - begun < shared);
    });
    if (!hung) return results;
    this.#awaited = undefined;
    // What a rule left behind may hang after it has answered.
    return isOpen ? [...results, { error: HUNG }] : results;
  }

  /** Starts a rule; `undefined` if it returned a promise. */
  #start(at: number): RuleResult | undefined {
    const { files, limit, start } = this.#works[at] as RuleRun;
    try {
      const value = start();
      if (!isThenable(value)) return { value };
      const awaited: Awaited = { at, until: Date.now() + limit };
      this.#awaited = awaited;
      this.#follow(
        value,
        (result) => {
          awaited.result ??= { value: result };
        },
        (error) => this.#fail(at, error),
      );
      return undefined;
    } catch (error) {
      return { error: this.errorOf(error, files) };
    }
  }

  /** Waits for the rule that returned a promise. */
  async #resultOf(awaited: Awaited, end: number): Promise<RuleResult> {
    while (awaited.result === undefined && Date.now() <= Math.min(awaited.until, end)) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      const begun = Date.now();
      // Lets promises go on that were settled from outside.
      const { hung } = this.#tryWatched(this.#limitOf(awaited.at), () => undefined);
      // A rule has its whole time, whatever one that was left does.
      if (this.#isLeft) awaited.until += Date.now() - begun;
      else if (hung) break;
    }
    this.#awaited = undefined;
    this.#isLeft ||= awaited.result === undefined;
    return awaited.result ?? { error: HUNG };
  }

  #tryWatched(limit: number, work: () => void): { readonly hung: boolean } {
    try {
      this.#watched(limit, work);
      return { hung: false };
    } catch (error) {
      if (isTimeout(error)) return { hung: true };
      throw error;
    }
  }

  /** A nested call is covered by the outer watchdog: each one costs a thread. */
  #watched(limit: number, work: () => void): void {
    if (this.#isWatching) {
      work();
      return;
    }
    this.#slot.work = (wrappers = []) => {
      this.#wrappers = wrappers;
      work();
    };
    this.#isWatching = true;
    this.#script ??= new Script('work()');
    try {
      this.#script.runInContext(this.#context, { timeout: Math.max(1, limit) });
    } finally {
      this.#isWatching = false;
      this.#slot.work = () => undefined;
    }
  }
}

type Programs = Readonly<Record<string, (...args: unknown[]) => unknown>>;
const WAITING = ['execSync', 'execFileSync', 'spawnSync'] as const;

/** V8 cannot end a rule that waits for a program, so the program is ended. */
function withLimits(programs: Programs, limit: () => number): Programs {
  const limited = WAITING.map((name) => {
    const run = (...args: unknown[]): unknown => {
      const options =
        args.length > 1 && !Array.isArray(args.at(-1)) ? (args.pop() as { timeout?: number }) : {};
      const timeout = Math.min(options?.timeout || Number.POSITIVE_INFINITY, limit());
      const bounds = { timeout, killSignal: 'SIGKILL', detached: true };
      try {
        return endedWhole(programs[name]?.(...args, { ...options, ...bounds }));
      } catch (error) {
        throw endedWhole(error);
      }
    };
    return [name, run] as const;
  });
  return { ...programs, ...Object.fromEntries(limited) };
}

/** A shell that is ended leaves its commands running: they are of its group. Returns the result or error. */
function endedWhole<T>(ended: T): T {
  const { pid, error, code = error?.code } = Object(ended) as EndedProgram;
  if (code === 'ETIMEDOUT' && pid !== undefined) attempt(() => process.kill(-pid, 'SIGKILL'));
  return ended;
}

interface EndedProgram {
  readonly pid?: number;
  readonly code?: string;
  readonly error?: { readonly code?: string };
}

/** Most rules import no packages, so Node's loader is only loaded here. */
function loadFrom(file: string, name: string): unknown {
  const { createRequire } = require('node:module') as typeof import('node:module');
  return createRequire(file)(name);
}

const NO_TIME: RuleError = { detail: 'there was no time left for it: other rules took too long' };
const HUNG: RuleError = { detail: 'did not end in time', hung: true };

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function';
}

function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    Reflect.get(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

/** Thrown as a plain object for a rule whose file could not be loaded. */
function isRuleError(error: unknown): error is RuleError {
  return (
    typeof error === 'object' &&
    error !== null &&
    'detail' in error &&
    typeof error.detail === 'string' &&
    !('stack' in error)
  );
}

/** The error, with the first place in one of these files. No `instanceof`: a context has its own classes. */
export function errorOf(
  error: unknown,
  files: readonly string[],
  placeOf: (line: number) => string | undefined = () => undefined,
): RuleError {
  if (isTimeout(error)) return HUNG;
  if (isRuleError(error)) return error;
  const isError = typeof error === 'object' && error !== null && 'message' in error;
  const [first = ''] = textOf(isError ? error.message : error).split('\n', 1);
  const raw = isError && 'stack' in error ? textOf(error.stack) : '';
  const stack = raw.replaceAll(/\/holdpoint-rules:(\d+)/g, (all, line) => placeOf(Number(line)) ?? all);
  const places = [...stack.matchAll(/(?:^|[( ])(\/[^\n():]*):(\d+)(?::(\d+))?/gm)];
  const [, file, line, column] = places.find(([, name = '']) => files.includes(name)) ?? [];
  return {
    detail: first === '' ? 'threw an empty error' : first,
    ...(isError && 'code' in error && error.code === 'ETIMEDOUT' && HUNG),
    ...(isError && 'name' in error && error.name === 'UnknownFact' && { unknown: true }),
    ...(file !== undefined && { file, line: Number(line), column: Number(column ?? 1) }),
  };
}

/** Anything can be thrown, even an object that no text can be made of. */
function textOf(value: unknown): string {
  return attempt(() => String(value)) ?? '';
}

/** Prints to stderr: stdout is only for the decision. */
function stderrConsole(): Record<string, (...args: unknown[]) => void> {
  const print = (...args: unknown[]): void => {
    const { format } = require('node:util') as typeof import('node:util');
    process.stderr.write(`${format(...args)}\n`);
  };
  return Object.fromEntries(['log', 'info', 'warn', 'error', 'debug', 'trace'].map((name) => [name, print]));
}

/** A rule that tries to end the process is broken; what it prints goes to stderr. */
function guardedProcess(): NodeJS.Process {
  const refuse = (name: string) => () => {
    throw new Error(`called process.${name}()`);
  };
  return Object.create(process, {
    exit: { value: refuse('exit') },
    abort: { value: refuse('abort') },
    kill: { value: refuse('kill') },
    stdout: { get: () => process.stderr },
  });
}

const ESCAPES = ['uncaughtException', 'unhandledRejection'];

/** Listens for errors that escape from callbacks while rules run. Returns a function that stops it. */
function onEscape(listener: (error: unknown) => void): () => void {
  for (const event of ESCAPES) process.on(event, listener);
  return () => {
    for (const event of ESCAPES) process.off(event, listener);
  };
}
