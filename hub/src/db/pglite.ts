import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, type Heard, missed, type Queries, type Row, type Value } from './database.js';
import { takeLock } from './lock.js';
import { type Engine, startEngine } from './pglite-engine.js';
import { Refusal } from './refusal.js';
import { sync } from './sync.js';
import { assertNoTransaction, finishTransaction, type Run } from './transactions.js';

export interface EmbeddedDatabase extends Database {
  /** How often files were synced to the disk since the start. */
  syncs(): Promise<number>;
  /** What PostgreSQL does in the background: a checkpoint, and vacuum where it pays. Runs every minute. */
  maintain(): Promise<void>;
}

const maintainEvery = 60_000;
const script = new URL('./pglite-worker.mjs', import.meta.url);

/** Opens the embedded database in `data`, creating it if there is none. */
export async function openEmbedded(data: string): Promise<EmbeddedDatabase> {
  const unlock = await takeLock(join(data, 'hub.lock'), data);
  const listeners = new Set<Heard>();
  const heard = (payload: string) => {
    for (const one of [...listeners]) one(payload);
  };
  const directory = join(data, 'db');
  let engine: Engine;
  try {
    if (!existsSync(directory)) await create(data, directory);
    engine = await startEngine(script, directory, heard);
  } catch (error) {
    unlock();
    const why = error instanceof Error ? error.message : String(error);
    throw new Refusal(`Cannot open the embedded database in ${directory}: ${why}`);
  }

  /** PGlite has one connection: later callers wait. */
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const next = last.then(async () => work((await living()).run));
    last = next.catch(() => {});
    return next;
  }

  /** Replaces a crashed thread with a new one, which recovers what was committed. */
  async function living(): Promise<Engine> {
    if (!engine.isGone() || isClosed) return engine;
    engine = await startEngine(script, directory, heard);
    await engine.run('listen hub');
    heard(missed);
    return engine;
  }

  let isClosed = false;
  const maintain = () => inTurn(maintainTables);
  const timer = setInterval(() => void maintain().catch(() => {}), maintainEvery).unref();

  return {
    kind: 'embedded',
    async query<T = Row>(sql: string, values?: readonly Value[]): Promise<T[]> {
      assertNoTransaction();
      return inTurn(async (run) => (await run(sql, values)).rows as T[]);
    },
    async tx<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
      assertNoTransaction();
      return inTurn(async (run) => {
        await run('begin');
        return finishTransaction(run, work);
      });
    },
    async listen(one) {
      listeners.add(one);
      await inTurn((run) => run('listen hub'));
      return () => void listeners.delete(one);
    },
    syncs: () => engine.syncs(),
    maintain,
    async close() {
      if (isClosed) return;
      clearInterval(timer);
      await inTurn(async () => {
        isClosed = true;
        await engine.close().catch(() => {});
      });
      unlock();
    },
  };
}

/**
 * Creates the database beside its place and moves it there once it is complete and on disk: a database whose
 * creation was interrupted never opens again.
 */
async function create(data: string, directory: string): Promise<void> {
  const draft = `${directory}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  const engine = await startEngine(script, draft, () => {});
  await engine.close();
  syncTree(draft);
  renameSync(draft, directory);
  sync(data);
}

function syncTree(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) syncTree(inside);
    else if (entry.isFile()) sync(inside);
  }
  sync(path);
}

/** The thresholds of PostgreSQL's autovacuum. */
const worn = `select format('%I', pg_class.relname) as name from pg_stat_user_tables join pg_class on pg_class.oid = relid
  where n_dead_tup > 50 + 0.2 * greatest(reltuples, 0)
    or n_ins_since_vacuum > 1000 + 0.2 * greatest(reltuples, 0)
    or n_mod_since_analyze > 50 + 0.1 * greatest(reltuples, 0)`;

async function maintainTables(run: Run): Promise<void> {
  const { rows } = await run(worn);
  for (const { name } of rows) await run(`vacuum (analyze) ${name}`);
  await run('checkpoint');
}
