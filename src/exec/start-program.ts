import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Child, ChildEnd, ChildOrder, ChildPipe, ChildStream, NotStartedChild } from './child';
import { childProcess } from './late-child-process';

/** Starts a program by `node:child_process`. */
export function startProgram(order: ChildOrder): Child | NotStartedChild {
  const { command, args, cwd, env, streams } = order;
  try {
    const stdio = streams.map(stdioOf);
    const child = childProcess().spawn(command, args, { cwd, env, stdio, detached: true, windowsHide: true });
    if (child.pid !== undefined) return started(child, child.pid, streams);
    return { kind: 'failed', error: new Promise((tell) => child.once('error', tell)) };
  } catch (error) {
    return { kind: 'failed', error: Promise.resolve(error) };
  }
}

function stdioOf(stream: ChildStream): 'ignore' | 'pipe' | number {
  if (stream === 'none') return 'ignore';
  return typeof stream === 'object' && 'file' in stream ? stream.file : 'pipe';
}

function started(child: ChildProcess, pid: number, streams: readonly ChildStream[]): Child {
  const ended = new Promise<ChildEnd>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal }),
    );
  });
  const given = streams.flatMap((stream, at) =>
    typeof stream === 'object' && 'text' in stream ? [give(child.stdio[at] as Socket, stream.text)] : [],
  );
  const pipes = streams.map((stream, at) =>
    stream === 'pipe' ? pipeOver(child.stdio[at] as Socket) : undefined,
  );
  const letGo = (): void => {
    for (const socket of given) socket.destroy();
    child.unref();
  };
  return { kind: 'started', pid, pipes, ended, letGo, hold: () => child.ref() };
}

/** A program need not read what it is given: that its end of the pipe is closed is no trouble of ours. */
function give(socket: Socket, text: string): Socket {
  socket.on('error', () => undefined);
  return socket.end(text);
}

function pipeOver(socket: Socket): ChildPipe {
  // A pipe that breaks has said all it will; its `close` follows.
  socket.on('error', () => undefined);
  return {
    listen(take, end) {
      socket.on('data', take);
      socket.on('close', end);
    },
    write(text) {
      if (socket.writable) socket.write(text);
      return socket.writable;
    },
    unref: () => void socket.unref(),
    close: () => void socket.destroy(),
  };
}
