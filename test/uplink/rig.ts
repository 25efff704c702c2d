import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/core/json';
import { EDIT, eventsIn } from '../e2e/events';
import { type Ended, type HostDocument, makeRig, type Rig } from '../e2e/rig';

const DIST = process.env['HOLDPOINT_DIST'] ?? fileURLToPath(new URL('../../dist', import.meta.url));
const HUB = fileURLToPath(new URL('./fake-hub.mjs', import.meta.url));

/** A request as the fake hub keeps it. */
export type Asked = JsonObject & { readonly id: string; readonly rule: string };
export interface HubState {
  readonly key: string;
  readonly decisions: readonly (JsonObject & { readonly id: string; readonly times: number })[];
  readonly requests: readonly Asked[];
  readonly sessions: readonly JsonObject[];
  readonly machines: readonly JsonObject[];
  readonly streams: number;
}

export interface FakeHub {
  readonly url: string;
  state(): Promise<HubState>;
  tell(act: string, body?: object): Promise<JsonObject>;
  end(): void;
}

export async function fakeHub(): Promise<FakeHub> {
  const child = fork(HUB, [], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [url] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')) as [
    string,
  ];
  const call = async (path: string, init?: RequestInit) =>
    (await (await fetch(`${url}/test/${path}`, init)).json()) as never;
  return {
    url,
    state: () => call('state'),
    tell: (act, body = {}) => call(act, { method: 'POST', body: JSON.stringify(body) }),
    end: () => void child.kill('SIGKILL'),
  };
}

/** A machine with a project, and the server that links it to a hub. */
export interface Machine extends Rig {
  readonly env: Readonly<Record<string, string>>;
  event(document: HostDocument): Ended;
  edit(more?: HostDocument): Ended;
  join(hub: FakeHub): Promise<Ended>;
  serve(nodeOptions?: readonly string[]): ChildProcess;
  sync(): Ended;
}

export function machine(config: string): Machine {
  const rig = makeRig(config, '.holdpoint/config.yaml');
  const env = {
    HOLDPOINT_RUNTIME_DIR: join(rig.dir, 'run'),
    CLAUDE_PID: String(process.pid),
    // Events start no server: tests start their own.
    XDG_RUNTIME_DIR: '',
  };
  const event = (document: HostDocument): Ended => rig.hook(document, { env });
  return {
    ...rig,
    env,
    event,
    edit: (more = {}) => event(eventsIn(rig).pre('Edit', EDIT, more)),
    join: async (hub) => {
      const { code } = await hub.tell('invite');
      return rig.holdpoint(['join', hub.url, String(code), '--name', 'here'], { env });
    },
    serve: (nodeOptions = []) =>
      spawn(process.execPath, [...nodeOptions, join(DIST, 'serve.cjs'), '--foreground'], {
        env: rig.environment(env),
        stdio: ['ignore', 'ignore', process.env['HOLDPOINT_TEST_TELL'] ? 'inherit' : 'ignore'],
      }),
    sync: () => rig.holdpoint(['hub', 'sync'], { env }),
  };
}

/** Asks until the answer is there, at longer and longer intervals: whoever asks all the time slows down what it waits for. */
export async function until<T>(
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  ms = 60_000,
): Promise<T> {
  const end = Date.now() + ms;
  for (let pause = 50; Date.now() < end; pause = Math.min(pause * 1.5, 500)) {
    const found = await ask();
    if (found !== undefined && found !== false) return found;
    await after(pause);
  }
  throw new Error('waited in vain');
}

export const isHeld = ({ stdout }: Ended): boolean => stdout.includes('"deny"');
