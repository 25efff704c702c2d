import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { attempt } from '../core/failure';
import { jsonObjectIn } from '../core/json';
import { newStamp, processState, type Stamp } from '../exec/processes';
import { acquireLock, holderOf } from '../state/files';
import { parseReply, VERSION } from './protocol';
import { isPrivate, placeAt, type RuntimePlace } from './runtime-place';

/** What a server reports about itself. */
export interface ServerStatus {
  readonly pid: number;
  readonly version: string;
  /** Its installation directory. */
  readonly dist: string;
  readonly answered: number;
  /** How many events it left to a process of their own, by reason. */
  readonly left: Readonly<Record<string, number>>;
  /** In bytes. */
  readonly rss: number;
}

/** What is found at a server's place: nobody, a server that answers, or a silent one that holds the lock. */
export type FoundServer =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'answers'; readonly status: ServerStatus }
  | { readonly kind: 'silent'; readonly holder: LockHolder };

/** How ending a server went: it obeyed, had to be killed, or could not be. */
export type EndedServer =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'obeyed'; readonly status: ServerStatus }
  | { readonly kind: 'forced'; readonly pid: number }
  | { readonly kind: 'stays'; readonly pid: number };

/** The live process that holds the lock of a place. */
interface LockHolder {
  readonly pid: number;
  /** Equal in two reads only if nobody else took the lock in between. */
  readonly identity: string;
}

const ANSWER_MS = 1000;
/** As long as clients wait: a slower server is of no use to them. */
const SILENT_AFTER_MS = 3000;
const OBEY_MS = 5000;
/** How long a server may take to clean up after a signal. */
const GRACE_MS = 1000;
const LOOK_MS = 20;

/** Asks the server at a socket for its status; `undefined` if none answers. */
export async function askServer(socket: string, withinMs = ANSWER_MS): Promise<ServerStatus | undefined> {
  const reply = parseReply((await send(socket, `${VERSION}\nask=status\n\n`, withinMs)) ?? '');
  const status = jsonObjectIn(reply?.stdout ?? '');
  const isWhole = Number.isSafeInteger(status?.['pid']) && typeof status?.['dist'] === 'string';
  return isWhole ? (status as unknown as ServerStatus) : undefined;
}

/** Sends a request and returns the whole reply; `undefined` if nobody listens or answers in time. */
export function send(socket: string, request: string | Buffer, withinMs: number) {
  return new Promise<string | undefined>((resolve) => {
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

/**
 * Looks for a server. A starting server holds its lock before it answers, so only one that has held the lock
 * all the time without answering is silent.
 */
export async function findServer(place: RuntimePlace): Promise<FoundServer> {
  let holder = holderAt(place);
  let until = Date.now() + SILENT_AFTER_MS;
  for (;;) {
    const withinMs = holder === undefined ? undefined : Math.max(until - Date.now(), LOOK_MS);
    const status = await askServer(place.socket, withinMs);
    if (status !== undefined) return { kind: 'answers', status };
    const now = holderAt(place);
    if (now === undefined) return { kind: 'nobody' };
    if (now.identity !== holder?.identity) {
      holder = now;
      until = Date.now() + SILENT_AFTER_MS;
    } else if (Date.now() >= until) return { kind: 'silent', holder };
    await wait(LOOK_MS);
  }
}

/** Ends the server at a socket, even one that does not answer, and waits until it is gone. */
export async function endServer(socket: string): Promise<EndedServer> {
  const place = placeAt(socket);
  return endFound(place, await findServer(place));
}

export async function endFound(place: RuntimePlace, found: FoundServer): Promise<EndedServer> {
  if (found.kind === 'nobody') return found;
  if (found.kind === 'silent') return force(place, found.holder);
  await send(place.socket, `${VERSION}\nask=stop\n\n`, ANSWER_MS);
  for (const until = Date.now() + OBEY_MS; Date.now() < until; await wait(LOOK_MS)) {
    if ((await askServer(place.socket)) === undefined) return { kind: 'obeyed', status: found.status };
  }
  const holder = holderAt(place);
  return holder === undefined ? { kind: 'obeyed', status: found.status } : force(place, holder);
}

/** Kills the lock holder. A stopped process only gets SIGTERM once it continues. */
async function force(place: RuntimePlace, holder: LockHolder): Promise<EndedServer> {
  const { pid } = holder;
  signal(place, holder, 'SIGTERM');
  signal(place, holder, 'SIGCONT');
  if (!(await hasGone(place, holder))) signal(place, holder, 'SIGKILL');
  if (!(await hasGone(place, holder))) return { kind: 'stays', pid };
  // Remove the socket that a killed server leaves. While we hold the lock it cannot be a successor's.
  const held = acquireLock(place.lock, 0);
  if (held.ok) {
    rmSync(place.socket, { force: true });
    held.value.release();
  }
  return { kind: 'forced', pid };
}

/** Only if it still is the process that was found: another may have taken its place. */
function signal(place: RuntimePlace, { pid, identity }: LockHolder, name: NodeJS.Signals): void {
  // It may exit by itself meanwhile.
  if (holderAt(place)?.identity === identity) attempt(() => process.kill(pid, name));
}

async function hasGone(place: RuntimePlace, { identity }: LockHolder): Promise<boolean> {
  for (const until = Date.now() + GRACE_MS; Date.now() < until; await wait(LOOK_MS)) {
    if (holderAt(place)?.identity !== identity) return true;
  }
  return false;
}

/**
 * The lock holder, if it is a live process of ours on this machine. Only we can write to a private directory,
 * so a process named there is a server of this user.
 */
function holderAt(place: RuntimePlace): LockHolder | undefined {
  if (!isPrivate(place.dir)) return undefined;
  const holder = holderOf(place.lock);
  if (holder?.stamp === undefined || !livesHere(holder.stamp)) return undefined;
  return { pid: holder.stamp.pid, identity: holder.identity };
}

/** A reused pid is recognised by the start time of its process, else by its command line. */
function livesHere({ host, space, pid, start }: Stamp): boolean {
  const self = newStamp();
  if (host !== self.host || (space ?? self.space) !== self.space) return false;
  if (processState(pid, start) === 'dead') return false;
  if (start !== undefined) return true;
  const { stdout } = spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
  return (stdout ?? '').includes('serve.cjs');
}
