import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { askServer, type ServerStatus, send } from '../../src/server/control';
import { ENVIRONMENT, type HookOutput, parseReply } from '../../src/server/protocol';
import { commandFile, type HostDocument, type Rig } from '../e2e/rig';

/** A process that serves, started from a build. */
export interface Started {
  readonly child: ChildProcess;
  /** What it has said so far. */
  said(): string;
  readonly ended: Promise<number | string>;
}

/** How a client is, where it is not as most are. */
export interface Client {
  readonly env?: Readonly<Record<string, string>>;
  readonly lines?: Readonly<Record<string, string>>;
}

export interface ServerRig {
  readonly runtime: string;
  readonly socket: string;
  /** Starts a server and waits until one answers. */
  serve(args?: readonly string[], dist?: string): Promise<Started>;
  start(args?: readonly string[], dist?: string): Started;
  status(): Promise<ServerStatus | undefined>;
  /** One event through the socket: what is said, or `undefined` where it is left to a process of its own. */
  ask(event: HostDocument, client?: Client): Promise<HookOutput | undefined>;
  /** Any bytes, and what comes back. */
  sendText(text: string): Promise<string | undefined>;
  request(event: HostDocument, client?: Client): string;
  stop(): Promise<void>;
}

const PATIENCE_MS = 60_000;
const LOOK_MS = 20;

export function makeServerRig(rig: Rig): ServerRig {
  const runtime = join(rig.tmp, 'run');
  const socket = join(runtime, 's');
  const children: Started[] = [];
  const start: ServerRig['start'] = (args = [], dist = dirname(commandFile('serve'))) => {
    const started = startServe(join(dist, 'serve.cjs'), args, {
      ...rig.environment({ HOLDPOINT_RUNTIME_DIR: runtime }),
    });
    children.push(started);
    return started;
  };
  const request: ServerRig['request'] = (event, client) => requestText(rig, event, client);
  return {
    runtime,
    socket,
    start,
    request,
    serve: async (args, dist) => {
      const started = start(args, dist);
      await until(async () => (await askServer(socket)) !== undefined, started.said);
      return started;
    },
    status: () => askServer(socket),
    ask: async (event, client) => parseReply((await send(socket, request(event, client), PATIENCE_MS)) ?? ''),
    sendText: (text) => send(socket, text, PATIENCE_MS),
    stop: async () => {
      for (const { child } of children) child.kill('SIGKILL');
      await Promise.all(children.map(({ ended }) => ended));
    },
  };
}

/** Waits until something is so, and fails where it does not come. */
export async function until(isSo: () => boolean | Promise<boolean>, why: () => string): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await wait(LOOK_MS)) if (await isSo()) return;
  throw new Error(`waited in vain: ${why()}`);
}

function startServe(file: string, args: readonly string[], env: Record<string, string>): Started {
  const child = spawn(process.execPath, [file, '--foreground', ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? ''));
  });
  return { child, said: () => said, ended };
}

/** What the line of a host sends. */
function requestText(rig: Rig, event: HostDocument, { env = {}, lines = {} }: Client = {}): string {
  const own = {
    dist: dirname(commandFile('hook')),
    args: '--host claude-code',
    pid: String(process.pid),
    parent: String(process.pid),
    cwd: rig.dir,
    ...machine(),
    ...lines,
  };
  const all = rig.environment(env);
  const known = ENVIRONMENT.filter((name) => all[name] !== undefined).map((name) => [name, all[name] ?? '']);
  const header = [...Object.entries(own), ...known].map(([name, value = '']) => `${name}=${value}`);
  return `HP1\n${header.join('\n')}\n\n${JSON.stringify(event)}`;
}

function machine(): { machine?: string } {
  try {
    return { machine: readFileSync('/proc/sys/kernel/hostname', 'utf8').trim() };
  } catch {
    return {};
  }
}
