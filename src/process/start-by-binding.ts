import { writeSync } from 'node:fs';
import type { Child, ChildEnd, ChildOrder, ChildPipe, ChildStream } from './child';

/** Node's own objects, as far as they are used here. They check nothing: what they are given has to be right. */
interface PipeHandle {
  readonly fd: number;
  onread: (bytes: ArrayBuffer | undefined) => void;
  readStart(): number;
  unref(): void;
  close(): void;
}

interface ProcessHandle {
  readonly pid: number;
  onexit: (code: number, signal: NodeJS.Signals | '') => void;
  spawn(options: object): number;
  ref(): void;
  unref(): void;
  close(): void;
}

interface Bindings {
  binding(name: 'process_wrap'): { readonly Process: new () => ProcessHandle };
  binding(name: 'pipe_wrap'): {
    readonly Pipe: new (type: number) => PipeHandle;
    readonly constants: { readonly SOCKET: number };
  };
  binding(name: 'stream_wrap'): {
    /** Where each reading leaves how much there was and where it begins. */
    readonly streamBaseState: Int32Array;
    readonly kReadBytesOrError: number;
    readonly kArrayBufferOffset: number;
  };
}

/**
 * Starts a program by what lies below `node:child_process`, with the same options but without its streams and sockets.
 * Answers `undefined` where that does not do: for what is unusual, and for every trouble, so that `startByModule`
 * meets it in its own way and in its own words.
 */
export function startByBinding(order: ChildOrder): Child | undefined {
  const pairs = pairsOf(order.env);
  if (!isPlain(order, pairs)) return undefined;
  const handles = order.streams.map((stream) => (stream === 'pipe' ? newPipe() : undefined));
  const child = new (bindings().binding('process_wrap').Process)();
  const ended = new Promise<ChildEnd>((resolve) => {
    child.onexit = (code, signal) => {
      child.close();
      resolve(signal === '' ? { kind: 'exited', code } : { kind: 'signalled', signal });
    };
  });
  const trouble = child.spawn({
    file: order.command,
    args: [order.command, ...order.args],
    cwd: order.cwd,
    envPairs: pairs,
    stdio: order.streams.map((stream, at) => stdioOf(stream, handles[at])),
    detached: true,
    windowsHide: true,
  });
  if (trouble !== 0) {
    child.close();
    for (const handle of handles) handle?.close();
    return undefined;
  }
  const pipes = handles.map((handle) => handle && new StraightPipe(handle));
  return {
    kind: 'started',
    pid: child.pid,
    pipes,
    ended,
    letGo: () => child.unref(),
    hold: () => child.ref(),
  };
}

function bindings(): Bindings {
  return process as unknown as Bindings;
}

function newPipe(): PipeHandle {
  const { Pipe, constants } = bindings().binding('pipe_wrap');
  return new Pipe(constants.SOCKET);
}

function pairsOf(env: ChildOrder['env']): string[] {
  const pairs: string[] = [];
  for (const name in env) if (env[name] !== undefined) pairs.push(`${name}=${env[name]}`);
  return pairs;
}

/** Whether nothing would be cut at a zero byte, and nothing is to be written to the program. */
function isPlain({ command, args, cwd, streams }: ChildOrder, pairs: readonly string[]): boolean {
  if (command === '' || streams.some((stream) => typeof stream === 'object' && 'text' in stream))
    return false;
  return ![command, cwd, ...args, ...pairs].some((text) => text.includes('\0'));
}

function stdioOf(stream: ChildStream, handle: PipeHandle | undefined): object {
  if (handle !== undefined) return { type: 'pipe', handle };
  return typeof stream === 'object' && 'file' in stream
    ? { type: 'fd', fd: stream.file }
    : { type: 'ignore' };
}

class StraightPipe implements ChildPipe {
  readonly #handle: PipeHandle;
  #end: (() => void) | undefined;
  #closed = false;

  constructor(handle: PipeHandle) {
    this.#handle = handle;
  }

  listen(take: (bytes: Uint8Array) => void, end: () => void): void {
    const { streamBaseState, kReadBytesOrError, kArrayBufferOffset } = bindings().binding('stream_wrap');
    this.#end = end;
    this.#handle.onread = (bytes) => {
      const length = streamBaseState[kReadBytesOrError] ?? 0;
      // Its end and every error come as numbers below zero.
      if (length < 0) this.close();
      else if (bytes !== undefined) take(new Uint8Array(bytes, streamBaseState[kArrayBufferOffset], length));
    };
    if (this.#handle.readStart() !== 0) this.close();
  }

  /** At once and past the event loop: a socket has room for thousands of lines such as ours. */
  write(text: string): boolean {
    if (this.#closed) return false;
    try {
      return writeSync(this.#handle.fd, text) === text.length;
    } catch {
      return false;
    }
  }

  unref(): void {
    this.#handle.unref();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#handle.close();
    this.#end?.();
  }
}
