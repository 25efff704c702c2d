import { chmodSync, closeSync, openSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Refusal } from '../db/refusal.js';
import { type Office, perform } from './acts.js';

const name = 'control.sock';
/** The system cuts off longer paths. */
const longestPath = 100;

/** An act for the hub that runs on this database; null is the embedded one. */
export interface Request {
  /** Undefined accepts any hub on this data. */
  readonly database?: string | null | undefined;
  readonly act: unknown;
}

type Reply = { result: object } | { error: string } | { other: true };

/** Listens for the command line in the data directory, for its owner only. Null if another hub does. */
export async function openControl(
  data: string,
  database: string | null,
  office: Office,
): Promise<{ close(): Promise<void> } | null> {
  const address = addressIn(data);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    firstLine(socket, (line) => {
      void answer(office, database, line).then((reply) => socket.end(`${JSON.stringify(reply)}\n`));
    });
  });
  try {
    if ((await ask(data, null)) !== null) return null;
    rmSync(join(data, name), { force: true });
    await listening(server, address.path);
    chmodSync(join(data, name), 0o600);
  } catch (error) {
    server.close();
    address.close();
    throw error;
  }
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      address.close();
    },
  };
}

async function answer(office: Office, database: string | null, line: string): Promise<Reply> {
  try {
    const request = JSON.parse(line) as Request | null;
    if (request === null) return { result: {} };
    if (request.database !== undefined && request.database !== database) return { other: true };
    return { result: await perform(office, request.act) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Sends a request to the hub that runs on this data. Null if none does, or one with another database. */
export async function ask(data: string, request: Request | null): Promise<object | null> {
  const address = addressIn(data);
  try {
    const line = await exchange(address.path, JSON.stringify(request));
    if (line === null) return null;
    const reply = JSON.parse(line) as Reply;
    if ('error' in reply) throw new Refusal(reply.error);
    return 'result' in reply ? reply.result : null;
  } finally {
    address.close();
  }
}

function exchange(path: string, line: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => socket.write(`${line}\n`));
    let isAnswered = false;
    firstLine(socket, (text) => {
      isAnswered = true;
      resolve(text);
    });
    socket.on('close', () => {
      if (!isAnswered) reject(new Refusal('The hub ended before it answered. Try again.'));
    });
    socket.on('error', (error) => {
      const code = 'code' in error ? error.code : '';
      if (code === 'ENOENT' || code === 'ECONNREFUSED') {
        isAnswered = true;
        resolve(null);
      } else reject(new Refusal(`Cannot speak to the running hub: ${error.message}.`));
    });
  });
}

function firstLine(socket: Socket, take: (line: string) => void): void {
  let text = '';
  const add = (part: string) => {
    text += part;
    const end = text.indexOf('\n');
    if (end === -1) return;
    socket.off('data', add);
    socket.resume();
    take(text.slice(0, end));
  };
  socket.setEncoding('utf8').on('data', add);
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}

/** The socket's path; one that is too long goes through a file descriptor of its directory. */
function addressIn(data: string): { readonly path: string; close(): void } {
  const path = join(data, name);
  if (Buffer.byteLength(path) <= longestPath || process.platform !== 'linux')
    return { path, close: () => {} };
  let handle: number;
  try {
    handle = openSync(data, 'r');
  } catch {
    return { path, close: () => {} };
  }
  return { path: `/proc/self/fd/${handle}/${name}`, close: () => closeSync(handle) };
}
