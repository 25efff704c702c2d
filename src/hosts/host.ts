import type { Answer, Decision } from '../domain/decision';
import type { Event, EventKind } from '../domain/event';
import type { Glance } from '../domain/glance';
import type { HostName } from '../domain/host-name';
import type { JsonObject } from '../domain/json';

/** One way in which a host lets us speak at an event. */
export type Power = 'deny' | 'ask' | 'hold' | 'advise-agent' | 'advise-person';

/** What a host can carry, by kind of event. A kind that is missing takes no answer at all. */
export type Capabilities = Readonly<Partial<Record<EventKind, readonly Power[]>>>;

/** How a host's documents are told and glanced at. Pure; part of the hook's first file, so it is kept small. */
export interface HostGlance {
  readonly name: HostName;
  /** Whether this document can only have come from this host. */
  recognises(raw: JsonObject): boolean;
  /** Never throws: what has the wrong type counts as absent. */
  glance(raw: JsonObject): Glance;
}

/** How a host is understood and answered. Pure; loaded only by an event that somebody watches. */
export interface Host {
  readonly name: HostName;
  readonly capabilities: Capabilities;
  /** Never throws: what has the wrong type counts as absent. `at` is in milliseconds since the epoch. */
  parse(raw: JsonObject, at: number): Event;
  render(event: Event, decision: Decision): Answer;
  /** What would make the host throw this answer away; nothing when it is sound. */
  check(event: Event, answer: Answer): string | undefined;
}
