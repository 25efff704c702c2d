import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openControl } from '../control/socket.js';
import type { Database } from '../db/database.js';
import { openDatabase } from '../db/open.js';
import { Refusal } from '../db/refusal.js';
import { type Log, stderrLog } from '../http/log.js';
import { type RunningHub, startHub } from '../http/serve.js';
import { invite, setupLink } from '../people/invites.js';
import { type Keys, openKeys } from '../requests/keys.js';
import { saveUrl } from './place.js';

export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly data: string;
  readonly database?: string | undefined;
  readonly publicUrl?: string | undefined;
  readonly key?: string | undefined;
  readonly json?: boolean | undefined;
}

const stopWithin = 4_800;

/** Runs the hub until SIGTERM or SIGINT. */
export async function serve(options: ServeOptions): Promise<void> {
  const stopped = untilStopped();
  const log = stderrLog();
  process.on('uncaughtException', (error) => {
    log({ level: 'error', message: 'internal error', error: error.message, stack: error.stack });
    process.exit(1);
  });
  const started = await start(options, log);
  stopped.isStarted = true;
  process.stdout.write(`${firstLine(started, options.json === true)}\n`);
  await stopped.signal;
  setTimeout(() => process.exit(0), stopWithin).unref();
  await started.close();
  process.exit(0);
}

/** A signal before the hub runs ends the process at once: the next start finishes what was begun. */
function untilStopped(): { readonly signal: Promise<void>; isStarted: boolean } {
  let stop: () => void = () => {};
  const state = { signal: new Promise<void>((resolve) => (stop = resolve)), isStarted: false };
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.on(name, () => {
      if (!state.isStarted) process.exit(0);
      stop();
    });
  // The process that started us may have closed its end.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  return state;
}

interface Started {
  readonly url: string;
  readonly setup: string | null;
  close(): Promise<void>;
}

async function start(options: ServeOptions, log: Log): Promise<Started> {
  const { data, database } = options;
  const db = await openDatabase({ data, url: database });
  const opened: { close(): Promise<void> }[] = [db];
  const close = async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  };
  try {
    const keys = await openKeys(db, {
      file: options.key ?? join(data, 'hub.key'),
      env: process.env['HOLDPOINT_HUB_KEY'],
      // A mistyped name must not retire the key that all machines trust.
      isCurrent: options.key !== undefined && !existsSync(options.key),
    });
    if (keys.notice) log({ level: 'warn', message: keys.notice });
    const running = await listen(options, db, keys, log);
    opened.push(running);
    await saveUrl(db, running.url);
    const office = { db, keys: async () => keys, url: async () => running.url };
    const control = await openControl(data, database ?? null, office);
    if (control) opened.push(control);
    else log({ level: 'warn', message: `another hub answers commands in ${data}` });
    return { url: running.url, setup: await setupFor(db, running.url), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function listen(options: ServeOptions, db: Database, keys: Keys, log: Log): Promise<RunningHub> {
  const { host, port, publicUrl } = options;
  try {
    return await startHub({ db, keys, host, port, publicUrl, log });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    const problem = listenProblems[String(code)];
    throw problem ? new Refusal(problem(host, port)) : error;
  }
}

const listenProblems: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) => `Port ${port} on ${host} is already in use. Choose another one with --port.`,
  EACCES: (_, port) => `Permission denied for port ${port}. Choose one above 1023 with --port.`,
  EADDRNOTAVAIL: (host) => `${host} is not an address of this machine. Give another one with --host.`,
  ENOTFOUND: (host) => `There is no host called ${host}. Give another one with --host.`,
};

/** A one-time link for the first person; null if there is somebody already. */
async function setupFor(db: Database, url: string): Promise<string | null> {
  const people = await db.query('select 1 from people where removed_at is null limit 1');
  if (people.length > 0) return null;
  const asked = { purpose: 'person', name: null, role: 'admin' } as const;
  const { code } = await db.tx((tx) => invite(tx, asked, 'command line', new Date()));
  return setupLink(url, code);
}

function firstLine({ url, setup }: Started, isJson: boolean): string {
  if (isJson) return JSON.stringify({ url, setup });
  if (setup === null) return `The hub is on ${url}`;
  return `The hub is on ${url} - open this link once to become its first admin: ${setup}`;
}
