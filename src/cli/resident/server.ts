import { rmdirSync, rmSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../core/json';
import { askServer, type Ended, endFound, findServer } from '../../server/control';
import { placeAt, runtimePlace } from '../../server/place';
import type { Context } from '../context';
import { type LaunchState, launchState } from '../install/launch';
import { showWarning } from '../install/report';

/** The server that events of this home are sent to, and the program that reaches it. */
type HomeServer = NonNullable<Awaited<ReturnType<typeof serverOf>>>;

/** Looks for the server; absent where every event starts a process of its own. */
export async function serverOf(home: string) {
  const { resident } = launchState(home);
  return resident && { found: await findServer(placeAt(resident.socket)), client: resident.client };
}

export function serverText({ found, client }: HomeServer): string {
  if (found.kind === 'nobody') return `not running; the next event starts it; reached by ${client}`;
  if (found.kind === 'silent') {
    const { pid } = found.holder;
    return `process ${pid} is there but does not answer, so events wait for it; end it: holdpoint serve --stop; reached by ${client}`;
  }
  const { pid, answered, rss } = found.status;
  return `process ${pid}, ${answered} event(s) answered, ${Math.round(rss / 1024 / 1024)} MB, reached by ${client}`;
}

export function serverJson(server: HomeServer | undefined): JsonObject | null {
  if (server === undefined) return null;
  const { found, client } = server;
  if (found.kind === 'nobody') return { running: false, client };
  if (found.kind === 'silent') return { running: true, answers: false, pid: found.holder.pid, client };
  const { pid, answered, version } = found.status;
  return { running: true, pid, answered, version, client };
}

const SERVER_STARTS_WITHIN_MS = 5000;

/**
 * Sends an event twice, with a look at the server after each. The first has a server started where none runs, and the
 * config compiled; the second is for the server.
 */
export async function sendTwice<Reply>(send: () => Reply, socket: string) {
  send();
  let before = await askServer(socket);
  for (const end = Date.now() + SERVER_STARTS_WITHIN_MS; before === undefined && Date.now() < end; ) {
    await wait(50);
    before = await askServer(socket);
  }
  const reply = send();
  return { before, reply, after: await askServer(socket) };
}

/**
 * Ends the server that a launch file led to before, unless it still leads there in the same way and the server
 * answers: the next event starts one of the right version. Tells what came of it.
 */
export async function endFormerServer(before: LaunchState): Promise<Ended> {
  if (before.resident === undefined) return { kind: 'nobody' };
  const now = launchState(dirname(dirname(dirname(before.file))));
  const isSame = now.resident?.socket === before.resident.socket && now.hook === before.hook;
  const place = placeAt(before.resident.socket);
  const found = await findServer(place);
  if (isSame && found.kind === 'answers') return { kind: 'nobody' };
  const ended = await endFound(place, found);
  if (now.resident === undefined) removePlace(place.dir);
  return ended;
}

/** What the line notes while a server starts, and the directory where nothing else is in it. */
function removePlace(dir: string): void {
  rmSync(join(dir, 'starting'), { force: true });
  try {
    rmdirSync(dir);
  } catch {
    // It is gone, or holds something of others.
  }
}

export function showEnded(ended: Ended, { out }: Context): void {
  if (ended.kind === 'obeyed') out.line('The server that answered events was ended.');
  if (ended.kind === 'forced')
    showWarning(`The server (process ${ended.pid}) did not answer any more and was ended by a signal.`, out);
  if (ended.kind === 'stays') {
    const what = `The server (process ${ended.pid}) does not answer`;
    showWarning(`${what}, and no signal ends it: the system itself holds it.`, out);
  }
}

/** A sentence where a directory for the server was named that is not used, because it depends on where one stands. */
export function unusedRuntimeDirectory(env: Context['env']): string | undefined {
  const named = env['HOLDPOINT_RUNTIME_DIR'] ?? '';
  if (named === '' || isAbsolute(named)) return undefined;
  const { dir } = runtimePlace(env, process.getuid?.() ?? 0);
  return `HOLDPOINT_RUNTIME_DIR is '${named}', which is no absolute path, so it is not used: the server is met in ${dir}.`;
}
