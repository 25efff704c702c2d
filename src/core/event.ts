import type { HostName } from './host-name';
import type { Json, JsonObject } from './json';

/** What a tool does, whatever its host calls it. */
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
  /** Absolute paths that the call names as its target. */
  readonly paths: readonly string[];
  readonly newText?: string;
  /** The host may change a file also where the call does not fit it to the letter, so its result cannot be foretold. */
  readonly isInexact?: boolean;
  readonly agentType?: string;
  readonly prompt?: string;
  readonly skill?: string;
  readonly mcp?: { readonly server: string; readonly tool: string };
  readonly background?: boolean;
}

export type CanonicalMode = 'ask' | 'edits' | 'auto' | 'bypass' | 'plan' | 'deny' | 'unknown';

/** What every event carries, whichever host sent it. */
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
  /** Milliseconds since the epoch, when we read the event. */
  readonly at: number;
}

export type StartSource = 'startup' | 'resume' | 'clear' | 'compact' | 'fork' | 'unknown';
export type PromptOrigin = 'human' | 'machine' | 'continuation' | 'unknown';
export type ToolOutcome = 'success' | 'failure' | 'unknown';

export interface Subagent {
  readonly id: string;
  readonly type?: string;
}

/** Events whose native fields are enough: nobody needs them normalised. */
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

/** The part that differs from kind to kind. */
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
      /** True from the first refused stop of a prompt on, whoever refused. */
      readonly continuing: boolean;
      readonly lastMessage?: string;
      /** All that the agent has said since the prompt, where the host adds it up over refused stops. */
      readonly saidSincePrompt?: string;
      /** The host's own time of this stop, where all documents about one stop have the same and no two stops do. */
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

/** One event, in words that no host owns. */
export type Event = Envelope & EventBody;
export type EventKind = Event['kind'];
export type EventOf<K extends EventKind> = Extract<Event, { kind: K }>;

/** The tool call that an event is about, if it is about one. */
export function toolCallOf(event: Event): ToolCall | undefined {
  return 'call' in event ? event.call : undefined;
}

/** No file has a longer name. */
export const LONGEST_PATH = 4096;

/** No call that is meant well names more. Each is looked up, and a host does not wait long. */
export const MOST_PATHS = 5000;

/** The texts in a tool's input that may be paths: at most one more than `MOST_PATHS`, by which too many are known. */
export function possiblePaths(input: Json): string[] {
  return [...new Set(stringsIn(input))].slice(0, MOST_PATHS + 1);
}

/** Without recursion, since the agent decides how deep its lists are. */
function stringsIn(value: Json): string[] {
  const strings: string[] = [];
  const open: Json[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one === 'string') {
      if (one.length < LONGEST_PATH && !one.includes('\n')) strings.push(one);
    } else if (typeof one === 'object' && one !== null) {
      for (const member of Object.values(one)) open.push(member as Json);
    }
  }
  return strings;
}

/**
 * As much of an event as routing needs: whether any rule applies to it. Most events go no further, so the rest of a
 * document is read only afterwards.
 */
export interface EventHeader {
  readonly host: HostName;
  readonly kind: EventKind;
  /** The host's own name for the event; empty when the document names none. */
  readonly hostEvent: string;
  readonly sessionId: string;
  readonly cwd: string;
  /** Every name under which a rule may mention the tool; none where the event is not about one. */
  readonly toolNames: readonly string[];
}
