import { createServer, type Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Database } from '../db/database.js';
import type { Hub } from '../hub.js';
import { newSeen } from '../machines/seen.js';
import { openTokens } from '../machines/tokens.js';
import { watchRequests } from '../reach/watch.js';
import type { Keys } from '../requests/keys.js';
import { openFanout } from '../stream/fanout.js';
import { createApp } from './app.js';
import type { Log } from './log.js';
import { newMetrics } from './metrics.js';
import { newStreams } from './streams.js';

export interface HubOptions {
  readonly db: Database;
  readonly keys: Keys;
  /** Default `localhost`: both 127.0.0.1 and ::1. */
  readonly host?: string | undefined;
  /** 0 takes any free port. */
  readonly port: number;
  /** Where a proxy makes the hub reachable, such as `https://hub.example.org`. */
  readonly publicUrl?: string | undefined;
  readonly log: Log;
  /** The built page, by default beside the command. */
  readonly page?: string | undefined;
  readonly clock?: () => Date;
}

export interface RunningHub {
  /** The URL that people open. */
  readonly url: string;
  /** Where it listens, as a URL for programs on this machine. */
  readonly address: string;
  /** The hub itself, for commands to a running one. */
  readonly hub: Hub;
  /** Ends streams and finishes requests within 5 s. The database stays open. */
  close(): Promise<void>;
}

const sweepEvery = 60_000;
/** Leaves time to close the database within the 5 s that the command has. */
const closeWithin = 3_000;

/** Serves until closed. Throws if it cannot listen on the address. */
export async function startHub(options: HubOptions): Promise<RunningHub> {
  const host = options.host ?? 'localhost';
  const { db } = options;
  const announced = options.publicUrl === undefined ? undefined : new URL(options.publicUrl).origin;
  const metrics = newMetrics();
  let app: Hono | undefined;
  const listener = getRequestListener(
    (request, env) => app?.fetch(request, env) ?? errorOf(503, 'starting', 'The hub is starting. Try again.'),
    {
      errorHandler: (error) => lastResort(error, options.log),
    },
  );
  const servers = await listen(() => newServer(listener), host, options.port);
  const fanout = await openFanout(db).catch(async (error: unknown) => {
    await closeServers(servers);
    throw error;
  });
  const address = `http://${urlHost(host)}:${portOf(servers)}`;
  const clock = options.clock ?? (() => new Date());
  const hub: Hub = {
    db,
    keys: options.keys,
    publicUrl: announced ?? address,
    behindProxy: announced !== undefined,
    host,
    version: __VERSION__,
    clock,
    log: options.log,
    fanout,
    metrics,
    seen: newSeen({ db, clock, log: options.log }),
    machineByToken: openTokens(db),
    streams: newStreams(),
  };
  app = createApp(hub, options.page);
  const stopEnding = endRevokedStreams(hub);
  const stopReaching = watchRequests(hub);
  hub.log({ level: 'info', message: 'started', url: hub.publicUrl, version: hub.version });
  return {
    url: hub.publicUrl,
    address,
    hub,
    async close() {
      stopEnding();
      const closed = closeServers(servers);
      hub.streams.endAll();
      await Promise.all([closed, stopReaching(), fanout.close()]);
      hub.log({ level: 'info', message: 'stopped' });
    },
  };
}

function newServer(listener: ReturnType<typeof getRequestListener>): Server {
  // Longer than proxies keep idle connections, or they would use one that we have just closed.
  return createServer({ keepAliveTimeout: 75_000, requestTimeout: 120_000 }, (request, response) => {
    void listener(request, response);
  });
}

/** Listens on the host. `localhost` means both loopback addresses, if both exist. */
async function listen(make: () => Server, host: string, port: number): Promise<Server[]> {
  if (host !== 'localhost') return [await listening(make(), host, port)];
  const first = await listening(make(), '127.0.0.1', port);
  try {
    return [first, await listening(make(), '::1', portOf([first]))];
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || port === 0) return [first];
    await closeServers([first]);
    throw error;
  }
}

function listening(server: Server, host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, 4096, () => resolve(server));
  });
}

function portOf([server]: readonly Server[]): number {
  const address = server?.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** A host as written in a URL. A hub that listens on all addresses is reached as localhost. */
function urlHost(host: string): string {
  if (['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** Stops accepting, waits for requests in progress, and after 3 s closes what is left. */
async function closeServers(servers: readonly Server[]): Promise<void> {
  let open = true;
  const closed = Promise.all(
    servers.map((server) => new Promise<void>((resolve) => void server.close(() => resolve()))),
  ).then(() => {
    open = false;
  });
  const deadline = Date.now() + closeWithin;
  while (open && Date.now() < deadline) {
    for (const server of servers) server.closeIdleConnections();
    await Promise.race([closed, wait(25)]);
  }
  for (const server of servers) server.closeAllConnections();
  await closed;
}

/** Ends the streams of revoked machines and of people who were removed or signed out. */
function endRevokedStreams(hub: Hub): () => void {
  const sweep = () =>
    hub.streams.endStale(hub.db, hub.clock()).catch((error: unknown) => {
      hub.log({ level: 'warn', message: 'could not check the open streams', error: String(error) });
    });
  const timer = setInterval(sweep, sweepEvery);
  const unsubscribe = hub.fanout.subscribe((notice) => {
    if (notice.kind === 'machine') void sweep();
  });
  return () => {
    clearInterval(timer);
    unsubscribe();
  };
}

function errorOf(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status });
}

/** For failures outside of the app: a request line that is not a URL, a client that hung up. */
function lastResort(error: unknown, log: Log): Response {
  if (error instanceof RequestError) return errorOf(400, 'request', 'The request is not valid HTTP.');
  log({ level: 'error', message: 'internal error', error: String(error) });
  return errorOf(500, 'internal', 'Internal error.');
}
