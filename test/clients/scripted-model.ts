import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json';

export interface Call {
  readonly name: string;
  readonly input: JsonObject;
}

interface Answer {
  readonly kind: 'answer';
  readonly text: string;
  readonly calls: readonly Call[];
  /** How full the model's context window is, as reported to the client. */
  readonly inputTokens: number;
}

/** What the scripted model answers: text and tool calls, or an API error. */
export type Turn =
  | Answer
  | { readonly kind: 'error'; readonly status: number; readonly type: string; readonly text: string };

export function say(words: string): Turn {
  return { kind: 'answer', text: words, calls: [], inputTokens: 10 };
}

/** Answers with tool calls; several are made at once. */
export function call(...calls: readonly Call[]): Turn {
  return { kind: 'answer', text: '', calls, inputTokens: 10 };
}

export function bash(command: string): Call {
  return { name: 'Bash', input: { command, description: 'as scripted' } };
}

export function write(path: string, content: string): Call {
  return { name: 'Write', input: { file_path: path, content } };
}

/** One request to the model, as far as a script cares. */
export type Asked = ReturnType<typeof readRequest>;

function readRequest(body: JsonObject) {
  const messages = Array.isArray(body['messages']) ? body['messages'].filter(isJsonObject) : [];
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
  const fresh = messages.slice(lastAnswer + 1);
  const opening = messages.find(({ role }) => role === 'user');
  const textsOf = (list: readonly JsonObject[]): string =>
    list.map(({ content }) => textOf(content)).join('\n');
  return {
    /** Everything that the model was told, the system prompt included. */
    all: `${textOf(body['system'])}\n${textsOf(messages)}`,
    /** What came after the model's last answer: results of tools, feedback, prompts. */
    news: textsOf(fresh),
    /** Whether a tool call was refused or failed since then. */
    hasErrors: fresh
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .some((block) => isJsonObject(block) && block['is_error'] === true),
    /** The first words of the conversation; a subagent has a conversation of its own. */
    opening: textOf(opening?.['content']),
    /** Requests without tools are for titles, summaries and probes. */
    hasTools: Array.isArray(body['tools']) && body['tools'].length > 0,
  };
}

/** Content is a text, or a list of blocks that have text or content of their own. */
function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  if (!isJsonObject(content)) return '';
  return textOf(content['text'] ?? content['content']);
}

/** Decides the answer. It may read the request, as a model would. */
export type Script = (asked: Asked) => Turn | Promise<Turn>;

export interface ScriptedModel {
  readonly url: string;
  close(): Promise<void>;
}

/** A loopback server that implements as much of Anthropic's messages API as a coding agent needs. */
export async function startModel(script: Script): Promise<ScriptedModel> {
  // A session resumed with another scripted model keeps the first one's calls; no two may share an id.
  const name = randomBytes(6).toString('hex');
  let answers = 0;
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await bodyOf(request);
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      if (path.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: 10 });
      if (request.method !== 'POST' || !path.endsWith('/messages')) return sendJson(response, 200, {});
      const asked = readRequest(body);
      answers += 1;
      sendTurn(response, asked.hasTools ? await script(asked) : say('Scripted'), body, `${name}_${answers}`);
    };
    answer().catch((error) =>
      sendTurn(response, { kind: 'error', status: 500, type: 'api_error', text: String(error) }, {}, ''),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<JsonObject> {
  const body: unknown = JSON.parse((await text(request)) || '{}');
  return isJsonObject(body) ? body : {};
}

function sendTurn(response: ServerResponse, turn: Turn, body: JsonObject, id: string): void {
  const model = String(body['model'] ?? 'scripted');
  if (turn.kind === 'error') {
    const error = { type: turn.type, message: turn.text };
    sendJson(response, turn.status, { type: 'error', error });
  } else if (body['stream'] === true) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(streamOf(turn, id, model));
  } else sendJson(response, 200, messageOf(turn, id, model));
}

function sendJson(response: ServerResponse, status: number, value: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** An answer as one document of Anthropic's messages API. `id` must be unique for each answer. */
function messageOf({ text: words, calls, inputTokens }: Answer, id: string, model: string): JsonObject {
  const texts = words === '' ? [] : [{ type: 'text', text: words }];
  const uses = calls.map((one, index) => ({ type: 'tool_use', id: `toolu_${id}_${index}`, ...one }));
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [...texts, ...uses],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: 10 },
  };
}

/** The same answer as the events of a stream, one block after the other. */
function streamOf(answer: Answer, id: string, model: string): string {
  const message = messageOf(answer, id, model);
  const events: JsonObject[] = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
  ];
  for (const [index, block] of (message['content'] as JsonObject[]).entries()) {
    const isText = block['type'] === 'text';
    const delta = isText
      ? { type: 'text_delta', text: block['text'] ?? '' }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) };
    const empty = isText ? { text: '' } : { input: {} };
    events.push(
      { type: 'content_block_start', index, content_block: { ...block, ...empty } },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    );
  }
  const ending = { stop_reason: message['stop_reason'] ?? null, stop_sequence: null };
  events.push(
    { type: 'message_delta', delta: ending, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  );
  return events.map((event) => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}
