import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { acquireLock } from '../state/lock';
import { askServer, send } from './ask';
import { type Found, findServer } from './find-server';
import { holderAt, type LockHolder } from './lock-holder';
import { placeAt, type RuntimePlace } from './place';
import type { ServerStatus } from './server-status';
import { VERSION } from './wire';

/** What came of it: it went when it was told, or had to be made to, or could not be. */
export type Ended =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'obeyed'; readonly status: ServerStatus }
  | { readonly kind: 'forced'; readonly pid: number }
  | { readonly kind: 'stays'; readonly pid: number };

const TELL_MS = 1000;
const OBEY_MS = 5000;
/** How long one that was sent a signal may take to put things in order. */
const GRACE_MS = 1000;
const LOOK_MS = 20;

/** Ends the server at a socket and waits until it has gone, also one that does not answer. */
export async function endServer(socket: string): Promise<Ended> {
  const place = placeAt(socket);
  return endFound(place, await findServer(place));
}

/** Ends the server that was found at a place. */
export async function endFound(place: RuntimePlace, found: Found): Promise<Ended> {
  if (found.kind === 'nobody') return found;
  if (found.kind === 'silent') return force(place, found.holder);
  await send(place.socket, `${VERSION}\nask=stop\n\n`, TELL_MS);
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
  removeSocket(place);
  return { kind: 'forced', pid };
}

/** Only while it still is the one that was found: its place may have been taken by another. */
function signal(place: RuntimePlace, { pid, identity }: LockHolder, name: NodeJS.Signals): void {
  if (holderAt(place)?.identity !== identity) return;
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself meanwhile.
  }
}

async function hasGone(place: RuntimePlace, { identity }: LockHolder): Promise<boolean> {
  for (const until = Date.now() + GRACE_MS; Date.now() < until; await wait(LOOK_MS)) {
    if (holderAt(place)?.identity !== identity) return true;
  }
  return false;
}

/** What one that was killed leaves. With the lock in our hands it cannot be the socket of a successor. */
function removeSocket({ lock, socket }: RuntimePlace): void {
  const held = acquireLock(lock, 0);
  if (!held.ok) return;
  rmSync(socket, { force: true });
  held.value.release();
}
