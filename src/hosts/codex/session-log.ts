import type { ToolOutcome } from '../../core/event';
import { type Json, type JsonObject, jsonObjectIn, listIn, nameIn, objectIn, textIn } from '../../core/json';
import { commandLine, outcomeOfCode, textOfContent } from '../protocol';
import { type LogHead, type LogReader, type PastEvent, type SessionLogs, timeIn } from '../session-log';

/** `~/.codex/sessions/YEAR/MONTH/DAY/rollout-*.jsonl`; a subagent has a file of its own. */
export const sessionLogs: SessionLogs = {
  host: 'codex',
  matters: (line) => WORDS.some((word) => line.includes(word)),
  head,
  open: (begun) => new Reader(begun),
};

const WORDS = [
  '_call"',
  '_call_output"',
  '"task_started"',
  '"task_complete"',
  '"turn_context"',
  '"user_message"',
  '"UserMessage"',
  '"assistant"',
  '<hook_prompt',
];

function head(entries: readonly JsonObject[]): LogHead | undefined {
  const meta = entries.find(({ type }) => type === 'session_meta');
  const payload = objectIn(meta, 'payload');
  const id = nameIn(payload, 'id');
  const startedAt = timeIn(payload['timestamp']) ?? timeIn(meta?.['timestamp']);
  if (id === undefined || startedAt === undefined) return undefined;
  const spawn = objectIn(objectIn(objectIn(payload, 'source'), 'subagent'), 'thread_spawn');
  const parent = nameIn(spawn, 'parent_thread_id');
  return {
    sessionId: parent ?? id,
    startedAt,
    cwd: textIn(payload, 'cwd') ?? '',
    branch: textIn(objectIn(payload, 'git'), 'branch'),
    ...(parent !== undefined && { agent: { id, type: nameIn(spawn, 'agent_role') } }),
  };
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

class Reader implements LogReader {
  readonly #head: LogHead;
  readonly #calls = new Map<string, OpenCall>();
  #cwd: string;
  #turn: string | undefined;
  #model = 'unknown';
  #mode = 'default';
  #isStarted = false;
  #continuing = false;
  #lastText: string | null = null;

  constructor(head: LogHead) {
    this.#head = head;
    this.#cwd = head.cwd;
  }

  read(entry: JsonObject): readonly PastEvent[] | undefined {
    const type = nameIn(entry, 'type');
    const payload = objectIn(entry, 'payload');
    const at = timeIn(entry['timestamp']);
    if (type === undefined || at === undefined) return undefined;
    if (type === 'turn_context') this.#context(payload);
    const start = this.#start(type, payload);
    if (type === 'response_item') return [...start, ...this.#item(payload, at)];
    return type === 'event_msg' ? [...start, ...this.#message(payload, at)] : start;
  }

  end(): readonly PastEvent[] {
    return [];
  }

  /** A session begins with its first turn, whose context names the model. */
  #start(type: string, payload: JsonObject): PastEvent[] {
    const isFirst = type === 'turn_context' || (type === 'response_item' && payload['role'] !== 'developer');
    if (this.#isStarted || !isFirst) return [];
    this.#isStarted = true;
    if (this.#head.agent !== undefined) return [];
    return [this.#event('SessionStart', this.#head.startedAt, { source: 'startup' })];
  }

  #context(payload: JsonObject): void {
    this.#cwd = textIn(payload, 'cwd') ?? this.#cwd;
    this.#turn = nameIn(payload, 'turn_id') ?? this.#turn;
    this.#model = nameIn(payload, 'model') ?? this.#model;
    const isFree =
      payload['approval_policy'] === 'never' &&
      objectIn(payload, 'sandbox_policy')['type'] === 'danger-full-access';
    this.#mode = isFree ? 'bypassPermissions' : 'default';
  }

  #message(payload: JsonObject, at: number): PastEvent[] {
    const type = payload['type'];
    if (type === 'task_started') this.#turn = nameIn(payload, 'turn_id') ?? this.#turn;
    if (type === 'task_complete') {
      const stop = this.#stop(at, textIn(payload, 'last_agent_message') ?? this.#lastText);
      this.#continuing = false;
      return stop;
    }
    const prompt =
      type === 'user_message' ? textIn(payload, 'message') : userMessage(objectIn(payload, 'item'));
    if (prompt === undefined || this.#head.agent !== undefined) return [];
    return [this.#event('UserPromptSubmit', at, { prompt })];
  }

  #item(payload: JsonObject, at: number): PastEvent[] {
    const type = nameIn(payload, 'type') ?? '';
    if (type === 'message') return this.#spoken(payload, at);
    const id = nameIn(payload, 'call_id') ?? nameIn(payload, 'id') ?? '';
    if (type.endsWith('_call_output')) return this.#ended(id, payload, at);
    const call = callIn(type, id, payload, this.#cwd);
    if (call === undefined) return [];
    this.#calls.set(id, call);
    return [{ ...this.#event('PreToolUse', at, membersOf(call)), callId: id }];
  }

  /** The agent's text, or the reason for a held stop, after which the same turn continues. */
  #spoken(payload: JsonObject, at: number): PastEvent[] {
    const text = textOfContent(payload['content']) ?? '';
    if (payload['role'] === 'assistant') {
      this.#lastText = text;
      return [];
    }
    if (payload['role'] !== 'user' || !/^\s*<hook_prompt[\s>]/.test(text)) return [];
    const stop = this.#stop(at, this.#lastText);
    this.#continuing = true;
    return stop;
  }

  #stop(at: number, words: string | null): PastEvent[] {
    this.#lastText = null;
    if (this.#head.agent !== undefined) return [];
    const members = { stop_hook_active: this.#continuing, last_assistant_message: words };
    return [this.#event('Stop', at, members)];
  }

  #ended(id: string, payload: JsonObject, at: number): PastEvent[] {
    const call = this.#calls.get(id);
    if (call === undefined) return [];
    this.#calls.delete(id);
    const { text, code } = outputIn(payload['output']);
    if (REFUSED.test(text)) return [];
    const outcome: ToolOutcome = outcomeOfCode(code);
    // The client itself applies a patch that comes as a command line, and then calls no hook.
    if (PATCH.test(textIn(call.input, 'command') ?? '') && call.name === 'Bash') return [];
    const event = this.#event('PostToolUse', at, { ...membersOf(call), tool_response: text });
    return [{ ...event, callId: id, ended: { outcome, text } }];
  }

  #event(name: string, at: number, members: JsonObject): PastEvent {
    const { sessionId, agent, branch } = this.#head;
    const raw = {
      session_id: sessionId,
      ...(agent !== undefined && { agent_id: agent.id }),
      ...(agent?.type !== undefined && { agent_type: agent.type }),
      ...(this.#turn !== undefined && { turn_id: this.#turn }),
      cwd: this.#cwd,
      hook_event_name: name,
      model: this.#model,
      permission_mode: this.#mode,
      ...members,
    };
    return { at, raw, branch };
  }
}

const REFUSED = /^[^\n]{0,80}blocked by PreToolUse hook/;
const PATCH = /(?:^|[\s;&|(])apply_?patch\b[\s\S]*\*\*\* Begin Patch/;
/** Tools that run a command line; hooks know them all as `Bash`. Typing into a running command calls no hook. */
const SHELLS = ['exec_command', 'shell', 'shell_command', 'local_shell', 'container.exec'];
const SILENT = ['write_stdin'];

function membersOf({ id, name, input }: OpenCall): JsonObject {
  return { tool_name: name, tool_input: input, tool_use_id: id };
}

function callIn(type: string, id: string, payload: JsonObject, cwd: string): OpenCall | undefined {
  if (type === 'local_shell_call') return shellCall(id, listIn(objectIn(payload, 'action'), 'command'), cwd);
  const name = nameIn(payload, 'name');
  if (name === undefined || SILENT.includes(name)) return undefined;
  if (type === 'custom_tool_call') return { id, name, input: { command: textIn(payload, 'input') ?? '' } };
  if (type !== 'function_call') return undefined;
  const input = jsonObjectIn(textIn(payload, 'arguments') ?? '');
  if (input === undefined) return undefined;
  if (SHELLS.includes(name)) return shellCall(id, input['cmd'] ?? input['command'], cwd);
  return name === 'apply_patch'
    ? { id, name, input: { command: textIn(input, 'input') ?? '' } }
    : { id, name, input };
}

function shellCall(id: string, command: Json | undefined, cwd: string): OpenCall | undefined {
  const line = commandLine(command, cwd);
  return line === undefined ? undefined : { id, name: 'Bash', input: { command: line } };
}

function userMessage({ type, content }: JsonObject): string | undefined {
  return type === 'UserMessage' ? (textOfContent(content) ?? '') : undefined;
}

/** A call's output and exit code: the code is in a line of the text, or in older versions in a JSON document. */
function outputIn(output: Json | undefined): { readonly text: string; readonly code?: number | undefined } {
  const text = textIn(output, 'content') ?? textOfContent(output) ?? '';
  const document = text.startsWith('{') ? jsonObjectIn(text) : undefined;
  if (document !== undefined) {
    const code = objectIn(document, 'metadata')['exit_code'];
    return { text: textIn(document, 'output') ?? text, ...(typeof code === 'number' && { code }) };
  }
  const [heading = '', code] =
    /^[\s\S]{0,200}?(?:Process exited with code|Exit code:?) (-?\d+)\n/.exec(text) ?? [];
  const at = code === undefined ? -1 : text.indexOf('Output:\n', heading.length);
  return {
    text: at < 0 ? text : text.slice(at + 'Output:\n'.length),
    ...(code !== undefined && { code: Number(code) }),
  };
}
