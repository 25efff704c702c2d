import { setMaxListeners } from 'node:events';
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { attempt, detailOf, fail, type Result, succeed } from '../core/failure';
import { acquireLock, type Lock } from '../state/files';
import { endFound, findServer, type ServerStatus } from './control';
import {
  formatReply,
  HANDLE_ALONE,
  type Header,
  type HookOutput,
  LARGEST_REQUEST,
  mayEndRequest,
  type Request,
  readRequest,
  STILL_WORKING,
} from './protocol';
import type { RuntimePlace } from './runtime-place';

export type Ending = 'idle' | 'upgrade' | 'memory' | 'replaced' | 'installation' | 'stopped' | 'signal';

/** An event as a process of its own would have received it. */
export interface EventCall {
  readonly document: string;
  readonly args: readonly string[];
  readonly env: Header['env'];
  /** The client's process; programs that the event runs get its environment. */
  readonly pid: number | undefined;
  readonly parentPid: number;
  /** When the client connected, in milliseconds since the epoch. */
  readonly cameAt: number;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

export interface ServedAnswer extends HookOutput {
  /** Called once the client has its answer, or is gone. */
  after(): void;
}

export interface Setup {
  readonly place: RuntimePlace;
  /** Our installation directory. */
  readonly dist: string;
  /** The server ends after this long without an event. */
  readonly idleMs: number;
  /** Whether there is work to do without events. */
  isNeeded?(): boolean;
  /** What a process of its own would answer; `left` if this server cannot. */
  answer(call: EventCall): Promise<ServedAnswer | { readonly left: string }>;
  onEnd(why: Ending): void;
  tell(text: string): void;
}

export const ALREADY_THERE = 'another server is already running.';

/** Further clients handle their events themselves. */
const MOST_CLIENTS = 256;
/** A client that stops sending is disconnected; it then handles the event itself. */
const PATIENCE_MS = 2000;
/** How long a client that is still sending may take to notice the answer. */
const LINGER_MS = 500;
/** Shorter than a client waits for a sign of life. */
const STILL_WORKING_MS = 1000;
/** A client of another installation ends us this long after the last event of our own. */
const SETTLED_MS = 60_000;
const LARGEST_RSS = 256 * 1024 * 1024;
const LOOK_EVERY_MS = 1000;
const TICK_MS = 5000;

/**
 * Starts to answer, unless another server does. The lock is held while the server runs, so there is never a
 * second one, and the socket of a dead one is not in the way. A silent server is replaced.
 */
export async function startServer(setup: Setup): Promise<Result<EventServer, string>> {
  const { place, tell } = setup;
  const found = await findServer(place);
  if (found.kind === 'answers') return fail(ALREADY_THERE);
  const ended = await endFound(place, found);
  if (ended.kind === 'stays') {
    return fail(
      `the running server (process ${ended.pid}) does not respond and cannot be killed: it is stuck in a system call, for instance on a disk that is gone.`,
    );
  }
  if (ended.kind === 'forced') {
    tell(`the old server (process ${ended.pid}) did not respond and was killed.`);
  }
  const lock = acquireLock(place.lock, 0);
  if (!lock.ok) {
    const { code } = lock.failure;
    return fail(code === 'lock.timeout' ? ALREADY_THERE : `cannot listen: ${code}`);
  }
  const listening = await listen(setup, lock.value);
  if (!listening.ok) lock.value.release();
  return listening;
}

function listen(setup: Setup, lock: Lock): Promise<Result<EventServer, string>> {
  const { socket } = setup.place;
  const server = createServer({ allowHalfOpen: true });
  server.maxConnections = MOST_CLIENTS;
  return new Promise((resolve) => {
    const refuse = (error: Error): void => resolve(fail(`cannot listen: ${detailOf(error)}`));
    server.once('error', refuse);
    rmSync(socket, { force: true });
    server.listen(socket, () => {
      server.off('error', refuse);
      chmodSync(socket, 0o600);
      const resident = new EventServer(setup, lock, () => server.close());
      server.on('connection', (client) => resident.receive(client));
      setup.tell(`listening on ${socket}, process ${process.pid}.`);
      resolve(succeed(resident));
    });
  });
}

/** A running server: its clients, its statistics, and what ends it. */
export class EventServer {
  readonly #setup: Setup;
  readonly #lock: Lock;
  readonly #close: () => void;
  readonly #isStranger: (header: Header) => string | undefined;
  readonly #areFilesUnchanged: () => boolean;
  readonly #socketInode: number;
  readonly #clock: NodeJS.Timeout;
  #answered = 0;
  // Of a clock that nobody can set back: else files would not be looked at until it has caught up.
  #lastAt = performance.now();
  #lookedAt = performance.now();
  #working = 0;
  #isOver = false;
  readonly #left: Record<string, number> = {};

  constructor(setup: Setup, lock: Lock, close: () => void) {
    this.#setup = setup;
    this.#lock = lock;
    this.#close = close;
    this.#isStranger = strangerTest(setup.dist);
    this.#areFilesUnchanged = unchangedFiles(setup.dist);
    this.#socketInode = lstatSync(setup.place.socket).ino;
    const everyMs = Math.min(TICK_MS, Math.max(setup.idleMs, LOOK_EVERY_MS));
    this.#clock = setInterval(() => this.#goesOn(), everyMs);
  }

  /** Reads one request, replies and closes the connection. */
  receive(client: Socket): void {
    const cameAt = Date.now();
    const gone = new AbortController();
    setMaxListeners(0, gone.signal);
    const pieces: Buffer[] = [];
    let size = 0;
    let isAsking = true;
    const proceed = (isEnd: boolean): void => {
      const request = isAsking ? readRequest(Buffer.concat(pieces), isEnd) : 'more';
      if (request === 'more') return;
      isAsking = false;
      client.setTimeout(0);
      if (request === 'refused') reply(client, HANDLE_ALONE);
      else void this.#serve(request, client, cameAt, gone.signal);
    };
    client.setTimeout(PATIENCE_MS);
    client.on('timeout', () => client.destroy());
    client.on('error', () => client.destroy());
    client.on('close', () => gone.abort());
    client.on('data', (piece: Buffer) => {
      pieces.push(piece);
      size += piece.length;
      // A large event comes in many pieces; parse them only when this one may be the last.
      if (mayEndRequest(piece) || size > LARGEST_REQUEST) proceed(false);
    });
    client.on('end', () => proceed(true));
  }

  async #serve(
    { header, document }: Request,
    client: Socket,
    cameAt: number,
    signal: AbortSignal,
  ): Promise<void> {
    if (header.ask !== undefined) return reply(client, this.#replyToAsk(header.ask));
    if (!this.#goesOn()) return reply(client, HANDLE_ALONE);
    const stranger = this.#isStranger(header);
    if (stranger !== undefined) return this.#leave(stranger, client);
    const { args = '', pid, parent, env } = header;
    this.#lastAt = performance.now();
    this.#working++;
    const sign = setInterval(() => client.write(STILL_WORKING), STILL_WORKING_MS);
    try {
      const result = await this.#setup.answer({
        document,
        args: args.split(' ').filter((word) => word !== ''),
        env,
        pid: Number(pid) || undefined,
        parentPid: Number(parent),
        cameAt,
        signal,
      });
      if ('left' in result) return this.#leave(result.left, client);
      this.#answered++;
      reply(client, formatReply(result), () => result.after());
    } catch {
      this.#leave('error', client);
    } finally {
      clearInterval(sign);
      this.#working--;
      this.#lastAt = performance.now();
    }
  }

  #leave(why: string, client: Socket): void {
    this.#left[why] = (this.#left[why] ?? 0) + 1;
    // The other installation will want to start a server of its own.
    if (why === 'installation' && performance.now() - this.#lastAt > SETTLED_MS) this.end(why);
    reply(client, HANDLE_ALONE);
  }

  #replyToAsk(ask: string): string {
    if (ask !== 'status' && ask !== 'stop') return HANDLE_ALONE;
    const result = formatReply({ exitCode: 0, stdout: `${JSON.stringify(this.#status())}\n`, stderr: '' });
    if (ask === 'stop') this.end('stopped');
    return result;
  }

  #status(): ServerStatus {
    return {
      pid: process.pid,
      version: __VERSION__,
      dist: this.#setup.dist,
      answered: this.#answered,
      left: this.#left,
      rss: process.memoryUsage.rss(),
    };
  }

  /** Checks the files and the memory, at most once a second, and ends the server if it has to. */
  #goesOn(): boolean {
    const now = performance.now();
    if (this.#isOver || now - this.#lookedAt < LOOK_EVERY_MS) return !this.#isOver;
    this.#lookedAt = now;
    const why = this.#whyEnd(now);
    if (why !== undefined) this.end(why);
    return !this.#isOver;
  }

  #whyEnd(now: number): Ending | undefined {
    if (!this.#areFilesUnchanged()) return 'upgrade';
    if (!this.#isOurs()) return 'replaced';
    if (this.#working > 0) return undefined;
    if (process.memoryUsage.rss() > LARGEST_RSS) return 'memory';
    const isIdle = now - this.#lastAt >= this.#setup.idleMs && this.#setup.isNeeded?.() !== true;
    return isIdle ? 'idle' : undefined;
  }

  #isOurs(): boolean {
    const { socket } = this.#setup.place;
    return (
      this.#lock.isStillMine() && lstatSync(socket, { throwIfNoEntry: false })?.ino === this.#socketInode
    );
  }

  end(why: Ending): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#clock);
    // Closing removes the socket, which may be a successor's by now.
    if (this.#isOurs()) {
      this.#close();
      this.#lock.release();
    }
    this.#setup.onEnd(why);
  }
}

/** Reads and drops further input: a client that is still writing takes a closed connection for an error. */
function reply(client: Socket, text: string, onEnd?: () => void): void {
  client.end(text, onEnd);
  client.setTimeout(LINGER_MS);
  client.resume();
}

/**
 * Why we do not answer a client: it would run another installation, or it sees other files and processes than
 * we do. A container may reach the socket and share nothing else with us. There the same path is another
 * file, and a project that we cannot see would look like one without rules.
 */
function strangerTest(dist: string): (header: Header) => string | undefined {
  const mounts = mountsOf('self');
  const machine = attempt(() => readFileSync('/proc/sys/kernel/hostname', 'utf8').split('\n', 1)[0]);
  return ({ dist: theirs, parent = '', machine: named }) => {
    if (theirs === undefined || !isSame(theirs, dist)) return 'installation';
    const isNear = named === machine && /^[1-9]\d{0,9}$/.test(parent);
    return isNear && (mounts === undefined || mountsOf(parent) === mounts) ? undefined : 'stranger';
  };
}

function isSame(theirs: string, ours: string): boolean {
  return theirs === ours || attempt(() => realpathSync(theirs)) === ours;
}

function mountsOf(process: string): string | undefined {
  return attempt(() => readlinkSync(`/proc/${process}/ns/mnt`));
}

/** Recorded before any of the files is loaded, so that two builds are never mixed. */
function unchangedFiles(dist: string): () => boolean {
  const files = readdirSync(dist).flatMap((name) => (name.endsWith('.cjs') ? [`${dist}/${name}`] : []));
  const signOf = (file: string): string => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? 'gone' : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
  };
  const signs = files.map(signOf);
  return () => files.every((file, index) => signs[index] === signOf(file));
}
