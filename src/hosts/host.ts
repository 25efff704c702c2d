import type { Event, EventHeader, EventKind, ToolCall } from '../core/event';
import type { TranscriptAsk, TranscriptFacts } from '../core/guard';
import type { HostName } from '../core/host-name';
import type { JsonObject } from '../core/json';
import type { Answer, Decision } from '../core/verdict';
import {
  type BodyReaders,
  type DeliverableParts,
  deliverableParts,
  eventFrom,
  headerFrom,
  type Kinds,
  type MoreEnvelope,
} from './protocol';

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

/** What an answer can do at most events that accept any text. */
export const ADVICE: readonly Power[] = ['advise-agent', 'advise-person'];

export type HasPower = (power: Power) => boolean;

/** What a host accepts in an answer, by event kind; nothing for kinds that are not listed. */
export type Capabilities = Readonly<Partial<Record<EventKind, readonly Power[]>>>;

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * How to parse a host's events and render answers. Pure. Claude Code is part of the hook's own chunks; every other host
 * is a separate chunk (`host-<name>.cjs`).
 */
export interface Host {
  readonly name: HostName;
  readonly capabilities: Capabilities;
  /** After how many held stops in a row the host ends the turn anyway; `undefined` if it never does. */
  stopCap(env: Environment): number | undefined;
  /** Reads only as much as routing needs. Never throws. */
  readHeader(raw: JsonObject): EventHeader;
  /** Parses the whole document; never throws. `at` is in milliseconds since the epoch. Without `header`, reads it. */
  parse(raw: JsonObject, at: number, header?: EventHeader): Event;
  render(event: Event, decision: Decision): Answer;
  /**
   * Whether this host's own settings call us at this kind of event. Only for hosts that also run Claude Code's settings:
   * there the same event would be decided twice.
   */
  hasOwnEntry?(kind: EventKind, project: string, env: Environment): boolean;
  /** The agent's shell does not know its session, so commands must find it in our registry. */
  readonly namelessShell?: true;
  /** Answers questions about the host's transcript, if we can read it. Never throws. */
  transcriptFacts?(path: string, ask: TranscriptAsk, raw: JsonObject): TranscriptFacts;
}

/** The host-specific parts from which `hostFrom` builds a `Host`. */
interface HostParts extends Omit<Host, 'stopCap' | 'readHeader' | 'parse' | 'render'> {
  readonly stopCap?: number;
  readonly kinds: Kinds;
  /** The header members that this host names differently than Claude Code. */
  header(raw: JsonObject): Partial<EventHeader>;
  envelope(raw: JsonObject, header: EventHeader): MoreEnvelope;
  readonly bodies: BodyReaders;
  call(raw: JsonObject, cwd: string): ToolCall;
  /** For hosts where the capabilities depend on more than the event's kind. */
  capabilitiesAt?(event: Event): Capabilities;
  render(event: Event, decision: Decision, parts: DeliverableParts): Answer;
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
    render: (event, decision) =>
      parts.render(event, decision, deliverableParts(capabilitiesAt(event), event, decision)),
  };
}
