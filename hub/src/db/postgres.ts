import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { type Database, isAway, type Queries, type Row, type Value } from './database.js';
import { openListener } from './postgres-listener.js';
import { Refusal } from './refusal.js';
import { assertNoTransaction, finishTransaction, type Run } from './transactions.js';

const poolSize = 10;
const oldestVersion = 15;
/** How long to wait for a lost database before a query fails. */
const patience = 5_000;

/** Opens a PostgreSQL server. Error messages never contain the password. */
export async function openPostgres(url: string): Promise<Database> {
  const config = configOf(url);
  const pool = new pg.Pool({
    ...config,
    max: poolSize,
    onConnect: async (client) => {
      await client.query("set time zone 'UTC'");
    },
  });
  // Ignored: a connection that breaks while idle, or between two users, is replaced at the next query.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  try {
    await checkServer(pool);
  } catch (error) {
    await pool.end();
    throw error instanceof Refusal ? error : new Refusal(cannotConnect(url, error));
  }
  const listener = openListener(config);

  return {
    kind: 'postgres',
    async query<T = Row>(sql: string, values: readonly Value[] = []): Promise<T[]> {
      assertNoTransaction();
      return withRetries(isRead(sql) ? isAway : isNotSent, async () => {
        const client = await connect(pool);
        return using(client, async (run) => (await run(sql, values)).rows as T[]);
      });
    },
    async tx<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
      assertNoTransaction();
      const client = await withRetries(isAway, () => begin(pool));
      return using(client, (run) => finishTransaction(run, work));
    },
    listen: (heard) => listener.listen(heard),
    async close() {
      await Promise.all([pool.end(), listener.close()]);
    },
  };
}

export function configOf(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    types: parsers(),
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'holdpoint-hub',
  };
}

/** As in PGlite: int8 and numeric as numbers, dates as text. */
function parsers(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  const { INT8, NUMERIC, DATE } = pg.types.builtins;
  types.setTypeParser(INT8, Number);
  types.setTypeParser(NUMERIC, Number);
  types.setTypeParser(DATE, (text) => text);
  return types;
}

async function checkServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ version: string; encoding: string }>(
    "select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding",
  );
  const version = Math.floor(Number(rows[0]?.version) / 10_000);
  if (version < oldestVersion)
    throw new Refusal(`The database is PostgreSQL ${version}. The hub needs ${oldestVersion} or later.`);
  if (rows[0]?.encoding !== 'UTF8')
    throw new Refusal(`The database's encoding is ${rows[0]?.encoding}. The hub needs one with UTF8.`);
}

/** The query never reached the server. */
class NotSent extends Error {}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    if (isAway(error)) throw new NotSent(messageOf(error), { cause: error });
    throw error;
  }
}

async function begin(pool: pg.Pool): Promise<pg.PoolClient> {
  const client = await connect(pool);
  try {
    await client.query('begin');
    return client;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Returns the connection to the pool, or closes it if it is broken. */
async function using<T>(client: pg.PoolClient, work: (run: Run) => Promise<T>): Promise<T> {
  let isBroken = false;
  const broke = () => {
    isBroken = true;
  };
  client.on('error', broke);
  // One statement after the other, even if a transaction starts several at once.
  let last: Promise<unknown> = Promise.resolve();
  try {
    return await work((sql, values = []) => {
      const next = last.then(() => client.query(sql, [...values]));
      last = next.catch((error: unknown) => {
        isBroken ||= isAway(error);
      });
      return next;
    });
  } finally {
    client.off('error', broke);
    client.release(isBroken);
  }
}

async function withRetries<T>(mayRetry: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  const until = Date.now() + patience;
  for (let pause = 50; ; pause = Math.min(pause * 2, 1000)) {
    try {
      return await work();
    } catch (error) {
      if (!mayRetry(error) || Date.now() + pause > until) throw error;
    }
    await wait(pause);
  }
}

/** Reads may be sent twice. A write may have been done before the connection broke. */
function isRead(sql: string): boolean {
  return /^\s*select\b/i.test(sql) && !/\bpg_notify\b|\bfor (update|share)\b/i.test(sql);
}

function isNotSent(error: unknown): boolean {
  return error instanceof NotSent;
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

function cannotConnect(url: string, error: unknown): string {
  const { host, port, database } = new pg.Client({ connectionString: url });
  return `Cannot open the database ${database ?? ''} on ${host} port ${port}: ${messageOf(error)}. Check --database and that PostgreSQL is running.`;
}
