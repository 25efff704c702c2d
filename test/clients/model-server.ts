import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json';
import type { ScriptedModel, Turn } from './scripted-model';

/** A model on the loopback. It is told what it reads for the first time with each question. */
export type StartModel = (answer: (news: string) => Turn) => Promise<ScriptedModel>;

export type Answer = Extract<Turn, { kind: 'answer' }>;

/** How one maker's model is asked and answers. */
export interface Dialect {
  /** The messages of a question, oldest first; nothing where a request is no part of the conversation. */
  messages(path: string, body: JsonObject): readonly JsonObject[] | undefined;
  /** Whether the model itself has said this. */
  isAnswer(message: JsonObject): boolean;
  /** An answer as the documents of a stream. `id` differs from answer to answer. */
  stream(answer: Answer, id: string): readonly JsonObject[];
  /** What is answered to everything else. */
  readonly aside: JsonObject;
}

/** A model that speaks a dialect. */
export function modelFor(dialect: Dialect): StartModel {
  return async (answer) => {
    // As with real models, no two calls of any session share an id.
    const name = randomBytes(4).toString('hex');
    let answers = 0;
    const server = createServer(async (request, response) => {
      const body = await bodyOf(request);
      const messages = dialect.messages(request.url ?? '/', body);
      if (messages === undefined) return send(response, 200, 'application/json', [dialect.aside]);
      const turn = answer(newsIn(messages, dialect));
      answers += 1;
      if (turn.kind === 'error') {
        const error = { code: turn.status, message: turn.text, status: turn.type };
        return send(response, turn.status, 'application/json', [{ error }]);
      }
      return send(response, 200, 'text/event-stream', dialect.stream(turn, `${name}-${answers}`));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    };
  };
}

/** All words that came after the model's last answer. */
function newsIn(messages: readonly JsonObject[], { isAnswer }: Dialect): string {
  return textsIn([...messages.slice(messages.findLastIndex(isAnswer) + 1)]).join('\n');
}

function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((part) => textsIn(part));
  return isJsonObject(value) ? Object.values(value).flatMap((part) => textsIn(part)) : [];
}

async function bodyOf(request: IncomingMessage): Promise<JsonObject> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  const body: unknown = text === '' ? {} : JSON.parse(text);
  return isJsonObject(body) ? body : {};
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  documents: readonly JsonObject[],
): void {
  const frame = (text: string): string => (type === 'text/event-stream' ? `data: ${text}\n\n` : text);
  response.writeHead(status, { 'content-type': type });
  response.end(documents.map((document) => frame(JSON.stringify(document))).join(''));
}
