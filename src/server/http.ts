import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { errorCode } from '../core/error-code';
import { fail, type Result, succeed } from '../core/failure';
import type { Waiting } from './answer-together';
import type { Environment } from './environment';
import { showsToken } from './http-token';
import { judgeEvent, type Outcome } from './judge-event';
import { noPort } from './messages';
import type { Reception } from './reception';
import { LARGEST_DOCUMENT, type Spoken } from './wire';

/** What the hooks over http are answered with. */
export interface HttpSetup {
  readonly port: number;
  readonly token: string;
  readonly env: Environment;
  load(name: string): unknown;
  readonly reception: Reception;
  /** Runs the hook in a process of its own. */
  runAlone(document: string): Promise<Spoken>;
  onAnswer(outcome: Outcome, tookMs: number): void;
}

/** Answers on the loopback until it is closed. */
export interface HttpServer {
  readonly port: number;
  close(): void;
}

const ARGS = ['--host', 'claude-code'];

/**
 * Claude Code posts the document and reads the answer from the body. It sends no environment and expects an
 * answer to everything, so what a client of the socket would do alone is started from here.
 */
export function startHttp(setup: HttpSetup): Promise<Result<HttpServer, string>> {
  const server = createServer((request, response) => {
    receive(request, response, setup).catch(() => finish(response, 500, ''));
  });
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(fail(noPort(setup.port, errorCode(error), error.message))));
    server.listen(setup.port, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : setup.port;
      const close = (): void => {
        server.close();
        server.closeIdleConnections();
      };
      resolve(succeed({ port, close }));
    });
  });
}

async function receive(request: IncomingMessage, response: ServerResponse, setup: HttpSetup): Promise<void> {
  if (!showsToken(request.headers.authorization, setup.token)) return finish(response, 401, '');
  if (request.method !== 'POST') return finish(response, 405, '');
  const startedAt = Date.now();
  const document = await bodyOf(request);
  if (document === undefined) return finish(response, 413, '');
  const call = { document, args: ARGS, env: setup.env, parentPid: process.pid, startedAt };
  const outcome = await new Promise<Outcome>((resolve) => {
    const tell: Waiting['tell'] = (said, took) => {
      setup.onAnswer(said, took);
      resolve(said);
    };
    setup.reception()({ judge: (recall) => judgeEvent(call, setup.load, recall), tell });
  });
  const spoken = 'left' in outcome ? await setup.runAlone(document) : outcome;
  // To the client an empty answer is one that lets pass, and it says nothing of it.
  if ('left' in outcome && outcome.left === 'no-event') return finish(response, 400, errorIn(spoken));
  finish(response, statusOf(spoken), spoken.stdout);
}

/** There are no exit codes here: a refusal is told by its document, and whatever else is not zero is a failure. */
function statusOf({ exitCode, stdout }: Spoken): number {
  const isRefusal = exitCode === 2 && stdout !== '';
  return exitCode === 0 || isRefusal ? 200 : 500;
}

function errorIn({ stderr }: Spoken): string {
  return `${JSON.stringify({ error: stderr.trim() })}\n`;
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > LARGEST_DOCUMENT * 64) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function finish(response: ServerResponse, code: number, body: string): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(body);
}
