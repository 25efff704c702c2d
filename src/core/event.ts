import type { Who } from './actor';
import type { HostName } from './host-name';
import { isJsonObject, type Json, type JsonObject } from './json';

/** What a tool does, independent of the host's name for it. */
export type Operation =
  | 'shell'
  | 'write'
  | 'edit'
  | 'patch'
  | 'delete'
  | 'read'
  | 'search'
  | 'web'
  | 'agent'
  | 'skill'
  | 'mcp'
  | 'plan'
  | 'task'
  | 'other';

/** One tool call. Facts that the host did not give are absent, never guessed. */
export interface ToolCall {
  readonly nativeName: string;
  /** Every name under which a rule may mention this tool: the native one first, then its aliases. */
  readonly names: readonly string[];
  readonly op: Operation;
  readonly callId?: string;
  readonly input: JsonObject;
  readonly command?: string;
  /** Absolute paths of the files that the call targets. */
  readonly paths: readonly string[];
  readonly newText?: string;
  /** The host may apply an edit that does not match exactly, so its result cannot be predicted. */
  readonly isInexact?: boolean;
  readonly agentType?: string;
  readonly prompt?: string;
  readonly skill?: string;
  readonly mcp?: { readonly server: string; readonly tool: string };
  readonly background?: boolean;
}

/** The called MCP tool. Some hosts do not split off the server; the last part says what the tool does. */
export function mcpToolOf({ op, mcp, names }: ToolCall): string | undefined {
  if (mcp !== undefined) return mcp.tool;
  return op === 'mcp' || op === 'other'
    ? names.find((name) => name.startsWith('mcp__'))?.slice(5)
    : undefined;
}

export type CanonicalMode = 'ask' | 'edits' | 'auto' | 'bypass' | 'plan' | 'deny' | 'unknown';

/** Fields that every event has, whichever host sent it. */
export interface Envelope {
  readonly v: 1;
  readonly host: HostName;
  /** The host's own name for the event. */
  readonly hostEvent: string;
  /** The document as the host sent it. */
  readonly raw: JsonObject;
  /** Empty when the host gave none. */
  readonly sessionId: string;
  readonly promptId?: string;
  /** Empty when the host gave none. */
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly transcriptPath?: string;
  /** Present only inside a subagent. */
  readonly agent?: { readonly id: string; readonly type?: string };
  readonly permissionMode?: { readonly native: string; readonly canonical: CanonicalMode };
  readonly model?: string;
  /** Milliseconds since the epoch at which we read the event. */
  readonly at: number;
}

export type StartSource = 'startup' | 'resume' | 'clear' | 'compact' | 'fork' | 'unknown';
export type PromptOrigin = 'human' | 'machine' | 'continuation' | 'unknown';
export type ToolOutcome = 'success' | 'failure' | 'unknown';

export interface Subagent {
  readonly id: string;
  readonly type?: string;
}

/** Events that nobody needs normalised: their native fields are enough. */
export const PLAIN_KINDS = [
  'model.switch.before',
  'model.switch.after',
  'model.request.before',
  'model.request.after',
  'task.created',
  'task.completed',
  'teammate.idle',
  'notification',
  'elicitation',
  'elicitation.result',
  'config.change',
  'instructions.loaded',
  'cwd.changed',
  'file.changed',
  'directory.added',
  'worktree.create',
  'worktree.remove',
  'message.display',
  'setup',
  'turn.interrupt',
  'other',
] as const;

export type PlainKind = (typeof PLAIN_KINDS)[number];

/** The fields that depend on the kind. */
export type EventBody =
  | { readonly kind: 'session.start'; readonly source: StartSource }
  | { readonly kind: 'session.end'; readonly reason: string }
  | { readonly kind: 'prompt.submit'; readonly text: string; readonly origin: PromptOrigin }
  | { readonly kind: 'prompt.expand'; readonly name: string; readonly args: string; readonly source: string }
  | { readonly kind: 'tool.before'; readonly call: ToolCall }
  | {
      readonly kind: 'tool.after';
      readonly call: ToolCall;
      readonly outcome: ToolOutcome;
      readonly response: { readonly raw: Json; readonly text?: string };
      readonly changedPaths?: readonly string[];
      readonly durationMs?: number;
      readonly error?: string;
      readonly interrupted?: boolean;
    }
  | { readonly kind: 'tool.batch'; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'permission.request'; readonly call: ToolCall; readonly suggestions: readonly Json[] }
  | { readonly kind: 'permission.denied'; readonly call: ToolCall; readonly reason: string }
  | {
      readonly kind: 'turn.stop';
      /** True once a stop of this prompt was held, by us or by another hook. */
      readonly continuing: boolean;
      readonly lastMessage?: string;
      /** Everything the agent said since the prompt, on hosts that accumulate it over held stops. */
      readonly saidSincePrompt?: string;
      /** The host's timestamp of this stop: equal in all documents about it, different for any other stop. */
      readonly stamp?: string;
      readonly status: 'completed' | 'aborted' | 'error';
      readonly backgroundTasks: readonly Json[];
      readonly crons: readonly Json[];
    }
  | { readonly kind: 'turn.error'; readonly error: string; readonly details?: string }
  | { readonly kind: 'subagent.start'; readonly subagent: Subagent }
  | {
      readonly kind: 'subagent.stop';
      readonly subagent: Subagent;
      readonly continuing: boolean;
      readonly transcript?: string;
      readonly lastMessage?: string;
    }
  | { readonly kind: 'compact.before'; readonly trigger: string; readonly instructions?: string }
  | { readonly kind: 'compact.after'; readonly trigger: string; readonly summary?: string }
  | { readonly kind: PlainKind };

/** One event, in a form that is the same for all hosts. */
export type Event = Envelope & EventBody;
export type EventKind = Event['kind'];
export type EventOf<K extends EventKind> = Extract<Event, { kind: K }>;

/** The text of a file after the edits in a tool's input; `undefined` if the tool would fail. */
export function editedText(input: JsonObject, before: string | undefined): string | undefined {
  const edits = Array.isArray(input['edits']) ? input['edits'].filter(isJsonObject) : [input];
  // Editors read and compare with LF line endings, and an edit that replaces nothing creates the file.
  return edits.reduce<string | undefined>(
    (text, { old_string: old, new_string: fresh, replace_all: all }) => {
      if (typeof old !== 'string' || typeof fresh !== 'string') return undefined;
      if (old === '' && !text) return fresh;
      if (!text?.includes(old)) return undefined;
      // A function, so that `$` in the new text has no special meaning.
      return all === true ? text.replaceAll(old, () => fresh) : text.replace(old, () => fresh);
    },
    before?.replaceAll('\r\n', '\n'),
  );
}

export function toolCallOf(event: Event): ToolCall | undefined {
  return 'call' in event ? event.call : undefined;
}

/** Whether something can be held at such an event: a tool call or the end of a turn. */
export function mayBeHeld({ kind }: Pick<Event, 'kind'>): boolean {
  return kind === 'tool.before' || kind === 'turn.stop';
}

/** PATH_MAX of Linux: no existing file has a longer path. */
export const LONGEST_PATH = 4096;

/** No well-meant call names more. We look each one up, and the host does not wait long. */
export const MOST_PATHS = 5000;

/** In all of them together: looking up a deep path takes as long as looking up many. */
const MOST_PARTS = 20_000;

/** The strings in a tool's input that may be paths, as many as can be looked up in time. */
export function possiblePaths(input: Json): string[] {
  let parts = 0;
  const isEarly = (path: string): boolean => {
    parts += path.split('/').length;
    return parts <= MOST_PARTS;
  };
  return [...new Set(stringsIn(input))].slice(0, MOST_PATHS).filter(isEarly);
}

/** Whether there are more of them than that. */
export function namesTooMuch(input: Json): boolean {
  return possiblePaths(input).length < new Set(stringsIn(input)).size;
}

/** Members that hold text, whatever the tool: even if it is a path, it names no file to be written. */
const TEXT_KEY =
  /^(?:(?:old|new)_?(?:text|string|str)|contents?|text|body|description|message|comment|summary|observations|prompt|query)$/i;

/** Not recursive, since an agent can nest lists as deeply as it likes. */
function stringsIn(value: Json): string[] {
  const strings: string[] = [];
  const open: Json[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one === 'string') {
      if (one.length < LONGEST_PATH && !one.includes('\n')) strings.push(one);
    } else if (typeof one === 'object' && one !== null) {
      open.push(...membersThatMayName(one));
    }
  }
  return strings;
}

const membersThatMayName = (object: object): Json[] =>
  Object.entries(object).flatMap(([key, member]) => (TEXT_KEY.test(key) ? [] : [member as Json]));

/**
 * The part of an event that routing needs to see whether any rule applies. Most events end there, so the rest
 * of the document is parsed only afterwards.
 */
export interface EventHeader {
  readonly host: HostName;
  readonly kind: EventKind;
  /** The host's own name for the event; empty when the document names none. */
  readonly hostEvent: string;
  readonly sessionId: string;
  readonly cwd: string;
  /** Every name under which a rule may mention the tool; empty if the event is not about a tool. */
  readonly toolNames: readonly string[];
}

/** Prefixes of the event kinds that an agent's actions cause. */
const AGENTS = ['tool', 'turn', 'permission', 'subagent', 'model'];

/** Who caused an event. A prompt does not prove a person: timers and sockets send prompts too. */
export function whoCaused({ kind }: Pick<Event, 'kind'>): Who {
  const isAgents = AGENTS.includes(kind.slice(0, kind.indexOf('.')));
  return { actor: isAgents ? 'agent' : 'system', channel: 'hook' };
}
