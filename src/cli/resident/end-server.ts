import { rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endServer } from '../../resident/ask';
import type { ServerStatus } from '../../resident/server-status';
import { type LaunchState, launchState } from '../install/launch-state';

/**
 * Ends the server that a launch file has led to, where it does not lead to it any more as it did: the next event
 * starts one of the right version. Tells what it was.
 */
export async function endFormerServer(before: LaunchState): Promise<ServerStatus | undefined> {
  if (before.resident === undefined) return undefined;
  const home = dirname(dirname(dirname(before.file)));
  const now = launchState(home);
  const isSame = now.resident?.socket === before.resident.socket && now.hook === before.hook;
  if (isSame) return undefined;
  const ended = await endServer(before.resident.socket);
  if (now.resident === undefined) removePlace(dirname(before.resident.socket));
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
