import { isAbsolute, resolve } from 'node:path';
import type {
  CanonicalMode,
  Envelope,
  Event,
  EventBody,
  EventHeader,
  EventKind,
  Operation,
  PromptOrigin,
  StartSource,
  Subagent,
  ToolCall,
  ToolOutcome,
} from '../core/event';
import type { HostName } from '../core/host-name';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  type Loose,
  lines,
  listIn,
  nameIn,
  objectsIn,
  present,
  textIn,
} from '../core/json';
import { digest } from '../core/text';
import { isFeedback } from './answer';

/** The kinds of a host's events by their native names. */
export type Kinds = Readonly<Record<string, EventKind>>;

/** Events that several hosts name as Claude Code does. */
export const COMMON_KINDS: Kinds = {
  SessionStart: 'session.start',
  SessionEnd: 'session.end',
  UserPromptSubmit: 'prompt.submit',
  PreToolUse: 'tool.before',
  PostToolUse: 'tool.after',
  Stop: 'turn.stop',
  SubagentStart: 'subagent.start',
  SubagentStop: 'subagent.stop',
  PreCompact: 'compact.before',
};

/** The same kinds by the names in lower case, for hosts that spell a name in several ways. */
export function lowerCased(kinds: Kinds): Kinds {
  return Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name.toLowerCase(), kind]));
}

/** The kind of a native event; a name from a newer client is `other`. */
export function kindIn(kinds: Kinds, hostEvent: string): EventKind {
  return Object.hasOwn(kinds, hostEvent) ? (kinds[hostEvent] ?? 'other') : 'other';
}

/** The header of a document; `own` is what the host names in another way than Claude Code. */
export function headerFrom(
  host: HostName,
  kinds: Kinds,
  raw: JsonObject,
  own: Partial<EventHeader>,
): EventHeader {
  const hostEvent = own.hostEvent ?? textIn(raw, 'hook_event_name') ?? '';
  const [sessionId, cwd] = [textIn(raw, 'session_id') ?? '', textIn(raw, 'cwd') ?? ''];
  return { host, kind: kindIn(kinds, hostEvent), hostEvent, sessionId, cwd, toolNames: [], ...own };
}

/** The part of an event that only its kind has. */
export type Body<K extends EventKind> = Loose<Omit<Extract<EventBody, { kind: K }>, 'kind'>>;

/** How the body of each kind is read. `call` reads the tool call that the document is about. */
export type BodyReaders = {
  readonly [K in EventKind]?: (raw: JsonObject, call: () => ToolCall, cwd: string) => Body<K>;
};

/** What of the envelope is not in the header. */
export type MoreEnvelope = Partial<Loose<Envelope>>;

/**
 * A document as an event. What is missing in it or has the wrong type is absent or empty. `bodies` are the kinds that
 * are read in another way than Claude Code's.
 */
export function eventFrom(
  raw: JsonObject,
  at: number,
  header: EventHeader,
  call: (raw: JsonObject, cwd: string) => ToolCall,
  bodies: BodyReaders,
  envelope: MoreEnvelope,
): Event {
  const { host, kind, hostEvent, sessionId, cwd } = header;
  const body = (bodies[kind] ?? BODIES[kind])?.(raw, () => call(raw, cwd), cwd);
  const members = { v: 1, host, hostEvent, raw, sessionId, cwd, roots: [], ...envelope, at, kind, ...body };
  return present(members) as Event;
}

/** Bodies as Claude Code names their members, and many hosts after it. */
const BODIES: BodyReaders = {
  'session.start': (raw) => ({ source: startSource(raw['source']) ?? 'unknown' }),
  'session.end': (raw) => ({ reason: textIn(raw, 'reason') ?? '' }),
  'prompt.submit': (raw) => promptFrom(textIn(raw, 'prompt'), nameIn(raw, 'agent_id') !== undefined),
  'tool.before': (_raw, call) => ({ call: call() }),
  'permission.request': (raw, call) => ({
    call: call(),
    suggestions: listIn(raw, 'permission_suggestions'),
  }),
  'permission.denied': (raw, call) => ({ call: call(), reason: textIn(raw, 'reason') ?? '' }),
  'turn.stop': (raw) => ({
    ...stopFrom(raw['stop_hook_active'] === true, textIn(raw, 'last_assistant_message')),
    backgroundTasks: listIn(raw, 'background_tasks'),
    crons: listIn(raw, 'session_crons'),
  }),
  'turn.error': (raw) => ({ error: textIn(raw, 'error') ?? '', details: textIn(raw, 'error_details') }),
  'subagent.start': (raw) => ({ subagent: subagentIn(raw) }),
  'subagent.stop': (raw) => ({
    subagent: subagentIn(raw),
    continuing: raw['stop_hook_active'] === true,
    transcript: nameIn(raw, 'agent_transcript_path'),
    lastMessage: textIn(raw, 'last_assistant_message'),
  }),
  'compact.before': (raw) => ({
    trigger: textIn(raw, 'trigger') ?? '',
    instructions: textIn(raw, 'custom_instructions'),
  }),
  'compact.after': (raw) => ({
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
export function claudeEnvelope(raw: JsonObject): MoreEnvelope {
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

/** A host's tools by what they do. */
export type Tools = Readonly<Partial<Record<Operation, readonly string[]>>>;

/** What a tool does; a tool that is none of the host's own may be one of an MCP server. */
export function operationIn(tools: Tools, name: string, isMcp = mcpOf(name) !== undefined): Operation {
  const op = (Object.keys(tools) as Operation[]).find((one) => tools[one]?.includes(name));
  return op ?? (isMcp ? 'mcp' : 'other');
}

/** What a host tells about a call. The command and the patch of another kind of call are ignored. */
type CallFacts = Loose<Omit<ToolCall, 'newText' | 'isInexact' | 'agentType' | 'prompt' | 'skill'>> & {
  /** The text of a patch. */
  readonly patch?: string | undefined;
  /** The host changes a file only where an edit fits it to the letter. */
  readonly isExact?: boolean;
};

/** A tool call out of what a host tells about it. */
export function toolCallFrom(facts: CallFacts): ToolCall {
  const { nativeName, names, op, input, paths, callId, patch, mcp, background, isExact = false } = facts;
  return present({
    nativeName,
    names,
    op,
    callId,
    input: op === 'edit' && !isExact ? withUsualNames(input) : input,
    command: op === 'shell' ? facts.command : undefined,
    paths,
    newText: patch === undefined ? newTextIn(op, input) : addedLines(patch),
    isInexact: !isExact && (op === 'edit' || op === 'write') ? true : undefined,
    agentType:
      op === 'agent' ? nameIn(input, 'subagent_type', 'agent_type', 'agent_name', 'agentName') : undefined,
    prompt: op === 'agent' ? firstOf(input, ['prompt', 'message', 'task']) : undefined,
    skill: op === 'skill' || nativeName === 'Skill' ? nameIn(input, 'skill', 'name') : undefined,
    mcp,
    background,
  });
}

function firstOf(from: JsonObject, keys: readonly string[]): string | undefined {
  return keys.map((key) => textIn(from, key)).find((text) => text !== undefined);
}

/**
 * An id for a call to which the host gives none. Every process derives the same id from the same document, and the same
 * call made again gets another, since the time is part of it. Before and after a call the ids differ: nobody can tell
 * which of several equal calls has ended.
 */
export function derivedCallId(tool: string, input: JsonObject, time: Json | undefined): string | undefined {
  if (typeof time !== 'string' && typeof time !== 'number') return undefined;
  return `derived-${time}-${digest(`${tool} ${JSON.stringify(input)}`)}`.slice(0, 64);
}

/** The names by which configs, written for Claude Code, mention what a tool of another host does. */
const USUAL_TOOLS: Tools = {
  shell: ['Bash'],
  write: ['Write'],
  edit: ['Edit'],
  patch: ['Edit', 'Write', 'MultiEdit'],
  // To delete a file is to change it.
  delete: ['Edit', 'Write', 'MultiEdit'],
  read: ['Read'],
  agent: ['Agent', 'Task'],
  skill: ['Skill'],
};

/** Tools whose operation alone does not tell their usual name. */
const SAME_TOOLS: Readonly<Record<string, readonly string[]>> = {
  Grep: ['grep', 'rg', 'grep_search'],
  Glob: ['glob'],
  WebFetch: ['webfetch', 'web_fetch'],
  WebSearch: ['websearch', 'web_search', 'google_web_search'],
  TodoWrite: ['todowrite', 'update_todo', 'write_todos', 'update_plan'],
  EnterPlanMode: ['enter_plan_mode', 'plan_enter'],
  ExitPlanMode: ['exit_plan_mode', 'plan_exit'],
  AskUserQuestion: ['ask_user', 'question', 'request_user_input'],
};

/** The host's own name for a tool first, then those that rules may have for it. */
export function namesFor(nativeName: string, op: Operation): string[] {
  const same = Object.keys(SAME_TOOLS).filter((name) => SAME_TOOLS[name]?.includes(nativeName));
  return [...new Set([nativeName, ...(USUAL_TOOLS[op] ?? []), ...same])];
}

/** The server and tool in a name like `mcp__server__tool`. */
export function mcpOf(name: string): { server: string; tool: string } | undefined {
  if (!name.startsWith('mcp__')) return undefined;
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return server && tool ? { server, tool } : undefined;
}

/**
 * Every name that rules may have for an MCP tool whose host joins server and tool by a character that both may contain:
 * all ways to split it count.
 */
export function mcpNamesOf(joined: string, separator: string): string[] {
  const parts = joined.split(separator);
  return parts
    .slice(1)
    .map((_, at) => [parts.slice(0, at + 1).join(separator), parts.slice(at + 1).join(separator)])
    .filter(([server, tool]) => server !== '' && tool !== '')
    .map(([server, tool]) => `mcp__${server}__${tool}`);
}

/**
 * The texts among `found` as absolute paths, each once. A relative path without a known directory is dropped: our own
 * process may run anywhere.
 */
export function absolutePaths(cwd: string, found: readonly (Json | undefined)[]): string[] {
  const paths = found.flatMap((path) => {
    if (typeof path !== 'string' || path === '') return [];
    return isAbsolute(path) || isAbsolute(cwd) ? [resolve(cwd, path)] : [];
  });
  return [...new Set(paths)];
}

const SHELL = /(?:^|\/)(?:ba|da|z|k)?sh$/;
/** `-c`, alone or among other letters as in `-lc`. */
const RUNS_TEXT = /^-[a-z]*c$/;

/**
 * A command as one line for a shell that starts in `cwd`. A list of words is either a shell with a line, or a program
 * with arguments. Where the call names another directory, the line goes there first.
 */
export function commandLine(value: Json | undefined, cwd: string, dir?: Json): string | undefined {
  const line = typeof value === 'string' ? value : lineOf(value);
  const [there] = absolutePaths(cwd, [dir]);
  if (line === undefined || there === undefined || there === resolve(cwd)) return line;
  return `cd ${quoted(there)} && ${line}`;
}

function lineOf(value: Json | undefined): string | undefined {
  const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
  if (words.length === 0) return undefined;
  const [program = '', flag = '', line] = words;
  if (SHELL.test(program) && RUNS_TEXT.test(flag) && line !== undefined) return line;
  return words.map(quoted).join(' ');
}

/** The words of a text, or of a list of blocks. */
export function wordsOf(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return content;
  return lines(objectsIn({ content }, 'content').map((block) => textIn(block, 'text')));
}

/** A word for a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Programs that apply patches ignore blanks before a line that names a file. */
const PATCHED_FILE = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The paths that the text of an `apply_patch` names, as it names them. */
export function patchPaths(patch: string): string[] {
  return [...patch.matchAll(PATCHED_FILE)].map(([, path = '']) => path.trim());
}

function addedLines(patch: string): string {
  const added = patch.split('\n').filter((line) => line.startsWith('+'));
  return added.map((line) => line.slice(1)).join('\n');
}

/** What hosts call the parts of an edit, by the names that rules know. */
const EDIT_PARTS: Readonly<Record<string, readonly string[]>> = {
  file_path: ['filePath', 'path'],
  old_string: ['oldString', 'old_str'],
  new_string: ['newString', 'new_str', 'new_source'],
  replace_all: ['replaceAll', 'allow_multiple'],
};

/** The input of an edit with its parts under the usual names too, also in a list of edits. */
function withUsualNames(input: JsonObject): JsonObject {
  const usual = Object.entries(EDIT_PARTS).map(([name, others]) => [
    name,
    [name, ...others].map((key) => input[key]).find((value) => value !== undefined),
  ]);
  const edits = listIn(input, 'edits').map((edit) => (isJsonObject(edit) ? withUsualNames(edit) : edit));
  return { ...present(Object.fromEntries(usual)), ...input, ...(edits.length > 0 && { edits }) };
}

/** What a tool that writes or edits puts into a file, as far as its input tells. */
function newTextIn(op: Operation, input: JsonObject): string | undefined {
  if (op === 'write') return firstOf(input, ['content', 'contents', 'file_text']);
  if (op !== 'edit') return undefined;
  const usual = withUsualNames(input);
  return lines([usual, ...objectsIn(usual, 'edits')].map((edit) => textIn(edit, 'new_string')));
}

/** Events that only Gemini CLI has, and events that others have too; there it always names the transcript. */
const GEMINI = /^(?:Before(?:Agent|Tool|Model)|After(?:Agent|Tool|Model)|PreCompress)/;
const MAYBE_GEMINI = /^(?:Session|Notification)/;

/**
 * The host that sent a document. What the document shows beats the name on the command line, since a command installed
 * for one host is also run by others. Without either it is Claude Code, which others imitate.
 */
export function senderOf(raw: JsonObject, asked: HostName | undefined): HostName {
  return markedSender(raw, asked) ?? asked ?? 'claude-code';
}

/** The host whose mark the document has: something that only this host writes. */
function markedSender(raw: JsonObject, asked: HostName | undefined): HostName | undefined {
  if (typeof raw['cursor_version'] === 'string') return 'cursor';
  if (raw['opencode'] === 1) return 'opencode';
  if (typeof raw['prompt_id'] === 'string') return 'claude-code';
  if (typeof raw['turn_id'] === 'string' && typeof raw['model'] === 'string') return 'codex';
  const event = String(raw['hook_event_name']);
  if (GEMINI.test(event)) return 'gemini';
  // Several hosts send a time, but never Claude Code.
  if (raw['timestamp'] === undefined || (asked !== undefined && asked !== 'claude-code')) return undefined;
  const hasTranscript = typeof raw['transcript_path'] === 'string';
  return hasTranscript && MAYBE_GEMINI.test(event) ? 'gemini' : 'copilot';
}
