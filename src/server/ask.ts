import { connect } from 'node:net';
import { type ServerStatus, statusFrom } from './server-status';
import { parseReply, VERSION } from './wire';

const ANSWER_MS = 1000;

/** Asks the server at a socket about itself; `undefined` where none answers. */
export async function askServer(socket: string, withinMs = ANSWER_MS): Promise<ServerStatus | undefined> {
  const said = parseReply((await send(socket, `${VERSION}\nask=status\n\n`, withinMs)) ?? '');
  return said === undefined ? undefined : statusFrom(said.stdout);
}

/** Sends a request and gives back everything that comes; `undefined` where nobody listens or answers in time. */
export function send(
  socket: string,
  request: string | Buffer,
  withinMs: number,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const line = connect(socket);
    const give = (text: string | undefined): void => {
      line.destroy();
      resolve(text);
    };
    line.setTimeout(withinMs, () => give(undefined));
    line.on('error', () => give(undefined));
    line.on('data', (piece: Buffer) => pieces.push(piece));
    line.on('end', () => give(Buffer.concat(pieces).toString('utf8')));
    line.end(request);
  });
}
