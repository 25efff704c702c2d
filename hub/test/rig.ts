/** The hub as its machines and people see it: over HTTP, with the built command behind it. */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import {
  dropDatabase,
  freshDatabase,
  type HubOptions,
  type HubProcess,
  openStream,
  type Postgres,
  type Stream,
  type StreamEvent,
  startHub,
  temporaryDirectory,
} from './processes.mjs';

export type Storage = 'embedded' | 'postgres';

const POSTGRES = process.env['HUB_TEST_POSTGRES'] ?? '';
/** Embedded alone where there is no PostgreSQL; the run says so by the missing half. */
export const STORAGES: readonly Storage[] = POSTGRES === '' ? ['embedded'] : ['embedded', 'postgres'];
/** For what is asked over HTTP. Their difference lies below that, so both are asked only by `npm run test:hub`. */
export const SERVED: readonly Storage[] = process.env['HOLDPOINT_STRESS'] === '1' ? STORAGES : ['embedded'];

export function postgres(): Postgres {
  return {
    url: POSTGRES,
    stop: async () => {},
    databaseAt: (name) => Object.assign(new URL(POSTGRES), { pathname: `/${name}` }).href,
  };
}

export interface Item {
  [field: string]: unknown;
  id: string;
  machine: unknown;
}

/** Every field that some answer of the hub has. */
export interface Body {
  [field: string]: unknown;
  id: string;
  machine: string;
  token: string;
  key: string;
  code: string;
  answer: string | null;
  items: Item[];
  next: string | null;
  error: { code: string; message: string };
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

export interface Call {
  method?: string;
  headers?: Record<string, string>;
  json?: unknown;
  raw?: string | Uint8Array<ArrayBuffer>;
}

export async function call(
  url: string,
  path: string,
  { method, headers = {}, json, raw }: Call = {},
): Promise<Answer> {
  const body = raw ?? (json === undefined ? undefined : JSON.stringify(json));
  const response = await fetch(url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
}

/** Somebody with credentials: a machine or a person. */
class Client {
  readonly url: string;
  readonly headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string>) {
    this.url = url;
    this.headers = headers;
  }

  get(path: string): Promise<Answer> {
    return call(this.url, `/api/v1/${path}`, { headers: this.headers });
  }

  post(path: string, json: unknown = {}): Promise<Answer> {
    return call(this.url, `/api/v1/${path}`, { headers: this.headers, json });
  }

  send(method: string, path: string, json?: unknown): Promise<Answer> {
    return call(this.url, `/api/v1/${path}`, { method, headers: this.headers, json });
  }

  async stream(): Promise<Follower> {
    const follower = new Follower();
    follower.stream = await openStream(this.url, this.headers, (event) => follower.take(event));
    return follower;
  }
}

/** An open stream that keeps what came, and waits for what is to come. */
export class Follower {
  readonly events: StreamEvent[] = [];
  stream: Stream | undefined;
  #waiting: (() => void)[] = [];

  take(event: StreamEvent): void {
    this.events.push(event);
    for (const again of this.#waiting.splice(0)) again();
  }

  of(name: string): StreamEvent[] {
    return this.events.filter(({ event }) => event === name);
  }

  async next(wanted: (event: StreamEvent) => boolean, within = 5000): Promise<StreamEvent> {
    const until = Date.now() + within;
    for (;;) {
      const found = this.events.find(wanted);
      if (found !== undefined) return found;
      const left = until - Date.now();
      if (left <= 0) throw new Error(`No such event in ${within} ms; got ${JSON.stringify(this.events)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  close(): void {
    this.stream?.close();
  }
}

interface Joined {
  machine: string;
  token: string;
  key: string;
}

export class Machine extends Client {
  readonly id: string;
  readonly name: string;
  readonly joined: Joined;

  constructor(url: string, name: string, joined: Joined) {
    super(url, { authorization: `Bearer ${joined.token}` });
    this.id = joined.machine;
    this.name = name;
    this.joined = joined;
  }

  /** The hub's public key, pinned when the machine joined. */
  get key(): string {
    return this.joined.key;
  }
}

export class Person extends Client {
  readonly name: string;
  readonly signIn: Answer;

  constructor(url: string, name: string, signIn: Answer) {
    super(url, { cookie: cookieOf(signIn), origin: new URL(url).origin });
    this.name = name;
    this.signIn = signIn;
  }
}

export const PASSPHRASE = 'correct horse battery';

/** The cookie as a browser sends it back. */
export function cookieOf(answer: Answer): string {
  const set = answer.headers.getSetCookie().find((line) => line.startsWith('holdpoint_hub='));
  if (set === undefined) throw new Error(`No cookie: ${answer.status} ${answer.text}`);
  return set.split(';')[0] ?? '';
}

export function codeIn(text: string): string {
  const code = /hpi_[\w-]+/.exec(text)?.[0];
  if (code === undefined) throw new Error(`No code in ${text}`);
  return code;
}

let counter = 0;
export const unique = (prefix: string): string => `${prefix}-${++counter}-${Date.now().toString(36)}`;

/** Makes a person by the code of an invite or of the setup link. */
export async function personByCode(url: string, code: string, name: string): Promise<Person> {
  const origin = new URL(url).origin;
  const answer = await call(url, '/api/v1/setup', {
    json: { code, name, passphrase: PASSPHRASE },
    headers: { origin },
  });
  return new Person(url, name, answer);
}

export class Rig {
  hub!: HubProcess;
  admin!: Person;
  readonly storage: Storage;
  readonly data: string;
  readonly database: string | undefined;

  constructor(storage: Storage, data: string, database: string | undefined) {
    this.storage = storage;
    this.data = data;
    this.database = database;
  }

  get url(): string {
    return this.hub.url;
  }

  get home(): string {
    return join(this.data, '../home');
  }

  /** What a command needs to work on this hub's storage. */
  get where(): string[] {
    return ['--data', this.data, ...(this.database === undefined ? [] : ['--database', this.database])];
  }

  async start(options: Partial<HubOptions> = {}): Promise<HubProcess> {
    this.hub = await startHub({ data: this.data, database: this.database, ...options });
    return this.hub;
  }

  async person(role: 'viewer' | 'approver' | 'admin'): Promise<Person> {
    const invite = await this.admin.post('people/invite', { role });
    return personByCode(this.url, codeIn(invite.text), unique(role));
  }

  async machine(name = unique('machine')): Promise<Machine> {
    const invite = await this.admin.post('machines/invite', {});
    const { body, status, text } = await call(this.url, '/api/v1/join', {
      json: { code: codeIn(invite.text), name },
    });
    if (status !== 200) throw new Error(`join: ${status} ${text}`);
    return new Machine(this.url, name, body);
  }

  /** A machine again after the hub has moved to another port. */
  again(machine: Machine): Machine {
    return new Machine(this.url, machine.name, machine.joined);
  }
}

/**
 * A storage of its own, without a hub on it yet. The returned function ends and removes everything.
 * The embedded one is a copy of a hub that has started once, unless it has to be `fresh`.
 */
export async function newRig(
  storage: Storage,
  { fresh = false } = {},
): Promise<{ rig: Rig; remove: () => Promise<void> }> {
  const root = temporaryDirectory();
  const data = join(root, 'data');
  const template = process.env['HUB_TEST_TEMPLATE'] ?? '';
  if (storage === 'embedded' && !fresh) cpSync(template, data, { recursive: true });
  else mkdirSync(data, { mode: 0o700 });
  const database = storage === 'postgres' ? await freshDatabase(postgres()) : undefined;
  const rig = new Rig(storage, data, database);
  const remove = async () => {
    await rig.hub?.kill();
    if (database !== undefined) await dropDatabase(postgres(), database);
    rmSync(root, { recursive: true, force: true });
  };
  return { rig, remove };
}

/** One hub for a file, with a first person who is an admin. */
export function useHub(storage: Storage, options: Partial<HubOptions> = {}): Rig {
  let made: { rig: Rig; remove: () => Promise<void> } | undefined;
  beforeAll(async () => {
    made = await newRig(storage);
    await made.rig.start(options);
    made.rig.admin = await personByCode(made.rig.url, codeIn(made.rig.hub.setup ?? ''), 'ada');
  });
  afterAll(() => made?.remove());
  return new Proxy({} as Rig, {
    get: (_, name) => {
      const rig = made?.rig;
      const value = rig === undefined ? undefined : Reflect.get(rig, name, rig);
      return typeof value === 'function' ? value.bind(rig) : value;
    },
  });
}

export const PROJECT = { id: 'git:1a2b3c/example.org/shop', name: 'shop' };

/** A journal line as a machine sends it. */
export function decision(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: unique('d'),
    at: new Date().toISOString(),
    host: 'claude-code',
    session: 's1',
    event: 'PreToolUse',
    tool: 'Edit',
    call: 'toolu_1',
    actor: 'agent',
    channel: 'hook',
    branch: 'main',
    decision: 'deny',
    verdicts: [
      { guard: 'requirements', verdict: 'deny', grounds: [{ rule: 'commit_plan', fact: 'no plan' }] },
    ],
    ms: 3,
    project: PROJECT,
    ...fields,
  };
}

export function approvalRequest(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    decision: unique('d'),
    project: PROJECT,
    rule: 'deploy',
    description: 'Ask a person before a deploy.',
    scope: 'session',
    session: unique('s'),
    branch: 'main',
    since: new Date().toISOString(),
    ...fields,
  };
}

export const keyId = (spki: string): string =>
  `sha256:${createHash('sha256').update(Buffer.from(spki, 'base64')).digest('hex')}`;

/** Whether the text was signed by the key that the machine has pinned. */
export function signedBy(spki: string, text: string, signature: string): boolean {
  const key = createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
}
