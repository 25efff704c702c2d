import { decisionRows, newestSessions, sessionRows } from '../decisions/lists.js';
import type { Hub } from '../hub.js';
import { requestItem } from '../requests/rows.js';
import { type Connection, eventOf } from './connection.js';
import type { Notice } from './fanout.js';

type Key = readonly [machine: string, id: string];

const decisionsPerSecond = 20;
const sessionsPerRead = 50;
/** Decision notices that arrive within this time are read together. */
const gatherMs = 100;
/** How often all newest sessions are read, if notices could not name every one. */
const allSessionsMs = 2000;

/** What all people's streams show. Rows are read once, however many people watch. */
export class PeopleFeed {
  readonly #hub: Hub;
  readonly #connections = new Set<Connection>();
  #requests: Promise<void> = Promise.resolve();
  #decisions: Key[] = [];
  #skipped = 0;
  #allowance = decisionsPerSecond;
  #allowanceAt = 0;
  readonly #sessions = new Map<string, Key>();
  #hasUnnamedSessions = false;
  #allSessionsAt = Number.NEGATIVE_INFINITY;
  #isScheduled = false;

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  add(connection: Connection): void {
    this.#connections.add(connection);
    connection.send(eventOf('hello', { version: this.#hub.version }));
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection);
  }

  send(text: string): void {
    for (const connection of [...this.#connections]) connection.send(text);
  }

  heard(notice: Notice): void {
    if (notice.kind === 'missed') this.#end();
    else if (this.#connections.size > 0) this.#gather(notice);
  }

  #gather(notice: Notice): void {
    const id = notice['id'];
    if ((notice.kind === 'request' || notice.kind === 'answer') && typeof id === 'string')
      this.#requests = this.#requests.then(() => this.#sendRequest(id));
    this.#addDecisions(keysIn(notice['rows']), notice['count']);
    this.#addSessions(keysIn(notice['sessions']), notice['sessionCount']);
    this.#schedule();
  }

  async #sendRequest(id: string): Promise<void> {
    try {
      const item = await requestItem(this.#hub.db, id);
      if (item) this.#sendAll('request', item);
    } catch (error) {
      this.#failed(error);
    }
  }

  #addDecisions(keys: readonly Key[], count: unknown): void {
    this.#decisions.push(...keys);
    const surplus = this.#decisions.splice(0, Math.max(0, this.#decisions.length - decisionsPerSecond));
    const unnamed = typeof count === 'number' ? Math.max(0, count - keys.length) : 0;
    this.#skipped += surplus.length + unnamed;
  }

  #addSessions(keys: readonly Key[], count: unknown): void {
    for (const key of keys) this.#sessions.set(JSON.stringify(key), key);
    if (typeof count === 'number' && count > keys.length) this.#hasUnnamedSessions = true;
  }

  #schedule(): void {
    const hasNews = this.#decisions.length + this.#skipped + this.#sessions.size > 0;
    if (this.#isScheduled || !(hasNews || this.#hasUnnamedSessions)) return;
    this.#isScheduled = true;
    setTimeout(() => void this.#read(), gatherMs).unref();
  }

  async #read(): Promise<void> {
    try {
      await this.#readDecisions();
      await this.#readSessions();
    } catch (error) {
      this.#failed(error);
    }
    this.#isScheduled = false;
    this.#schedule();
  }

  async #readDecisions(): Promise<void> {
    const keys = this.#takeDecisions();
    const skipped = this.#skipped;
    this.#skipped = 0;
    const rows = keys.length > 0 ? await decisionRows(this.#hub.db, keys) : [];
    for (const row of rows) this.#sendAll('decision', row);
    if (skipped > 0) this.#sendAll('decision', { skipped });
  }

  /** The newest ones, as many as the rate limit allows; the others count as skipped. */
  #takeDecisions(): Key[] {
    const now = performance.now();
    const refilled = this.#allowance + ((now - this.#allowanceAt) / 1000) * decisionsPerSecond;
    this.#allowance = Math.min(decisionsPerSecond, refilled);
    this.#allowanceAt = now;
    const surplus = Math.max(0, this.#decisions.length - Math.floor(this.#allowance));
    const taken = this.#decisions.slice(surplus);
    this.#skipped += surplus;
    this.#allowance -= taken.length;
    this.#decisions = [];
    return taken;
  }

  async #readSessions(): Promise<void> {
    const now = performance.now();
    if (this.#hasUnnamedSessions && now - this.#allSessionsAt > allSessionsMs) {
      this.#hasUnnamedSessions = false;
      this.#allSessionsAt = now;
      for (const row of await newestSessions(this.#hub.db, 200)) this.#sendAll('session', row);
    }
    const entries = [...this.#sessions].slice(0, sessionsPerRead);
    if (entries.length === 0) return;
    for (const [name] of entries) this.#sessions.delete(name);
    const keys = entries.map(([, key]) => key);
    for (const row of await sessionRows(this.#hub.db, keys)) this.#sendAll('session', row);
  }

  #sendAll(name: string, data: object): void {
    this.send(eventOf(name, data));
  }

  #failed(error: unknown): void {
    this.#hub.log({ level: 'error', message: 'could not read for the stream', error: String(error) });
    this.#end();
  }

  /** Clients cannot tell what they missed, so they must reconnect and read the lists. */
  #end(): void {
    for (const connection of [...this.#connections]) connection.end();
  }
}

function keysIn(value: unknown): Key[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (key) => Array.isArray(key) && key.length === 2 && key.every((one) => typeof one === 'string'),
  );
}
