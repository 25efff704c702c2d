import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { jsonObjectIn } from '../core/json';
import { attempt } from '../exec/attempt';
import { processState } from '../exec/processes';
import { acquireLock, holderOf, newStamp, type Stamp } from '../state/lock';
import { isPrivate, placeAt, type RuntimePlace } from './place';
import { parseReply, VERSION } from './wire';

/** What a server tells of itself. */
export interface ServerStatus {
  readonly pid: number;
  readonly version: string;
  readonly build: string;
  /** Where its files are. */
  readonly dist: string;
  readonly startedAt: number;
  readonly answered: number;
  /** How many events were left to a process of their own, by reason. */
  readonly left: Readonly<Record<string, number>>;
  /** Half of the last thousand answers took less, in milliseconds. */
  readonly medianMs: number;
  /** In bytes. */
  readonly rss: number;
}

/** Who is found at the place of a server: nobody, one that answers, or one that is there and says nothing. */
export type Found =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'answers'; readonly status: ServerStatus }
  | { readonly kind: 'silent'; readonly holder: LockHolder };

/** What came of ending a server: it went when it was told, or had to be made to, or could not be. */
export type Ended =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'obeyed'; readonly status: ServerStatus }
  | { readonly kind: 'forced'; readonly pid: number }
  | { readonly kind: 'stays'; readonly pid: number };

/** The living process that holds the lock of a place. */
interface LockHolder {
  readonly pid: number;
  /** Equal for two looks only if nobody else has taken the lock in between. */
  readonly identity: string;
}

const ANSWER_MS = 1000;
/** As long as clients wait: one that takes longer is of no use to them. */
const SILENT_AFTER_MS = 3000;
const OBEY_MS = 5000;
/** How long one that was sent a signal may take to put things in order. */
const GRACE_MS = 1000;
const LOOK_MS = 20;

/** Asks the server at a socket about itself; `undefined` where none answers. */
export async function askServer(socket: string, withinMs = ANSWER_MS): Promise<ServerStatus | undefined> {
  const said = parseReply((await send(socket, `${VERSION}\nask=status\n\n`, withinMs)) ?? '');
  const status = jsonObjectIn(said?.stdout ?? '');
  const isWhole = Number.isSafeInteger(status?.['pid']) && typeof status?.['dist'] === 'string';
  return isWhole ? (status as unknown as ServerStatus) : undefined;
}

/** Sends a request and gives back everything that comes; `undefined` where nobody listens or answers in time. */
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
 * Looks for a server. One that is still starting holds its lock before it answers, so silent is only one that has held
 * it for all the time and has said nothing.
 */
export async function findServer(place: RuntimePlace): Promise<Found> {
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

/** Ends the server at a socket and waits until it has gone, also one that does not answer. */
export async function endServer(socket: string): Promise<Ended> {
  const place = placeAt(socket);
  return endFound(place, await findServer(place));
}

/** Ends the server that was found at a place. */
export async function endFound(place: RuntimePlace, found: Found): Promise<Ended> {
  if (found.kind === 'nobody') return found;
  if (found.kind === 'silent') return force(place, found.holder);
  await send(place.socket, `${VERSION}\nask=stop\n\n`, ANSWER_MS);
  for (const until = Date.now() + OBEY_MS; Date.now() < until; await wait(LOOK_MS)) {
    if ((await askServer(place.socket)) === undefined) return { kind: 'obeyed', status: found.status };
  }
  const holder = holderAt(place);
  return holder === undefined ? { kind: 'obeyed', status: found.status } : force(place, holder);
}

/** Ends the holder of a lock by signals. One that was stopped gets to hear the first only when it goes on. */
async function force(place: RuntimePlace, holder: LockHolder): Promise<Ended> {
  const { pid } = holder;
  signal(place, holder, 'SIGTERM');
  signal(place, holder, 'SIGCONT');
  if (!(await hasGone(place, holder))) signal(place, holder, 'SIGKILL');
  if (!(await hasGone(place, holder))) return { kind: 'stays', pid };
  // What one that was killed leaves. With the lock in our hands it cannot be the socket of a successor.
  const held = acquireLock(place.lock, 0);
  if (held.ok) {
    rmSync(place.socket, { force: true });
    held.value.release();
  }
  return { kind: 'forced', pid };
}

/** Only while it still is the one that was found: its place may have been taken by another. */
function signal(place: RuntimePlace, { pid, identity }: LockHolder, name: NodeJS.Signals): void {
  // It may end by itself meanwhile.
  if (holderAt(place)?.identity === identity) attempt(() => process.kill(pid, name));
}

async function hasGone(place: RuntimePlace, { identity }: LockHolder): Promise<boolean> {
  for (const until = Date.now() + GRACE_MS; Date.now() < until; await wait(LOOK_MS)) {
    if (holderAt(place)?.identity !== identity) return true;
  }
  return false;
}

/**
 * Who holds the lock, if it is a process of ours that lives here. Only we can write into a place that is private, so
 * whoever is named there is a server of this user.
 */
function holderAt(place: RuntimePlace): LockHolder | undefined {
  if (!isPrivate(place.dir, process.getuid?.() ?? 0)) return undefined;
  const holder = holderOf(place.lock);
  if (holder?.stamp === undefined || !livesHere(holder.stamp)) return undefined;
  return { pid: holder.stamp.pid, identity: holder.identity };
}

/** A number that was given to another process since is known by when that began, else by what it runs. */
function livesHere({ host, space, pid, start }: Stamp): boolean {
  const self = newStamp();
  if (host !== self.host || (space ?? self.space) !== self.space) return false;
  if (processState(pid, start) === 'dead') return false;
  if (start !== undefined) return true;
  const { stdout } = spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
  return (stdout ?? '').includes('serve.cjs');
}
