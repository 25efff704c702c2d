import type { Answer, Decision } from '../domain/decision';
import type { Event, EventKind } from '../domain/event';
import type { HostName } from '../domain/host-name';
import type { JsonObject } from '../domain/json';

/** One way in which a host lets us speak at an event. */
export type Power = 'deny' | 'ask' | 'hold' | 'advise-agent' | 'advise-person';

/** What a host can carry, by kind of event. A kind that is missing takes no answer at all. */
export type Capabilities = Readonly<Partial<Record<EventKind, readonly Power[]>>>;

/** How a host's documents are read. Pure; in the hook's first file, since every event passes it. */
export interface HostReader {
  readonly name: HostName;
  /** Whether this document can only have come from this host. */
  recognises(raw: JsonObject): boolean;
  /** Never throws: what has the wrong type counts as absent. `at` is in milliseconds since the epoch. */
  parse(raw: JsonObject, at: number): Event;
}

/** How a host is answered. Pure; loaded only by an event that somebody watches. */
export interface HostWriter {
  readonly name: HostName;
  readonly capabilities: Capabilities;
  render(event: Event, decision: Decision): Answer;
  /** What would make the host throw this answer away; nothing when it is sound. */
  check(event: Event, answer: Answer): string | undefined;
}
