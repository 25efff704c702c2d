import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the model answers: words, which end its turn, or one call of a tool. */
export type Step =
  | { readonly say: string }
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

/** How one maker's model is asked and answers. */
export interface Dialect {
  /** Whether a request is one of the conversation; the others are answered with `aside`. */
  isTurn(path: string, body: unknown): boolean;
  reply(step: Step, number: number): { readonly type: string; readonly text: string };
  readonly aside: { readonly type: string; readonly text: string };
}

export interface ScriptedServer {
  readonly url: string;
  /** The bodies of the conversation's requests as text, in their order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** A model on the loopback that answers the steps one after the other, and ends every turn behind the last. */
export async function startServer(dialect: Dialect, steps: readonly Step[]): Promise<ScriptedServer> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const text = await bodyOf(request);
    const isTurn = dialect.isTurn(request.url ?? '', text === '' ? {} : JSON.parse(text));
    const step = steps[asked.length] ?? { say: 'THE SCRIPT IS OVER' };
    const { type, text: answer } = isTurn ? dialect.reply(step, asked.push(text)) : dialect.aside;
    response.writeHead(200, { 'content-type': type });
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/** Documents as a stream of server-sent events. */
export function eventStream(documents: readonly object[]): { type: string; text: string } {
  const text = documents.map((document) => `data: ${JSON.stringify(document)}\n\n`).join('');
  return { type: 'text/event-stream', text };
}
