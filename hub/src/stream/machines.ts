import type { Hub } from '../hub.js';
import { pendingAnswers } from '../requests/answer.js';
import type { KeyLink } from '../requests/keys.js';
import { type Connection, eventOf } from './connection.js';
import type { Notice } from './fanout.js';

/** The streams of machines: answers to their own requests, and new keys of the hub. */
export class MachineFeed {
  readonly #hub: Hub;
  readonly #connections = new Map<string, Set<Connection>>();
  #waiting = new Set<string>();
  #isScheduled = false;
  #sentLinks: number;

  constructor(hub: Hub) {
    this.#hub = hub;
    this.#sentLinks = hub.keys.chain.length;
  }

  /** Sends hello, then all that the machine may have missed: keys, and answers that it has not confirmed. */
  add(machine: string, connection: Connection): void {
    const known = this.#connections.get(machine) ?? new Set();
    known.add(connection);
    this.#connections.set(machine, known);
    const { version, keys } = this.#hub;
    connection.send(eventOf('hello', { version, key: keys.id }));
    this.#sendKeys([connection], keys.chain);
    this.#send(machine);
  }

  remove(machine: string, connection: Connection): void {
    const known = this.#connections.get(machine);
    known?.delete(connection);
    if (known?.size === 0) this.#connections.delete(machine);
  }

  heard(notice: Notice): void {
    if (notice.kind === 'answer' && typeof notice['machine'] === 'string') this.#send(notice['machine']);
    if (notice.kind === 'key' || notice.kind === 'missed') void this.#newKey();
    if (notice.kind === 'missed') for (const machine of this.#connections.keys()) this.#send(machine);
  }

  /** Also sends unconfirmed answers again, in case a notice was lost with the database connection. */
  sendComment(text: string): void {
    for (const [machine, connections] of this.#connections) {
      this.#hub.seen(machine);
      for (const connection of [...connections]) connection.send(text);
      this.#send(machine);
    }
  }

  /** Machines that are added within one turn of the event loop share one query. */
  #send(machine: string): void {
    if (!this.#connections.has(machine)) return;
    this.#waiting.add(machine);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => void this.#read());
  }

  async #read(): Promise<void> {
    const machines = [...this.#waiting];
    this.#waiting = new Set();
    try {
      for (const { machine, delivery } of await pendingAnswers(this.#hub, machines)) {
        const text = eventOf('approval', delivery);
        for (const connection of [...(this.#connections.get(machine) ?? [])]) connection.send(text);
      }
    } catch (error) {
      this.#failed('could not read answers for the stream', error);
    }
    this.#isScheduled = false;
    const [next] = this.#waiting;
    if (next !== undefined) this.#send(next);
  }

  async #newKey(): Promise<void> {
    try {
      await this.#hub.keys.refresh();
      const fresh = this.#hub.keys.chain.slice(this.#sentLinks);
      this.#sentLinks += fresh.length;
      this.#sendKeys(
        [...this.#connections.values()].flatMap((known) => [...known]),
        fresh,
      );
    } catch (error) {
      this.#failed('could not read the new key', error);
    }
  }

  /** A machine ignores links that its pinned key did not sign. */
  #sendKeys(connections: readonly Connection[], links: readonly KeyLink[]): void {
    for (const link of links) {
      const text = eventOf('key', link);
      for (const connection of connections) connection.send(text);
    }
  }

  #failed(message: string, error: unknown): void {
    this.#hub.log({ level: 'error', message, error: String(error) });
  }
}
