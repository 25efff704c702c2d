import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Act, type Office, perform } from '../control/acts.js';
import { ask } from '../control/socket.js';
import type { Database } from '../db/database.js';
import { InUse } from '../db/lock.js';
import { defaultData, openDatabase } from '../db/open.js';
import { Refusal } from '../db/refusal.js';
import { currentKeyIn } from '../db/transfer.js';
import { openKeys } from '../requests/keys.js';

export interface PlaceOptions {
  readonly data?: string | undefined;
  readonly database?: string | undefined;
  readonly key?: string | undefined;
}

export function dataOf({ data }: PlaceOptions): string {
  return resolve(data ?? defaultData());
}

/** How long to wait for a hub that is starting, or for another command. */
const patience = 15_000;

/** Asks the hub that runs on this data; if none does, opens the database for this one act. */
export async function act(options: PlaceOptions, given: Act): Promise<object> {
  const data = dataOf(options);
  const until = Date.now() + patience;
  for (;;) {
    const result = await ask(data, { database: options.database, act: given });
    if (result !== null) return result;
    // A wrong directory must not become a new hub, except to import one into, nor a wrong file make one.
    if (given.act === 'import') await currentKeyIn(given.file);
    else if (options.database === undefined && !isHub(data))
      throw new Refusal(
        `There is no hub in ${data}. Give the directory of one with --data, or start one there first.`,
      );
    try {
      return await actAlone(options, data, given);
    } catch (error) {
      if (!(error instanceof InUse) || Date.now() > until) throw error;
    }
    await wait(200);
  }
}

/** Whether there is a hub, or one is just being made. */
function isHub(data: string): boolean {
  return ['db', 'hub.lock'].some((name) => existsSync(join(data, name)));
}

async function actAlone(options: PlaceOptions, data: string, given: Act): Promise<object> {
  const db = await openDatabase({ data, url: options.database });
  const source = {
    file: options.key ?? join(data, 'hub.key'),
    env: process.env['HOLDPOINT_HUB_KEY'],
    isCurrent: true,
  };
  const office: Office = { db, keys: () => openKeys(db, source), url: () => savedUrl(db) };
  try {
    // In the form that it has over the socket: dates as text.
    return JSON.parse(JSON.stringify(await perform(office, given)));
  } finally {
    await db.close();
  }
}

/** Saves the hub's URL, for invitations that are made while it does not run. */
export async function saveUrl(db: Database, url: string): Promise<void> {
  await db.query(
    `insert into settings (key, value) values ('url', $1) on conflict (key) do update set value = excluded.value`,
    [{ url }],
  );
}

async function savedUrl(db: Database): Promise<string> {
  const [row] = await db.query<{ value: { url?: unknown } }>(`select value from settings where key = 'url'`);
  return typeof row?.value.url === 'string' ? row.value.url : 'http://localhost:4610';
}
