import type { JsonObject } from '../../domain/json';
import { askServer } from '../../resident/ask';
import type { ServerStatus } from '../../resident/server-status';
import { launchState } from '../install/launch-state';

/** The server that events of this home are sent to; nobody answers where it has no status. */
export interface ServerGlance {
  readonly status: ServerStatus | undefined;
  /** The program by which it is reached. */
  readonly client: string;
}

/** Absent where every event starts a process of its own. */
export async function glanceAtServer(home: string): Promise<ServerGlance | undefined> {
  const { resident } = launchState(home);
  if (resident === undefined) return undefined;
  return { status: await askServer(resident.socket), client: resident.client };
}

export function serverText({ status, client }: ServerGlance): string {
  if (status === undefined) return `not running; the next event starts it; reached by ${client}`;
  const { pid, answered, rss } = status;
  return `process ${pid}, ${answered} event(s) answered, ${Math.round(rss / 1024 / 1024)} MB, reached by ${client}`;
}

export function serverJson(glance: ServerGlance | undefined): JsonObject | null {
  if (glance === undefined) return null;
  const { status, client } = glance;
  return status === undefined
    ? { running: false, client }
    : { running: true, pid: status.pid, answered: status.answered, version: status.version, client };
}
