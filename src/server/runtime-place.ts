import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { attempt, detailOf, errorCode, fail, type Result, succeed } from '../core/failure';

/** Where to find the server of a user. */
export interface RuntimePlace {
  readonly dir: string;
  readonly socket: string;
  /** Held by the server as long as it runs. */
  readonly lock: string;
}

/** The kernel's limit for the path of a socket, including the final zero byte. */
const LONGEST_PATH = 104;

/** HOLDPOINT_RUNTIME_DIR, else a directory in XDG_RUNTIME_DIR, else one of the user's own below `/tmp`. */
export function runtimePlace(env: Readonly<Record<string, string | undefined>>, uid: number): RuntimePlace {
  const named = env['HOLDPOINT_RUNTIME_DIR'] ?? '';
  const runtime = env['XDG_RUNTIME_DIR'] ?? '';
  const shared = isAbsolute(runtime) && isOwn(look(runtime), uid) ? join(runtime, 'holdpoint') : undefined;
  return placeIn(isAbsolute(named) ? named : (shared ?? `/tmp/holdpoint-${uid}`));
}

export function placeAt(socket: string): RuntimePlace {
  return { ...placeIn(dirname(socket)), socket };
}

function placeIn(dir: string): RuntimePlace {
  return { dir, socket: join(dir, 's'), lock: join(dir, 'lock') };
}

/** Creates the directory if missing. An existing one must be ours and closed to other users. */
export function preparePlace({ dir, socket }: RuntimePlace, uid: number): Result<void, string> {
  if (Buffer.byteLength(socket) >= LONGEST_PATH) {
    return fail(`${socket} is too long for a socket; set HOLDPOINT_RUNTIME_DIR to a shorter directory.`);
  }
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') return fail(`${dir} cannot be created: ${detailOf(error)}`);
  }
  const found = look(dir);
  if (!isOwn(found, uid)) {
    return fail(
      `${dir} is not a directory that you own, so no server listens there. Remove it, or set HOLDPOINT_RUNTIME_DIR to another.`,
    );
  }
  return isClosed(found)
    ? succeed(undefined)
    : fail(`${dir} is open to other users, so no server listens there. Run: chmod 700 '${dir}'`);
}

/** Whether a directory is ours and closed to other users. */
export function isPrivate(dir: string): boolean {
  const found = look(dir);
  return isOwn(found, process.getuid?.() ?? 0) && isClosed(found);
}

function look(path: string): Stats | undefined {
  return attempt(() => lstatSync(path));
}

function isOwn(found: Stats | undefined, uid: number): boolean {
  return found?.isDirectory() === true && found.uid === uid;
}

function isClosed(found: Stats | undefined): boolean {
  return ((found?.mode ?? 0) & 0o077) === 0;
}
