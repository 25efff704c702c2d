import { decisionRows, sessionRows } from '../decisions/lists.js';
import type { Hub } from '../hub.js';
import { requestItem } from '../requests/rows.js';
import { type Connection, eventOf, type StreamEvent } from './connection.js';
import type { Notice } from './fanout.js';

type Key = readonly [machine: string, id: string];

const decisionsPerSecond = 20;
const sessionsPerRead = 50;
/** Notices that arrive within this time are read together. */
const gatherMs = 100;
const keptEvents = 500;

/** What all people's streams show. Rows are read once, however many look. */
export class PeopleFeed {
  readonly #hub: Hub;
  readonly #connections = new Set<Connection>();
  readonly #kept: StreamEvent[] = [];
  /** Nobody looked before this id, so nothing was read. */
  #keptFrom = Number.POSITIVE_INFINITY;
  #requests = new Set<string>();
  #decisions: Key[] = [];
  #skippedDecisions = 0;
  #sessions = new Map<string, Key>();
  #skippedSessions = 0;
  #isScheduled = false;
  #allowance = decisionsPerSecond;
  #allowanceAt = 0;

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  add(connection: Connection, lastId: number | null): void {
    const from = lastId ?? Number.NaN;
    const isContinued = from >= this.#keptFrom && (this.#kept.at(-1)?.id ?? this.#keptFrom) >= from;
    const hello = eventOf('hello', {
      version: this.#hub.version,
      ...(lastId !== null && { missed: !isContinued }),
    });
    if (this.#connections.size === 0 && !isContinued) this.#keptFrom = hello.id;
    this.#connections.add(connection);
    connection.send(hello.text);
    if (isContinued) for (const { id, text } of this.#kept) if (id > from) connection.send(text);
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection);
  }

  beat(text: string): void {
    for (const connection of [...this.#connections]) connection.send(text);
  }

  end(): void {
    for (const connection of [...this.#connections]) connection.end();
  }

  heard(notice: Notice): void {
    if (this.#connections.size === 0) {
      // What happens now is not read, so nobody can continue from before.
      this.#kept.length = 0;
      this.#keptFrom = Number.POSITIVE_INFINITY;
      return;
    }
    if ((notice.kind === 'request' || notice.kind === 'answer') && typeof notice['id'] === 'string')
      this.#requests.add(notice['id']);
    this.#addDecisions(keysIn(notice['rows']), numberIn(notice['count']));
    this.#addSessions(keysIn(notice['sessions']), numberIn(notice['sessionCount']));
    this.#schedule();
  }

  #addDecisions(keys: readonly Key[], count: number): void {
    this.#decisions.push(...keys);
    const surplus = this.#decisions.splice(0, Math.max(0, this.#decisions.length - decisionsPerSecond));
    this.#skippedDecisions += surplus.length + Math.max(0, count - keys.length);
  }

  #addSessions(keys: readonly Key[], count: number): void {
    for (const key of keys) this.#sessions.set(JSON.stringify(key), key);
    this.#skippedSessions += Math.max(0, count - keys.length);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => void this.#read(), gatherMs).unref();
  }

  async #read(): Promise<void> {
    const requests = [...this.#requests];
    const decisions = this.#takeDecisions();
    const skipped = this.#skippedDecisions;
    const sessions = [...this.#sessions.values()].slice(-sessionsPerRead);
    const skippedSessions = this.#skippedSessions + this.#sessions.size - sessions.length;
    this.#requests = new Set();
    this.#skippedDecisions = 0;
    this.#sessions = new Map();
    this.#skippedSessions = 0;
    try {
      for (const id of requests) this.#sendAll('request', await requestItem(this.#hub.db, id));
      if (decisions.length > 0)
        for (const row of await decisionRows(this.#hub.db, decisions)) this.#sendAll('decision', row);
      if (skipped > 0) this.#sendAll('decision', { skipped });
      if (sessions.length > 0)
        for (const row of await sessionRows(this.#hub.db, sessions)) this.#sendAll('session', row);
      if (skippedSessions > 0) this.#sendAll('session', { skipped: skippedSessions });
    } catch (error) {
      // Those who look cannot tell what they missed, so they start over.
      this.#hub.log({ level: 'error', message: 'could not read for the stream', error: String(error) });
      this.end();
    }
    this.#isScheduled = false;
    if (this.#requests.size + this.#decisions.length + this.#sessions.size > 0) this.#schedule();
  }

  /** The newest, as many as a second allows; the others count as skipped. */
  #takeDecisions(): Key[] {
    const now = performance.now();
    const refilled = this.#allowance + ((now - this.#allowanceAt) / 1000) * decisionsPerSecond;
    this.#allowance = Math.min(decisionsPerSecond, refilled);
    this.#allowanceAt = now;
    const taken = this.#decisions.slice(Math.max(0, this.#decisions.length - Math.floor(this.#allowance)));
    this.#skippedDecisions += this.#decisions.length - taken.length;
    this.#allowance -= taken.length;
    this.#decisions = [];
    return taken;
  }

  #sendAll(name: string, data: object | null): void {
    if (!data) return;
    const event = eventOf(name, data);
    this.#kept.push(event);
    if (this.#kept.length > keptEvents) this.#keptFrom = this.#kept.shift()?.id ?? this.#keptFrom;
    for (const connection of [...this.#connections]) connection.send(event.text);
  }
}

function keysIn(value: unknown): Key[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (key) => Array.isArray(key) && key.length === 2 && key.every((one) => typeof one === 'string'),
  );
}

function numberIn(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
