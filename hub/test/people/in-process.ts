/** A hub in the test's own process, with a clock that the test moves: on PostgreSQL, or in memory without one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite, types } from '@electric-sql/pglite';
import type { Database, Queries, Value } from '../../src/db/database.js';
import { migrate } from '../../src/db/migrate.js';
import { openPostgres } from '../../src/db/postgres.js';
import type { LogEntry } from '../../src/http/log.js';
import { type RunningHub, startHub } from '../../src/http/serve.js';
import { type Invitation, invite } from '../../src/people/invites.js';
import { openKeys } from '../../src/requests/keys.js';
import { dropDatabase, freshDatabase } from '../processes.mjs';
import { postgres } from '../rig.js';

export interface TestHub extends RunningHub {
  readonly db: Database;
  /** Where it listens, whatever its public URL. */
  readonly address: string;
  readonly log: LogEntry[];
  /** Moves the hub's clock on. */
  pass(milliseconds: number): void;
  invite(invitation?: Partial<Invitation>): Promise<string>;
  remove(): Promise<void>;
}

export interface TestHubOptions {
  readonly host?: string;
  readonly publicUrl?: string;
  readonly page?: string;
  readonly database?: (db: Database) => Database;
  /** A second hub on the database of this one. */
  readonly beside?: TestHub;
}

export async function testHub({
  database = (db) => db,
  beside,
  ...options
}: TestHubOptions = {}): Promise<TestHub> {
  const directory = mkdtempSync(join(tmpdir(), 'hub-people-'));
  const inner = beside?.db ?? (await newDatabase());
  const keys = beside?.hub.keys ?? (await openKeys(inner, { file: join(directory, 'hub.key') }));
  const log: LogEntry[] = [];
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const running = await startHub({
    ...options,
    db: database(inner),
    keys,
    port: 0,
    clock,
    log: (entry) => log.push(entry),
  });
  return {
    ...running,
    db: inner,
    address: running.address,
    log,
    pass(milliseconds) {
      ahead += milliseconds;
    },
    async invite(invitation = {}) {
      const whole = { purpose: 'person', name: null, role: 'admin', ...invitation } as const;
      return (await invite(inner, whole, 'command line', clock())).code;
    },
    async remove() {
      await running.close();
      if (!beside) await inner.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function newDatabase(): Promise<Database> {
  const db = postgres().url === '' ? await memoryDatabase() : await postgresDatabase();
  await migrate(db);
  return db;
}

async function postgresDatabase(): Promise<Database> {
  const url = await freshDatabase(postgres());
  const db = await openPostgres(url);
  return {
    ...db,
    async close() {
      await db.close();
      await dropDatabase(postgres(), url);
    },
  };
}

async function memoryDatabase(): Promise<Database> {
  const pg = await PGlite.create({
    parsers: { [types.INT8]: Number },
    serializers: { [types.JSONB]: (value: unknown) => JSON.stringify(value) },
  });
  const over = (inner: Pick<PGlite, 'query'>): Queries => ({
    query: async <T>(sql: string, values: readonly Value[] = []) =>
      (await inner.query<T>(sql, [...values])).rows,
  });
  return {
    kind: 'embedded',
    query: over(pg).query,
    tx: <T>(work: (queries: Queries) => Promise<T>) =>
      pg.transaction((tx) => work(over(tx as unknown as PGlite))) as Promise<T>,
    listen: (heard) => pg.listen('hub', heard),
    close: () => pg.close(),
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** As a browser sends it back. */
  readonly cookie: string;
  // biome-ignore lint/suspicious/noExplicitAny: what each test expects of it, the test says.
  readonly body: any;
}

export type Caller = (method: string, path: string, json?: unknown) => Promise<Answer>;

/** Somebody who calls the API from the hub's page, signed in where there is a cookie. */
export function caller(url: string, cookie?: string, origin = url): Caller {
  return async (method, path, json) => {
    const answer = await fetch(`${url}/api/v1/${path}`, {
      method,
      headers: { origin, ...(cookie && { cookie }) },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '',
      body: text ? JSON.parse(text) : undefined,
    };
  };
}
