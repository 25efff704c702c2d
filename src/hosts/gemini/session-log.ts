import { dirname, join } from 'node:path';
import type { ToolOutcome } from '../../core/event';
import { readText } from '../../core/failure';
import { type JsonObject, joinLines, listIn, nameIn, objectIn, objectsIn, textIn } from '../../core/json';
import { isFeedback, textOfContent } from '../protocol';
import { type LogHead, type LogReader, type PastEvent, type SessionLogs, timeIn } from '../session-log';

/** `~/.gemini/tmp/PROJECT/chats/session-*.jsonl`; older versions write one JSON document. */
export const sessionLogs: SessionLogs = {
  host: 'gemini',
  matters: (line) => line.includes('"gemini"') || line.includes('"user"'),
  head,
  open: (begun) => new Reader(begun),
};

function head(entries: readonly JsonObject[], path: string): LogHead | undefined {
  const first = entries.find((entry) => nameIn(entry, 'sessionId') && nameIn(entry, 'startTime'));
  const startedAt = timeIn(first?.['startTime']);
  if (first === undefined || startedAt === undefined) return undefined;
  const isSubagent = first['kind'] === 'subagent';
  const cwd = rootNoted(path) ?? workspaceIn(entries) ?? '';
  return {
    sessionId: nameIn(first, 'sessionId') ?? '',
    startedAt,
    cwd,
    rootHash: nameIn(first, 'projectHash'),
    ...(isSubagent && { agent: { id: nameIn(first, 'sessionId') ?? '' } }),
  };
}

/** The client stores the project's root next to the folder of its chats. */
function rootNoted(path: string): string | undefined {
  for (let dir = dirname(path), steps = 0; steps < 4 && dir !== dirname(dir); dir = dirname(dir), steps++) {
    const root = readText(join(dir, '.project_root'))?.trim();
    if (root !== undefined) return root || undefined;
  }
  return undefined;
}

/** The workspace that the client names to the model at the beginning. */
function workspaceIn(entries: readonly JsonObject[]): string | undefined {
  const told = entries.flatMap((entry) => [entry, ...objectsIn(objectIn(entry, '$set'), 'messages')]);
  const texts = told.map(textOf);
  return texts.flatMap((text) => /Workspace Directories:\*{0,2}\n\s*- (\/.*)/.exec(text)?.[1] ?? [])[0];
}

/** Tools that run alone; others run in parallel if the model calls them together. */
const ALONE = ['replace', 'write_file', 'update_topic'];

class Reader implements LogReader {
  readonly #head: LogHead;
  readonly #seen = new Set<string>();
  #isStarted = false;
  #continuing = false;
  #prompt = '';
  #said = '';
  /** A message without calls, which ends the turn unless it is written again with calls. */
  #last: { readonly id: string; readonly at: number; readonly text: string } | undefined;

  constructor(head: LogHead) {
    this.#head = head;
  }

  read(entry: JsonObject): readonly PastEvent[] | undefined {
    const type = entry['type'];
    const id = nameIn(entry, 'id');
    const at = timeIn(entry['timestamp']);
    if (entry['$set'] !== undefined || entry['$rewindTo'] !== undefined || nameIn(entry, 'startTime'))
      return [];
    if (id === undefined || at === undefined || typeof type !== 'string') return undefined;
    const isOther = this.#last !== undefined && this.#last.id !== id;
    const stops = isOther ? this.#stop() : [];
    if (type === 'gemini') return [...stops, ...this.#answer(entry, id, at)];
    return type === 'user' ? [...stops, ...this.#asked(entry, at)] : stops;
  }

  end(): readonly PastEvent[] {
    return this.#stop();
  }

  #asked(entry: JsonObject, at: number): PastEvent[] {
    const isResult = listIn(entry, 'content').some((part) => objectIn({ part }, 'part')['functionResponse']);
    const text = textOf(entry);
    if (isResult || text === '' || text.startsWith('<session_context>')) return [];
    const start = this.#isStarted
      ? []
      : [this.#event('SessionStart', this.#head.startedAt, { source: 'startup' })];
    this.#isStarted = true;
    if (this.#head.agent !== undefined) return [];
    this.#continuing = isFeedback(text);
    if (!this.#continuing) this.#said = '';
    this.#prompt = text;
    return [...start, this.#event('BeforeAgent', at, { prompt: text })];
  }

  #answer(entry: JsonObject, id: string, at: number): PastEvent[] {
    // A call without an id is identified by its position in the message.
    const calls = objectsIn(entry, 'toolCalls').map(
      (call, index): JsonObject => ({ id: `${id} ${index}`, ...call }),
    );
    const fresh = calls.filter(
      (call) => !this.#seen.has(idOf(call)) && ENDED.includes(String(call['status'])),
    );
    const text = textOf(entry);
    this.#last = calls.length === 0 && text !== '' ? { id, at, text } : undefined;
    if (calls.length > 0 && text !== '' && fresh.length > 0) this.#said += text;
    for (const call of fresh) this.#seen.add(idOf(call));
    return groups(fresh).flatMap((group) => [
      ...group.map((call) => this.#call('BeforeTool', at, call)),
      ...group.filter((call) => !isRefused(call)).map((call) => this.#ended(call, at)),
    ]);
  }

  #ended(call: JsonObject, at: number): PastEvent {
    const { text, error } = responseIn(call);
    const tool_response = {
      llmContent: error === undefined ? text : error,
      returnDisplay: call['resultDisplay'] ?? null,
      ...(error !== undefined && { error: { message: error } }),
    };
    const event = this.#call('AfterTool', timeIn(call['timestamp']) ?? at, call, { tool_response });
    return { ...event, ended: { outcome: outcomeOf(text, error), text: error ?? text } };
  }

  #call(name: string, at: number, call: JsonObject, more: JsonObject = {}): PastEvent {
    const members = { tool_name: textIn(call, 'name') ?? '', tool_input: objectIn(call, 'args'), ...more };
    return { ...this.#event(name, at, members), callId: idOf(call) };
  }

  #stop(): PastEvent[] {
    const last = this.#last;
    this.#last = undefined;
    if (last === undefined || this.#head.agent !== undefined) return [];
    this.#said += last.text;
    const members = {
      prompt: this.#prompt,
      prompt_response: this.#said,
      stop_hook_active: this.#continuing,
    };
    return [this.#event('AfterAgent', last.at, members)];
  }

  #event(name: string, at: number, members: JsonObject): PastEvent {
    const { sessionId, cwd } = this.#head;
    const timestamp = new Date(at).toISOString();
    return { at, raw: { session_id: sessionId, cwd, hook_event_name: name, timestamp, ...members } };
  }
}

function idOf(call: JsonObject): string {
  return nameIn(call, 'id') ?? '';
}

const ENDED = ['success', 'error', 'cancelled'];

/** Groups of calls: those in a group run in parallel, the groups one after the other. */
function groups(calls: readonly JsonObject[]): JsonObject[][] {
  const grouped: JsonObject[][] = [];
  let isOpen = false;
  for (const call of calls) {
    const wait = objectIn(call, 'args')['wait_for_previous'];
    const isAlone = ALONE.includes(textIn(call, 'name') ?? '') || wait === true;
    if (isOpen && !isAlone) grouped.at(-1)?.push(call);
    else grouped.push([call]);
    isOpen = !isAlone;
  }
  return grouped;
}

/** A call that a hook blocked or the person cancelled never ran. */
function isRefused(call: JsonObject): boolean {
  return (
    call['status'] === 'cancelled' || responseIn(call).error?.startsWith('Tool execution blocked:') === true
  );
}

function responseIn(call: JsonObject): { readonly text: string; readonly error?: string } {
  const responses = objectsIn(call, 'result').map((part) =>
    objectIn(objectIn(part, 'functionResponse'), 'response'),
  );
  const error = responses.flatMap((one) => textIn(one, 'error') ?? [])[0];
  const text = joinLines(responses.map((one) => textIn(one, 'output'))) ?? '';
  return { text, ...(error !== undefined && { error }) };
}

/** The client gives the exit code of a failed command, and nothing for a successful one. */
function outcomeOf(text: string, error: string | undefined): ToolOutcome {
  return error !== undefined || /^(?:Exit Code: -?[1-9]|Signal: )/m.test(text) ? 'failure' : 'success';
}

function textOf(entry: JsonObject): string {
  return textOfContent(entry['content']) ?? '';
}
