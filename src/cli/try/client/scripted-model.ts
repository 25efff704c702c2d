import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type JsonObject } from '../../../core/json';
import { type Asked, readRequest } from './asked';
import { messageOf, streamOf } from './message-stream';
import { say, type Turn } from './turn';

/** Decides what is answered. A script may read the question, as a model would. */
export type Script = (asked: Asked) => Turn | Promise<Turn>;

export interface ScriptedModel {
  readonly url: string;
  close(): Promise<void>;
}

/** A server on the loopback that speaks as much of Anthropic's messages API as a coding agent asks for. */
export async function startModel(script: Script): Promise<ScriptedModel> {
  // A session that is resumed with another model keeps what the first one said; no two calls may share an id.
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
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
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  const body: unknown = text === '' ? {} : JSON.parse(text);
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
