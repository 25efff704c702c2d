import { rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Ended, endFound, findServer } from '../../server/control';
import { placeAt } from '../../server/place';
import { type LaunchState, launchState } from '../install/launch-state';

/**
 * Ends the server that a launch file has led to, where it does not lead to it any more as it did, or where it does not
 * answer: the next event starts one of the right version. Tells what came of it.
 */
export async function endFormerServer(before: LaunchState): Promise<Ended> {
  if (before.resident === undefined) return { kind: 'nobody' };
  const home = dirname(dirname(dirname(before.file)));
  const now = launchState(home);
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
