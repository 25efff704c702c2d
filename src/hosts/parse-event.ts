import type {
  CanonicalMode,
  Envelope,
  Event,
  EventBody,
  EventHeader,
  EventKind,
  PromptOrigin,
  StartSource,
  Subagent,
  ToolCall,
  ToolOutcome,
} from '../core/event';
import type { HostName } from '../core/host-name';
import type { JsonObject } from '../core/json';
import { isFeedback } from './answer';
import { type Loose, listIn, nameIn, present, textIn } from './fields';

/** The kinds of a host's events by their native names. */
export type Kinds = Readonly<Record<string, EventKind>>;

/** The kind of a native event; a name from a newer client is `other`. */
export function kindIn(kinds: Kinds, hostEvent: string): EventKind {
  return Object.hasOwn(kinds, hostEvent) ? (kinds[hostEvent] ?? 'other') : 'other';
}

/** The header of a document whose members have Claude Code's names. */
export function claudeHeader(
  raw: JsonObject,
  host: HostName,
  kinds: Kinds,
  hostEvent: string,
  toolNames: readonly string[],
): EventHeader {
  const [sessionId, cwd] = [textIn(raw, 'session_id') ?? '', textIn(raw, 'cwd') ?? ''];
  return { host, kind: kindIn(kinds, hostEvent), hostEvent, sessionId, cwd, toolNames };
}

/** A document while it is read. */
interface Document {
  readonly raw: JsonObject;
  readonly cwd: string;
  /** The tool call that it is about. */
  call(): ToolCall;
}

/** The part of an event that only its kind has. */
export type Body<K extends EventKind> = Loose<Omit<Extract<EventBody, { kind: K }>, 'kind'>>;

/** How the body of each kind is read. */
export type BodyReaders = { readonly [K in EventKind]?: (document: Document) => Body<K> };

/** How a host's documents are read beside their header. */
export interface DocumentReader {
  call(raw: JsonObject, cwd: string): ToolCall;
  /** What of the envelope is not in the header. */
  envelope(raw: JsonObject, header: EventHeader): Partial<Loose<Envelope>>;
  /** Kinds that are read in another way than Claude Code's. */
  readonly bodies: BodyReaders;
}

/** A document as an event. What is missing in it or has the wrong type is absent or empty. */
export function eventFrom(raw: JsonObject, at: number, header: EventHeader, reader: DocumentReader): Event {
  const { host, kind, hostEvent, sessionId, cwd } = header;
  const document: Document = { raw, cwd, call: () => reader.call(raw, cwd) };
  const body = (reader.bodies[kind] ?? BODIES[kind])?.(document);
  const envelope = { v: 1, host, hostEvent, raw, sessionId, cwd, roots: [], ...reader.envelope(raw, header) };
  return present({ ...envelope, at, kind, ...body }) as Event;
}

/** Bodies as Claude Code names their members, and many hosts after it. */
const BODIES: BodyReaders = {
  'session.start': ({ raw }) => ({ source: startSource(raw['source']) ?? 'unknown' }),
  'session.end': ({ raw }) => ({ reason: textIn(raw, 'reason') ?? '' }),
  'prompt.submit': ({ raw }) => promptFrom(textIn(raw, 'prompt'), nameIn(raw, 'agent_id') !== undefined),
  'tool.before': ({ call }) => ({ call: call() }),
  'permission.request': ({ raw, call }) => ({
    call: call(),
    suggestions: listIn(raw, 'permission_suggestions'),
  }),
  'permission.denied': ({ raw, call }) => ({ call: call(), reason: textIn(raw, 'reason') ?? '' }),
  'turn.stop': ({ raw }) => ({
    ...stopFrom(raw['stop_hook_active'] === true, textIn(raw, 'last_assistant_message')),
    backgroundTasks: listIn(raw, 'background_tasks'),
    crons: listIn(raw, 'session_crons'),
  }),
  'turn.error': ({ raw }) => ({ error: textIn(raw, 'error') ?? '', details: textIn(raw, 'error_details') }),
  'subagent.start': ({ raw }) => ({ subagent: subagentIn(raw) }),
  'subagent.stop': ({ raw }) => ({
    subagent: subagentIn(raw),
    continuing: raw['stop_hook_active'] === true,
    transcript: nameIn(raw, 'agent_transcript_path'),
    lastMessage: textIn(raw, 'last_assistant_message'),
  }),
  'compact.before': ({ raw }) => ({
    trigger: textIn(raw, 'trigger') ?? '',
    instructions: textIn(raw, 'custom_instructions'),
  }),
  'compact.after': ({ raw }) => ({
    trigger: textIn(raw, 'trigger') ?? '',
    summary: textIn(raw, 'compact_summary'),
  }),
};

const START_SOURCES: readonly StartSource[] = ['startup', 'resume', 'clear', 'compact', 'fork'];

/** Why a session began, if the value is one of the known reasons. */
export function startSource(value: unknown): StartSource | undefined {
  return START_SOURCES.find((source) => source === value);
}

/** An end of turn that nobody interrupted. */
export function stopFrom(continuing: boolean, lastMessage: string | undefined): Body<'turn.stop'> {
  return { continuing, lastMessage, status: 'completed', backgroundTasks: [], crons: [] };
}

/** How a command ended, by its exit code. */
export function outcomeOfCode(code: number | undefined): ToolOutcome {
  return code === undefined ? 'unknown' : code === 0 ? 'success' : 'failure';
}

function subagentIn(raw: JsonObject): Subagent {
  return present({ id: textIn(raw, 'agent_id') ?? '', type: nameIn(raw, 'agent_type') });
}

const MODES: Readonly<Record<string, CanonicalMode>> = {
  default: 'ask',
  acceptEdits: 'edits',
  auto: 'auto',
  bypassPermissions: 'bypass',
  plan: 'plan',
  dontAsk: 'deny',
};

/** The members of the envelope that Claude Code and Codex give. */
export function claudeEnvelope(raw: JsonObject): Partial<Loose<Envelope>> {
  const mode = nameIn(raw, 'permission_mode');
  const canonical = mode !== undefined && Object.hasOwn(MODES, mode) ? MODES[mode] : undefined;
  return {
    transcriptPath: nameIn(raw, 'transcript_path'),
    // `agent_type` alone is no sign of a subagent: the main thread may run as a named agent too.
    agent: nameIn(raw, 'agent_id') === undefined ? undefined : subagentIn(raw),
    permissionMode: mode === undefined ? undefined : { native: mode, canonical: canonical ?? 'unknown' },
    model: nameIn(raw, 'model'),
  };
}

/** Tags that hosts put around what nobody typed. Any other tag may be pasted markup. */
const MACHINE =
  /^\s*<(?:system[_-](?:notification|reminder)|subagent_notification|task-notification|turn_aborted|environment_context)[\s>]/;
const HOOK_PROMPT = /^\s*<hook_prompt[\s>]/;

/** A prompt and who wrote it, on hosts that do not say. In doubt it is not a person: an approval may rest on it. */
export function promptFrom(text: string | undefined, isByMachine: boolean): Body<'prompt.submit'> {
  return { text: text ?? '', origin: originOf(text, isByMachine) };
}

function originOf(text: string | undefined, isByMachine: boolean): PromptOrigin {
  if (text === undefined) return 'unknown';
  if (HOOK_PROMPT.test(text) || isFeedback(text)) return 'continuation';
  return isByMachine || MACHINE.test(text) ? 'machine' : 'human';
}
