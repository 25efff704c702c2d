import type { JsonObject } from '../../core/json';
import { type Found, findServer } from '../../server/control';
import { placeAt } from '../../server/place';
import { launchState } from '../install/launch-state';
import { silentServer } from './messages';

/** The server that events of this home are sent to. */
export interface ServerGlance {
  readonly found: Found;
  /** The program by which it is reached. */
  readonly client: string;
}

/** Absent where every event starts a process of its own. */
export async function glanceAtServer(home: string): Promise<ServerGlance | undefined> {
  const { resident } = launchState(home);
  if (resident === undefined) return undefined;
  return { found: await findServer(placeAt(resident.socket)), client: resident.client };
}

export function serverText({ found, client }: ServerGlance): string {
  if (found.kind === 'nobody') return `not running; the next event starts it; reached by ${client}`;
  if (found.kind === 'silent') return silentServer(found.holder.pid, client);
  const { pid, answered, rss } = found.status;
  return `process ${pid}, ${answered} event(s) answered, ${Math.round(rss / 1024 / 1024)} MB, reached by ${client}`;
}

export function serverJson(glance: ServerGlance | undefined): JsonObject | null {
  if (glance === undefined) return null;
  const { found, client } = glance;
  if (found.kind === 'nobody') return { running: false, client };
  if (found.kind === 'silent') return { running: true, answers: false, pid: found.holder.pid, client };
  const { pid, answered, version } = found.status;
  return { running: true, pid, answered, version, client };
}
