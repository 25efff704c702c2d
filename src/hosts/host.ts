import type { Answer, Decision } from '../core/decision';
import type { Event, EventKind } from '../core/event';
import type { Glance } from '../core/glance';
import type { HostName } from '../core/host-name';
import type { JsonObject } from '../core/json';
import type { TranscriptAsk, TranscriptFacts } from '../core/snapshot';

/** One way in which a host lets us speak at an event. */
export type Power = 'deny' | 'ask' | 'hold' | 'advise-agent' | 'advise-person' | 'change-input';

/** What a host can carry, by kind of event. A kind that is missing takes no answer at all. */
export type Capabilities = Readonly<Partial<Record<EventKind, readonly Power[]>>>;

type Environment = Readonly<Record<string, string | undefined>>;

/** How a host's documents are glanced at. Pure. */
export interface HostGlance {
  readonly name: HostName;
  /** Never throws: what has the wrong type counts as absent. */
  glance(raw: JsonObject): Glance;
}

/** How a host is understood and answered. Pure; loaded only by an event that somebody watches. */
export interface Host {
  readonly name: HostName;
  readonly capabilities: Capabilities;
  /** After how many refused stops in a row the host ends the turn by itself; `undefined` where it never does. */
  stopCap(env: Environment): number | undefined;
  /**
   * Never throws: what has the wrong type counts as absent. `at` is in milliseconds since the epoch; `seen` is what a
   * glance at the same document has shown, for who has it.
   */
  parse(raw: JsonObject, at: number, seen?: Glance): Event;
  render(event: Event, decision: Decision): Answer;
  /** What would make the host throw this answer away; nothing when it is sound. */
  check(event: Event, answer: Answer): string | undefined;
}

/**
 * A host other than Claude Code: all of it lies in one chunk, `host-<name>.cjs`, so that the hook's
 * first file does not grow with their number.
 */
export interface OtherHost extends HostGlance, Host {
  /**
   * Whether this host is told of us in settings of its own. Only a host that runs Claude Code's settings as
   * well has to answer: there the same event would be decided twice.
   */
  hasOwnEntry?(project: string, env: Environment): boolean;
  /** Whether the agent's shell does not know its session, so that commands in it find it only by our registry. */
  readonly namelessShell?: true;
  /** What the host's transcripts tell at an event, where we can read them. Never throws. */
  transcriptFacts?(path: string, ask: TranscriptAsk, raw: JsonObject): TranscriptFacts;
}
