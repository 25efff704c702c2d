import { readText } from '../../core/failure';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  joinLines,
  jsonObjectIn,
  nameIn,
  objectIn,
  textIn,
} from '../../core/json';
import { textOfContent } from '../protocol';
import { type LogHead, type LogReader, type PastEvent, type SessionLogs, timeIn } from '../session-log';
import { blocksOf } from './transcript';

/** `~/.claude/projects/*\/SESSION.jsonl`, with one file per subagent in `SESSION/subagents`. */
export const sessionLogs: SessionLogs = {
  host: 'claude-code',
  matters: (line) => line.includes('"user"') || line.includes('"assistant"'),
  head,
  open: (begun) => new Reader(begun),
};

function head(entries: readonly JsonObject[], path: string): LogHead | undefined {
  const [first] = entries.flatMap((entry) => timeIn(entry['timestamp']) ?? []);
  const entry = entries.find((one) => nameIn(one, 'sessionId') && textIn(one, 'cwd') !== undefined);
  if (entry === undefined || first === undefined || nameIn(entry, 'type') === undefined) return undefined;
  const agent = nameIn(entry, 'agentId');
  return {
    sessionId: nameIn(entry, 'sessionId') ?? '',
    startedAt: first,
    cwd: textIn(entry, 'cwd') ?? '',
    branch: textIn(entry, 'gitBranch'),
    ...(agent !== undefined && { agent: { id: agent, type: agentType(path) } }),
  };
}

function agentType(path: string): string | undefined {
  return nameIn(jsonObjectIn(readText(path.replace(/\.jsonl$/, '.meta.json')) ?? ''), 'agentType');
}

/** A call without a result so far. */
interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly at: number;
  readonly place: JsonObject;
  readonly branch: string | undefined;
  isTold: boolean;
}

/** Text that ends the turn, unless a call follows. */
interface LastWords {
  readonly at: number;
  readonly message: string | undefined;
  readonly text: string;
  readonly place: JsonObject;
  readonly branch: string | undefined;
}

/** Agents run beside other calls. All others run one after the other, and hooks are called when their turn comes. */
const AGENTS = ['Agent', 'Task'];

class Reader implements LogReader {
  readonly #head: LogHead;
  readonly #calls = new Map<string, OpenCall>();
  #promptId: string | undefined;
  #mode: string | undefined;
  #isStarted = false;
  #continuing = false;
  #lastWords: LastWords | undefined;
  #lastEnd = 0;

  constructor(head: LogHead) {
    this.#head = head;
  }

  read(entry: JsonObject): readonly PastEvent[] | undefined {
    const type = entry['type'];
    const at = timeIn(entry['timestamp']);
    const isMessage = (type === 'user' || type === 'assistant') && isJsonObject(entry['message']);
    if (!isMessage || at === undefined) return nameIn(entry, 'type') === undefined ? undefined : [];
    const events = this.#start(entry, at);
    events.push(...(type === 'user' ? this.#heard(entry, at) : this.#said(entry, at)));
    return events;
  }

  end(): readonly PastEvent[] {
    const untold = [...this.#calls.values()].filter((call) => !call.isTold).map((call) => this.#before(call));
    this.#calls.clear();
    return [...untold, ...this.#stop()];
  }

  #start(entry: JsonObject, at: number): PastEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    if (this.#head.agent !== undefined) return [];
    const raw = this.#document('SessionStart', placeOf(entry), { source: 'startup' });
    return [{ at: Math.min(at, this.#head.startedAt), raw, branch: textIn(entry, 'gitBranch') }];
  }

  /** Handles tool results, prompts and feedback from hooks. */
  #heard(entry: JsonObject, at: number): PastEvent[] {
    const results = blocksOf(entry).filter(({ type }) => type === 'tool_result');
    if (results.length > 0) return results.flatMap((result) => this.#ended(entry, at, result));
    if (entry['isSidechain'] === true || this.#head.agent !== undefined) return [];
    const text = joinLines(blocksOf(entry).map((block) => textIn(block, 'text'))) ?? '';
    if (text.startsWith('Stop hook feedback')) {
      const stops = this.#stop();
      this.#continuing = true;
      return stops;
    }
    if (entry['isMeta'] === true || entry['isCompactSummary'] === true || NO_PROMPT.test(text)) return [];
    if (text.startsWith('[Request interrupted')) {
      this.#lastWords = undefined;
      return [];
    }
    const stops = this.#stop();
    this.#continuing = false;
    this.#promptId = nameIn(entry, 'promptId') ?? nameIn(entry, 'uuid');
    this.#mode = nameIn(entry, 'permissionMode') ?? this.#mode;
    const raw = this.#document('UserPromptSubmit', placeOf(entry), { prompt: typed(text) });
    return [...stops, { at, raw, branch: textIn(entry, 'gitBranch') }];
  }

  #said(entry: JsonObject, at: number): PastEvent[] {
    if (entry['isApiErrorMessage'] === true) {
      this.#lastWords = undefined;
      return [];
    }
    const events: PastEvent[] = [];
    const place = placeOf(entry);
    const branch = textIn(entry, 'gitBranch');
    for (const block of blocksOf(entry)) {
      const [id, name] = [nameIn(block, 'id'), nameIn(block, 'name')];
      if (block['type'] === 'text') this.#note(entry, at, textIn(block, 'text') ?? '');
      if (block['type'] !== 'tool_use' || id === undefined || name === undefined) continue;
      this.#lastWords = undefined;
      const isTold = AGENTS.includes(name);
      const call = { id, name, input: objectIn(block, 'input'), at, place, branch, isTold };
      this.#calls.set(id, call);
      if (isTold) events.push(this.#before(call));
    }
    return events;
  }

  #note(entry: JsonObject, at: number, words: string): void {
    if (entry['isSidechain'] === true || this.#head.agent !== undefined) return;
    const message = nameIn(objectIn(entry, 'message'), 'id');
    const before = this.#lastWords?.message === message ? this.#lastWords?.text : undefined;
    const text = joinLines([before, words]) ?? '';
    this.#lastWords = { at, message, text, place: placeOf(entry), branch: textIn(entry, 'gitBranch') };
  }

  #stop(): PastEvent[] {
    const words = this.#lastWords;
    this.#lastWords = undefined;
    if (words === undefined) return [];
    const { at, text, place, branch } = words;
    const members = { stop_hook_active: this.#continuing, last_assistant_message: text };
    return [{ at, raw: this.#document('Stop', place, members), branch }];
  }

  #before({ id, name, input, at, place, branch }: OpenCall, result?: JsonObject): PastEvent {
    const raw = this.#document('PreToolUse', place, { tool_name: name, tool_input: input, tool_use_id: id });
    return { at: Math.max(at, this.#lastEnd), raw, branch, callId: id, before: fileBefore(result) };
  }

  #ended(entry: JsonObject, at: number, result: JsonObject): PastEvent[] {
    const call = this.#calls.get(nameIn(result, 'tool_use_id') ?? '');
    if (call === undefined) return [];
    this.#calls.delete(call.id);
    const text = textOfContent(result['content']) ?? '';
    const isError = result['is_error'] === true;
    // The client validates the input before it calls any hook.
    if (isError && text.startsWith('<tool_use_error>') && !call.isTold) return [];
    const before = call.isTold ? [] : [this.#before(call, objectIn(entry, 'toolUseResult'))];
    this.#lastEnd = at;
    if (isError && isRefused(entry, text)) return before;
    const { id, name, input } = call;
    const members = { tool_name: name, tool_input: input, tool_use_id: id };
    const raw = isError
      ? this.#document('PostToolUseFailure', call.place, { ...members, error: text })
      : this.#document('PostToolUse', call.place, { ...members, tool_response: responseIn(entry, text) });
    const isOver = textIn(objectIn(entry, 'toolUseResult'), 'backgroundTaskId') === undefined;
    const outcome = isError ? 'failure' : isOver ? 'success' : 'unknown';
    const branch = textIn(entry, 'gitBranch');
    return [...before, { at, raw, branch, callId: id, ended: { outcome, text } }];
  }

  #document(event: string, place: JsonObject, members: JsonObject): JsonObject {
    const { sessionId, agent } = this.#head;
    const isInside = agent !== undefined || place['agent_id'] !== undefined;
    return {
      session_id: sessionId,
      ...place,
      ...(isInside && { agent_id: agent?.id ?? place['agent_id'] ?? '' }),
      ...(agent?.type !== undefined && { agent_type: agent.type }),
      ...(this.#promptId !== undefined && { prompt_id: this.#promptId }),
      ...(this.#mode !== undefined && { permission_mode: this.#mode }),
      hook_event_name: event,
      ...members,
    };
  }
}

/** Commands that a person ran without the agent, and their output. */
const NO_PROMPT = /^\s*<(?:local-command-|bash-|command-message>(?![\s\S]*<command-name>))/;

/** The transcript stores the name and arguments of a slash command separately; hooks get it as typed. */
function typed(text: string): string {
  const [, name] = /<command-name>([^<]*)<\/command-name>/.exec(text) ?? [];
  if (name === undefined) return text;
  const [, args = ''] = /<command-args>([\s\S]*?)<\/command-args>/.exec(text) ?? [];
  return `/${name.trim().replace(/^\//, '')} ${args.trim()}`.trim();
}

/** Older versions mix entries of subagents with those of the main thread. */
function placeOf(entry: JsonObject): JsonObject {
  const isInside = entry['isSidechain'] === true;
  return {
    cwd: textIn(entry, 'cwd') ?? '',
    ...(isInside && { agent_id: nameIn(entry, 'agentId') ?? 'subagent' }),
  };
}

/** A call refused by a hook, a rule or the person never ran. */
function isRefused(entry: JsonObject, text: string): boolean {
  if (entry['toolDenialKind'] !== undefined) return true;
  return objectIn(entry, 'permissionDecision')['decision'] === 'reject' || REFUSED.test(text);
}

const REFUSED =
  /^(?:PreToolUse:\S+ hook error|The user doesn't want to|\[Request interrupted)|\bDetails: `holdpoint why \w+`\s*$/;

/** The result of an edit tells whether the file was new, or else its old text. */
function fileBefore(result: JsonObject | undefined): PastEvent['before'] {
  const path = textIn(result, 'filePath');
  const text = textIn(result, 'originalFile');
  if (path === undefined || (text === undefined && result?.['type'] !== 'create')) return undefined;
  return { path, ...(text !== undefined && { text }) };
}

function responseIn(entry: JsonObject, text: string): Json {
  const response = entry['toolUseResult'];
  return isJsonObject(response) || Array.isArray(response) ? response : { content: text };
}
