import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { Database } from './database.js';
import { migrate } from './migrate.js';
import { Refusal } from './refusal.js';

export interface Place {
  /** The directory of the embedded database, the key and the control socket. */
  readonly data: string;
  /** The URL of a PostgreSQL, instead of the embedded database. */
  readonly url?: string | undefined;
}

export function defaultData(): string {
  const shared = process.env['XDG_DATA_HOME'];
  const base = shared && isAbsolute(shared) ? shared : join(homedir(), '.local', 'share');
  return join(base, 'holdpoint', 'hub');
}

/** Opens the database and migrates its tables to this version. */
export async function openDatabase({ data, url }: Place): Promise<Database> {
  prepareData(data);
  // Loaded only when used: PGlite alone takes a quarter of a second.
  const db =
    url === undefined
      ? await (await import('./pglite.js')).openEmbedded(data)
      : await (await import('./postgres.js')).openPostgres(url);
  try {
    await migrate(db);
  } catch (error) {
    await db.close();
    throw error;
  }
  return db;
}

/** Node's own recursive way never ends where nothing can be created, such as below `/proc`. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may just have created it.
    if (!existsSync(path)) throw error;
  }
}

/** Creates the directory. If it contains only the hub's files, closes it to others; else keeps its mode. */
function prepareData(data: string): void {
  try {
    makeDirectory(data);
    if (readdirSync(data).every((name) => /^(hub\.|db$|db\.|control\.)/.test(name))) chmodSync(data, 0o700);
  } catch (error) {
    throw new Refusal(
      `Cannot use ${data} for the hub's data: ${error instanceof Error ? error.message : error}`,
    );
  }
}
