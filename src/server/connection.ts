import type { Socket } from 'node:net';
import { type Progress, type Request, requestReader } from './request-reader';
import { ALONE } from './wire';

/** A client that says nothing more is let go; it then does without us. */
const PATIENCE_MS = 2000;
/** How long a client that still sends may take to notice that it has been answered. */
const LINGER_MS = 500;

/** Reads one request, and ends with the reply to it. */
export function serveConnection(
  socket: Socket,
  answer: (request: Request, reply: (text: string) => void) => void,
): void {
  const reader = requestReader();
  let isAsking = true;
  const close = (reply: string): void => {
    socket.end(reply);
    // What still comes is read and dropped: to a client that writes, a closed door looks like an error.
    socket.setTimeout(LINGER_MS);
    socket.resume();
  };
  const proceed = (progress: Progress): void => {
    if (progress === 'more') return;
    isAsking = false;
    if (progress === 'refused') close(ALONE);
    else answer(progress, close);
  };
  socket.setTimeout(PATIENCE_MS);
  socket.on('timeout', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (piece: Buffer) => isAsking && proceed(reader.take(piece)));
  socket.on('end', () => isAsking && proceed(reader.end()));
}
