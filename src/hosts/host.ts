import type { Event, EventHeader, EventKind, ToolCall } from '../core/event';
import type { TranscriptAsk, TranscriptFacts } from '../core/guard';
import type { HostName } from '../core/host-name';
import type { JsonObject } from '../core/json';
import type { Answer, Decision } from '../core/verdict';
import { type Can, type Carried, carry, checkAnswer, type Fields, powersAt } from './answer';
import { type BodyReaders, eventFrom, headerFrom, type Kinds, type MoreEnvelope } from './parse';

/** Something that an answer to a host can do. */
export type Power =
  | 'deny'
  | 'ask'
  | 'hold'
  | 'advise-agent'
  | 'advise-person'
  | 'notify'
  | 'change-input'
  | 'report';

/** What a host accepts in an answer, by kind of event. At a kind that is missing it accepts nothing. */
export type Capabilities = Readonly<Partial<Record<EventKind, readonly Power[]>>>;

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * How a coding agent's program is understood and answered. Pure. Claude Code is part of the hook's own chunks, every
 * other host is a chunk of its own (`host-<name>.cjs`).
 */
export interface Host {
  readonly name: HostName;
  readonly capabilities: Capabilities;
  /** After how many refused stops in a row the host ends the turn by itself; `undefined` where it never does. */
  stopCap(env: Environment): number | undefined;
  /** As much of a document as routing needs. Never throws. */
  readHeader(raw: JsonObject): EventHeader;
  /** The whole document. Never throws. `at` is in milliseconds since the epoch; the header is read unless given. */
  parse(raw: JsonObject, at: number, header?: EventHeader): Event;
  render(event: Event, decision: Decision): Answer;
  /** Why the host would throw this answer away; `undefined` when it is sound. */
  check(event: Event, answer: Answer): string | undefined;
  /**
   * Whether this host's own settings call us. Only for hosts that also run Claude Code's settings: there the same event
   * would be decided twice.
   */
  hasOwnEntry?(project: string, env: Environment): boolean;
  /** The agent's shell does not know its session: commands in it find the session by our registry only. */
  readonly namelessShell?: true;
  /** What the host's transcript tells, where we can read it. Never throws. */
  transcriptFacts?(path: string, ask: TranscriptAsk, raw: JsonObject): TranscriptFacts;
}

/** A host by its names, its tables and its words for an answer. */
interface HostParts extends Omit<Host, 'stopCap' | 'readHeader' | 'parse' | 'render' | 'check'> {
  readonly stopCap?: number;
  readonly kinds: Kinds;
  /** What of the header is named in another way than by Claude Code. */
  header(raw: JsonObject): Partial<EventHeader>;
  envelope(raw: JsonObject, header: EventHeader): MoreEnvelope;
  readonly bodies: BodyReaders;
  call(raw: JsonObject, cwd: string): ToolCall;
  /** Where more than the kind of an event decides what an answer can do. */
  capabilitiesAt?(event: Event): Capabilities;
  render(event: Event, decision: Decision, carried: Carried): Answer;
  /** The fields that an answer may have. */
  fields(event: Event, can: Can): Fields;
}

export function hostFrom(parts: HostParts): Host {
  const { capabilities, capabilitiesAt = () => capabilities, stopCap } = parts;
  const readHeader = (raw: JsonObject): EventHeader =>
    headerFrom(parts.name, parts.kinds, raw, parts.header(raw));
  return {
    ...parts,
    stopCap: () => stopCap,
    readHeader,
    parse: (raw, at, header = readHeader(raw)) =>
      eventFrom(raw, at, header, parts.call, parts.bodies, parts.envelope(raw, header)),
    render: (event, decision) => parts.render(event, decision, carry(capabilitiesAt(event), event, decision)),
    check: (event, answer) =>
      checkAnswer(answer, parts.fields(event, powersAt(capabilitiesAt(event), event))),
  };
}
