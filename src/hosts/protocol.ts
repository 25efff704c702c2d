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
  type AllowUndefined,
  isJsonObject,
  type Json,
  type JsonObject,
  joinLines,
  jsonIn,
  listIn,
  nameIn,
  objectsIn,
  textIn,
  withoutUndefined,
} from '../core/json';
import { digest, quoted } from '../core/text';
import type { Answer, Decision } from '../core/verdict';
import type { Capabilities, HasPower } from './host';

/** Maps a host's event names to kinds. */
export type Kinds = Readonly<Record<string, EventKind>>;

/** Event names that several hosts share with Claude Code. */
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

/** The same with names in lower case, for hosts that vary the spelling. */
export function lowerCased(kinds: Kinds): Kinds {
  return Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name.toLowerCase(), kind]));
}

/** The kind of a host's event; `other` for a name from a newer client. */
export function kindIn(kinds: Kinds, hostEvent: string): EventKind {
  return Object.hasOwn(kinds, hostEvent) ? (kinds[hostEvent] ?? 'other') : 'other';
}

/** The header of a document; `own` holds what the host names differently than Claude Code. */
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

/** The members that are specific to one kind of event. */
export type Body<K extends EventKind> = AllowUndefined<Omit<Extract<EventBody, { kind: K }>, 'kind'>>;

/** Reads the body of each kind. `call` reads the document's tool call. */
export type BodyReaders = {
  readonly [K in EventKind]?: (raw: JsonObject, call: () => ToolCall, cwd: string) => Body<K>;
};

/** Members of the envelope that are not in the header. */
export type MoreEnvelope = Partial<AllowUndefined<Envelope>>;

/**
 * Parses a document into an event. Members that are missing or have a wrong type become absent or empty. `bodies` has
 * the kinds that differ from Claude Code's.
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
  return withoutUndefined(members) as Event;
}

/** Bodies with Claude Code's member names, which many hosts copy. */
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

/** Why a session began, if the value is a known reason. */
export function startSource(value: unknown): StartSource | undefined {
  return START_SOURCES.find((source) => source === value);
}

/** A turn that ended normally. */
export function stopFrom(continuing: boolean, lastMessage: string | undefined): Body<'turn.stop'> {
  return { continuing, lastMessage, status: 'completed', backgroundTasks: [], crons: [] };
}

export function outcomeOfCode(code: number | undefined): ToolOutcome {
  return code === undefined ? 'unknown' : code === 0 ? 'success' : 'failure';
}

function subagentIn(raw: JsonObject): Subagent {
  return withoutUndefined({ id: textIn(raw, 'agent_id') ?? '', type: nameIn(raw, 'agent_type') });
}

const MODES: Readonly<Record<string, CanonicalMode>> = {
  default: 'ask',
  acceptEdits: 'edits',
  auto: 'auto',
  bypassPermissions: 'bypass',
  plan: 'plan',
  dontAsk: 'deny',
};

/** The members of the envelope that Claude Code and Codex send. */
export function claudeEnvelope(raw: JsonObject): MoreEnvelope {
  const mode = nameIn(raw, 'permission_mode');
  const canonical = mode !== undefined && Object.hasOwn(MODES, mode) ? MODES[mode] : undefined;
  return {
    transcriptPath: nameIn(raw, 'transcript_path'),
    // `agent_type` alone does not mean a subagent: the main thread may run as a named agent too.
    agent: nameIn(raw, 'agent_id') === undefined ? undefined : subagentIn(raw),
    permissionMode: mode === undefined ? undefined : { native: mode, canonical: canonical ?? 'unknown' },
    model: nameIn(raw, 'model'),
  };
}

/** Tags that hosts put around text that nobody typed. Any other tag may be pasted markup. */
const MACHINE =
  /^\s*<(?:system[_-](?:notification|reminder)|subagent_notification|task-notification|turn_aborted|environment_context)[\s>]/;
const HOOK_PROMPT = /^\s*<hook_prompt[\s>]/;

/** A prompt and who wrote it, for hosts that do not say. In doubt not a person, since an approval may depend on it. */
export function promptFrom(text: string | undefined, isByMachine: boolean): Body<'prompt.submit'> {
  return { text: text ?? '', origin: originOf(text, isByMachine) };
}

function originOf(text: string | undefined, isByMachine: boolean): PromptOrigin {
  if (text === undefined) return 'unknown';
  if (HOOK_PROMPT.test(text) || isFeedback(text)) return 'continuation';
  return isByMachine || MACHINE.test(text) ? 'machine' : 'human';
}

/* Tool calls. */

/** A host's tools by operation. */
export type Tools = Readonly<Partial<Record<Operation, readonly string[]>>>;

/** The operation of a tool; a tool that is not the host's own may belong to an MCP server. */
export function operationIn(tools: Tools, name: string, isMcp = mcpOf(name) !== undefined): Operation {
  const op = (Object.keys(tools) as Operation[]).find((one) => tools[one]?.includes(name));
  return op ?? (isMcp ? 'mcp' : 'other');
}

/** What a host says about a call. `command` is ignored unless it is a shell call. */
type CallFacts = AllowUndefined<
  Omit<ToolCall, 'newText' | 'isInexact' | 'agentType' | 'prompt' | 'skill'>
> & {
  readonly patch?: string | undefined;
  /** The host applies an edit only if its old text matches exactly. */
  readonly isExact?: boolean;
};

/** Builds a tool call from what a host says about it. */
export function toolCallFrom(facts: CallFacts): ToolCall {
  const { nativeName, names, op, input, paths, callId, patch, mcp, background, isExact = false } = facts;
  return withoutUndefined({
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
    skill:
      op === 'skill' || nativeName === 'Skill'
        ? nameIn(input, 'skill', 'name')?.replace(/^\//, '')
        : undefined,
    mcp,
    background,
  });
}

function firstOf(from: JsonObject, keys: readonly string[]): string | undefined {
  return keys.map((key) => textIn(from, key)).find((text) => text !== undefined);
}

/**
 * An id for a call that has none from the host. Every process derives the same id from the same document; a repeated
 * call gets a new one, since the time is part of it. The ids before and after a call differ: nobody can tell which of
 * several equal calls has ended.
 */
export function derivedCallId(tool: string, input: JsonObject, time: Json | undefined): string | undefined {
  if (typeof time !== 'string' && typeof time !== 'number') return undefined;
  return `derived-${time}-${digest(`${tool} ${JSON.stringify(input)}`)}`.slice(0, 64);
}

/** Claude Code's names for each operation: configs written for Claude Code use them for other hosts' tools too. */
const USUAL_TOOLS: Tools = {
  shell: ['Bash'],
  write: ['Write'],
  edit: ['Edit'],
  patch: ['Edit', 'Write', 'MultiEdit'],
  // Deleting a file counts as changing it.
  delete: ['Edit', 'Write', 'MultiEdit'],
  read: ['Read'],
  agent: ['Agent', 'Task'],
  skill: ['Skill'],
};

/** Claude Code's names for tools that the operation alone does not determine. */
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

/** The host's own name for a tool, then the names that rules may use for it. */
export function namesFor(nativeName: string, op: Operation): string[] {
  const same = Object.keys(SAME_TOOLS).filter((name) => SAME_TOOLS[name]?.includes(nativeName));
  return [...new Set([nativeName, ...(USUAL_TOOLS[op] ?? []), ...same])];
}

/** Server and tool in a name like `mcp__server__tool`. */
export function mcpOf(name: string): { server: string; tool: string } | undefined {
  if (!name.startsWith('mcp__')) return undefined;
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return server && tool ? { server, tool } : undefined;
}

/**
 * All names that rules may use for an MCP tool whose host joins server and tool with a character that both may contain:
 * every way to split it counts.
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
 * The strings in `found` as absolute paths, without duplicates. A relative path without a known directory is dropped:
 * our own process may run anywhere.
 */
export function absolutePaths(cwd: string, found: readonly (Json | undefined)[]): string[] {
  const paths = found.flatMap((path) => {
    if (typeof path !== 'string' || path === '') return [];
    return isAbsolute(path) || isAbsolute(cwd) ? [resolve(cwd, path)] : [];
  });
  return [...new Set(paths)];
}

const SHELL = /(?:^|\/)(?:ba|da|z|k)?sh$/;
/** `-c`, alone or combined with other letters as in `-lc`. */
const RUNS_TEXT = /^-[a-z]*c$/;

/**
 * A command as one shell line to run in `cwd`. A list of words is either a shell with a line, or a program with
 * arguments. If the call names another directory, the line starts with a `cd`.
 */
export function commandLine(value: Json | undefined, cwd: string, dir?: Json): string | undefined {
  const line = typeof value === 'string' ? value : lineOf(value);
  const [there] = absolutePaths(cwd, [dir]);
  if (line === undefined || there === undefined || there === resolve(cwd)) return line;
  return `cd ${quoted(there)} && ${line}`;
}

/** The lines that keys typed into a terminal make: Enter ends one, and others, such as Ctrl-C, are no part of it. */
export function typedLines(keys: string | undefined): string | undefined {
  return keys?.replace(/\{enter\}|(?!\t)\p{Cc}/giu, '\n');
}

function lineOf(value: Json | undefined): string | undefined {
  const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
  if (words.length === 0) return undefined;
  const [program = '', flag = '', line] = words;
  if (SHELL.test(program) && RUNS_TEXT.test(flag) && line !== undefined) return line;
  return words.map(quoted).join(' ');
}

/** The text of a string, or of a list of content blocks. */
export function textOfContent(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return content;
  return joinLines(objectsIn({ content }, 'content').map((block) => textIn(block, 'text')));
}

/** Programs that apply patches allow spaces before a line that names a file. */
const PATCHED_FILE = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The paths in the text of an `apply_patch`, as written there. */
export function patchPaths(patch: string): string[] {
  return [...patch.matchAll(PATCHED_FILE)].map(([, path = '']) => path.trim());
}

/** A tool's input: some clients send it as a JSON string, or a patch as its plain text. */
export function inputFrom(given: Json | undefined): JsonObject {
  const value = typeof given === 'string' ? (jsonIn(given) ?? given) : given;
  if (typeof value === 'string') return { input: value };
  return isJsonObject(value) ? value : {};
}

/** The text of a patch in a tool's input, under whatever name. */
export function patchIn(input: JsonObject): string {
  const texts = Object.values(input).filter((value) => typeof value === 'string');
  return texts.join('\n');
}

function addedLines(patch: string): string {
  const added = patch.split('\n').filter((line) => line.startsWith('+'));
  return added.map((line) => line.slice(1)).join('\n');
}

/** The member names that hosts use in an edit, by the names that rules use. */
const EDIT_PARTS: Readonly<Record<string, readonly string[]>> = {
  file_path: ['filePath', 'path'],
  old_string: ['oldString', 'old_str'],
  new_string: ['newString', 'new_str', 'new_source'],
  replace_all: ['replaceAll', 'allow_multiple'],
};

/** Adds the usual member names to the input of an edit, also in a list of edits. */
function withUsualNames(input: JsonObject): JsonObject {
  const usual = Object.entries(EDIT_PARTS).map(([name, others]) => [
    name,
    [name, ...others].map((key) => input[key]).find((value) => value !== undefined),
  ]);
  const edits = listIn(input, 'edits').map((edit) => (isJsonObject(edit) ? withUsualNames(edit) : edit));
  return { ...withoutUndefined(Object.fromEntries(usual)), ...input, ...(edits.length > 0 && { edits }) };
}

/** The text that a write or edit puts into a file, as far as the input shows it. */
function newTextIn(op: Operation, input: JsonObject): string | undefined {
  if (op === 'write') return firstOf(input, ['content', 'contents', 'file_text']);
  if (op !== 'edit') return undefined;
  const usual = withUsualNames(input);
  return joinLines([usual, ...objectsIn(usual, 'edits')].map((edit) => textIn(edit, 'new_string')));
}

/* Which host sent a document. */

/** Events that only Gemini CLI sends, and events that others send too; in those it always names the transcript. */
const GEMINI = /^(?:Before(?:Agent|Tool|Model)|After(?:Agent|Tool|Model)|PreCompress)/;
const MAYBE_GEMINI = /^(?:Session|Notification)/;

/**
 * The host that sent a document. The document's content beats the name on the command line, since a command installed
 * for one host is also run by others. Without either it is Claude Code, which others imitate.
 */
export function senderOf(raw: JsonObject, asked: HostName | undefined): HostName {
  return markedSender(raw, asked) ?? asked ?? 'claude-code';
}

/** The host that the document shows by something that only this host writes. */
function markedSender(raw: JsonObject, asked: HostName | undefined): HostName | undefined {
  if (typeof raw['cursor_version'] === 'string') return 'cursor';
  if (raw['opencode'] === 1) return 'opencode';
  if (typeof raw['prompt_id'] === 'string') return 'claude-code';
  if (typeof raw['turn_id'] === 'string' && typeof raw['model'] === 'string') return 'codex';
  const event = textIn(raw, 'hook_event_name') ?? '';
  if (GEMINI.test(event)) return 'gemini';
  // Several hosts send a time, but Claude Code never does.
  if (raw['timestamp'] === undefined || (asked !== undefined && asked !== 'claude-code')) return undefined;
  const hasTranscript = typeof raw['transcript_path'] === 'string';
  return hasTranscript && MAYBE_GEMINI.test(event) ? 'gemini' : 'copilot';
}

/* Answers. */

/** Above 10,000 characters Claude Code gives the agent a file name instead of the text. */
const LONGEST = 9_900;

export type DeliverableParts = ReturnType<typeof deliverableParts>;

/** Returns a test for what an answer to this event can do. */
export function powersAt(capabilities: Capabilities, { kind }: Event): HasPower {
  return (power) => capabilities[kind]?.includes(power) ?? false;
}

const ALLOW_IF_WANTED = 'Allow it only if this is what you want.';
const NOTE_TO_PERSON = 'the note to the person';

/** Whether an answer to this event can tell the person something. */
export function mayTellPerson(capabilities: Capabilities, event: Event): boolean {
  const can = powersAt(capabilities, event);
  return can('advise-person') || (can('advise-agent') && neverTells(capabilities));
}

/** Whether an answer carries the notes to the person. */
export function tellsPerson({ losses }: Answer): boolean {
  return !losses.some((loss) => loss.endsWith(`${NOTE_TO_PERSON}.`));
}

/** Whether no answer to this host shows the person anything. Then the agent is asked to pass it on. */
function neverTells(capabilities: Capabilities): boolean {
  return !Object.values(capabilities).some((powers) => powers.includes('advise-person'));
}

/** Splits a decision into the texts that an answer to this event can carry, and the losses. */
export function deliverableParts(capabilities: Capabilities, event: Event, whole: Decision) {
  const can = powersAt(capabilities, event);
  const canAdvise = can('advise-agent') && !isErased(event, whole, can);
  const isDenied = deniesCall(event, whole, can);
  const reachesAgent = canAdvise || isDenied;
  const decision = reachesAgent && neverTells(capabilities) ? passedOn(whole) : whole;
  const lost = lossesOf(decision, can, isDenied, reachesAgent);
  return {
    can,
    /** Why a tool call is denied, with the advice to the agent: not every host delivers advice beside a denial. */
    denial: isDenied ? denialFor(decision) : undefined,
    /** Asks a person about a call. */
    question: can('ask') ? questionIn(decision) : undefined,
    /** For the agent, unless it is part of the denial. */
    advice: canAdvise && !isDenied ? joinRemarks(decision.toAgent) : undefined,
    note: can('advise-person') ? noteOf(decision) : undefined,
    /** The changed input of a tool call. */
    input: 'updatedInput' in decision && can('change-input') ? decision.updatedInput : undefined,
    /** Everything that the answer cannot carry, one short sentence each. */
    losses: lost.map((what) => `${event.hostEvent || 'This event'} cannot ${what}.`),
  };
}

function lossesOf(decision: Decision, can: HasPower, isDenied: boolean, reachesAgent: boolean): string[] {
  const isInstead = isDenied && decision.kind === 'ask';
  const lost = [
    'by' in decision &&
      !can(decision.kind) &&
      !isInstead &&
      `the ${decision.kind === 'ask' ? 'question' : 'hold'} by ${decision.by.join(', ')}`,
    decision.toAgent.some(Boolean) && !reachesAgent && 'the advice to the agent',
    decision.toPerson.some(Boolean) && !can('advise-person') && NOTE_TO_PERSON,
    'updatedInput' in decision && decision.updatedInput && !can('change-input') && 'the changed input',
    'report' in decision && decision.report && !can('report') && 'the report',
  ];
  const undelivered = lost.filter(Boolean).map((what) => `deliver ${what}`);
  return isInstead ? ['ask a person; the call was held instead', ...undelivered] : undelivered;
}

/** A denied prompt is erased together with its context, so advice would be lost. */
function isErased({ kind }: Event, decision: Decision, can: HasPower): boolean {
  return kind.startsWith('prompt.') && decision.kind === 'deny' && can('deny');
}

/** If the host cannot ask a person about a call, the call is denied instead. */
function deniesCall({ kind }: Event, decision: Decision, can: HasPower): boolean {
  const isDenied = decision.kind === 'deny' || (decision.kind === 'ask' && !can('ask'));
  return kind === 'tool.before' && can('deny') && isDenied;
}

/** The same decision with the notes to the person as something that the agent is to say. */
function passedOn(decision: Decision): Decision {
  const { toAgent, toPerson } = decision;
  const notes = toPerson.filter((note) => note.trim() !== '' && !toAgent.includes(note));
  const words = `Tell the user, who does not see this:\n${notes.join('\n')}`;
  return { ...decision, toAgent: notes.length === 0 ? toAgent : [...toAgent, words], toPerson: [] };
}

/** A question that replaces the agent's own is shown with answers of its own. */
function questionIn(decision: Decision): string | undefined {
  if (decision.kind !== 'ask') return undefined;
  return decision.updatedInput === undefined ? `${decision.reason}\n${ALLOW_IF_WANTED}` : decision.reason;
}

function noteOf(decision: Decision): string | undefined {
  const aside = 'report' in decision ? decision.report?.note : undefined;
  return joinRemarks([...decision.toPerson, aside ?? '']);
}

const ASK_THE_USER =
  'This is held, since this host cannot ask the user. Tell the user what you want to do; they can do it themselves.';

function denialFor(decision: Decision): string {
  const reason = 'reason' in decision ? decision.reason : '';
  const words = decision.kind === 'ask' ? `${reason}\n${ASK_THE_USER}` : reason;
  return joinRemarks([words, ...decision.toAgent]) ?? 'Denied.';
}

/** Joins remarks with blank lines; `undefined` if there are none. */
export function joinRemarks(remarks: readonly string[]): string | undefined {
  return truncate(remarks.filter((remark) => remark.trim() !== '').join('\n\n')) || undefined;
}

/** Cuts a text to what Claude Code delivers, with a last line that says so. */
export function truncate(text: string): string {
  if (text.length <= LONGEST) return text;
  const note = `\n[Truncated: the text has ${text.length} characters.]`;
  // The cut may have split a surrogate pair.
  return text.slice(0, LONGEST - note.length).replace(/[\uD800-\uDBFF]$/, '') + note;
}

const FEEDBACK = 'Stop hook feedback:';

/** Marks the reason for a held turn, for hosts that return it as if a person had typed it. */
export function asFeedback(reason: string): string {
  return `${FEEDBACK}\n${reason}`;
}

/** Whether a prompt contains the reason for a held turn, perhaps after the output of other hooks. */
export function isFeedback(prompt: string): boolean {
  return prompt.trimStart().startsWith(FEEDBACK) || prompt.includes(`\n${FEEDBACK}`);
}

/** An answer on stdout: one line of JSON, or nothing if every member is undefined. */
export function jsonAnswer(members: JsonObject, losses: readonly string[]): Answer {
  const json = JSON.stringify(members);
  return { stdout: json === '{}' ? '' : `${json}\n`, stderr: '', exitCode: 0, losses };
}

/** The value of `hookSpecificOutput`; `undefined` if every member is. */
export function specificOutput(event: Event, members: JsonObject): JsonObject | undefined {
  const isEmpty = Object.values(members).every((member) => member === undefined);
  return isEmpty ? undefined : { hookEventName: event.hostEvent, ...members };
}
