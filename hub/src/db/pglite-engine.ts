import { Worker } from 'node:worker_threads';
import type { Heard, Value } from './database.js';
import type { FromWorker, ToWorker, WorkerError } from './pglite-messages.js';
import type { Result, Run } from './transactions.js';

/** PGlite in a worker thread, since it blocks the thread that it runs in. */
export interface Engine {
  readonly run: Run;
  /** Whether its thread has ended, by a crash or by `close`. */
  isGone(): boolean;
  /** How often files were synced to the disk. */
  syncs(): Promise<number>;
  close(): Promise<void>;
}

interface Waiting {
  resolve(result: Result): void;
  reject(error: Error): void;
}

/** Starts PGlite on a directory, and initialises the directory if it is empty. */
export async function startEngine(script: URL, directory: string, heard: Heard): Promise<Engine> {
  // Without the flags of this process, because some are not allowed for threads.
  const worker = new Worker(script, { workerData: { directory }, execArgv: [], stderr: true, stdout: true });
  const waiting = new Map<number, Waiting>();
  let isGone = false;
  let lastId = 0;

  const ready = new Promise<void>((resolve, reject) => {
    const gone = (error: Error) => {
      isGone = true;
      reject(error);
      for (const { reject: fail } of waiting.values()) fail(error);
      waiting.clear();
    };
    worker.on('error', (error) => gone(new Error(`The embedded database crashed: ${error}`)));
    worker.on('exit', () => gone(new Error('The embedded database has ended.')));
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') resolve();
      else if (message.kind === 'failed') gone(new Error(message.message));
      else if (message.kind === 'notice') heard(message.payload);
      else settle(waiting, message);
    });
  });

  function ask(message: ToWorker): Promise<Result> {
    if (isGone) return Promise.reject(new Error('The embedded database has ended.'));
    return new Promise((resolve, reject) => {
      waiting.set(message.id, { resolve, reject });
      worker.postMessage(message);
    });
  }

  try {
    await ready;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return {
    run: (sql, values = []) => ask({ kind: 'query', id: ++lastId, sql, values: values.map(toText) }),
    isGone: () => isGone,
    async syncs() {
      const { rows } = await ask({ kind: 'syncs', id: ++lastId });
      return Number(rows[0]?.['syncs']);
    },
    async close() {
      if (!isGone) await ask({ kind: 'close', id: ++lastId });
      isGone = true;
      await worker.terminate();
    },
  };
}

function settle(waiting: Map<number, Waiting>, message: FromWorker & { kind: 'rows' | 'error' }): void {
  const asked = waiting.get(message.id);
  waiting.delete(message.id);
  if (message.kind === 'rows') asked?.resolve(message);
  else asked?.reject(errorOf(message));
}

/** With the fields that errors of `pg` have. */
function errorOf({ message, code, constraint, detail }: WorkerError): Error {
  return Object.assign(new Error(message), { code, constraint, detail });
}

/** The text that `pg` would send, so that both databases get the same. */
function toText(value: Value): string | Uint8Array | null {
  if (value === null || typeof value === 'string' || value instanceof Uint8Array) return value;
  if (value instanceof Date) return value.toISOString();
  if (isList(value)) return `{${value.map(quoted).join(',')}}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function isList(value: Value): value is readonly string[] {
  return Array.isArray(value);
}

function quoted(item: string | null): string {
  return item === null ? 'null' : `"${String(item).replaceAll(/["\\]/g, '\\$&')}"`;
}
