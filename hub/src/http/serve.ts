import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Database } from '../db/database.js';
import type { Hub } from '../hub.js';
import type { Keys } from '../requests/keys.js';
import { openFanout } from '../stream/fanout.js';
import { createApp } from './app.js';
import type { Log } from './log.js';
import { countErrors, newMetrics } from './metrics.js';

export interface HubOptions {
  readonly db: Database;
  readonly keys: Keys;
  /** Default `localhost`. */
  readonly host?: string | undefined;
  /** 0 takes any free port. */
  readonly port: number;
  /** Where a proxy makes the hub reachable. */
  readonly publicUrl?: string | undefined;
  readonly log: Log;
}

export interface RunningHub {
  /** What people open. */
  readonly url: string;
  /** Ends streams, finishes requests, within 5 s. The database stays open. */
  close(): Promise<void>;
}

/** Serves until closed. Rejects where the port is taken. */
export async function startHub(options: HubOptions): Promise<RunningHub> {
  const metrics = newMetrics();
  const db = countErrors(options.db, metrics);
  const fanout = await openFanout(db);
  const host = options.host ?? 'localhost';
  let app: Hono | undefined;
  const server = createAdaptorServer({ fetch: (request, env) => app?.fetch(request, env) });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const publicUrl = options.publicUrl?.replace(/\/+$/, '') ?? `http://${host}:${port}`;
  const hub: Hub = {
    db,
    keys: options.keys,
    publicUrl,
    behindProxy: options.publicUrl !== undefined,
    host,
    version: __VERSION__,
    clock: () => new Date(),
    log: options.log,
    fanout,
    metrics,
  };
  app = createApp(hub);
  return {
    url: publicUrl,
    async close() {
      await fanout.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
