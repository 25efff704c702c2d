import { hasLivingMember } from './group-members';
import { pause } from './pause';
import { steadyMs } from './stopwatch';

/** How long a group that was asked to end may take to put things in order. */
const GRACE_MS = 500;
const FIRST_LOOK_MS = 4;

/**
 * Ends every process of a group: first by asking, then by force. Returns when the group is gone or
 * has been killed. A process that left the group with a session of its own is out of reach.
 */
export async function endGroup(group: number): Promise<void> {
  if (!signalGroup(group, 'SIGTERM')) return;
  const deadline = steadyMs() + GRACE_MS;
  for (let wait = FIRST_LOOK_MS; steadyMs() < deadline; wait *= 2) {
    await pause(Math.min(wait, deadline - steadyMs()));
    if (!isAlive(group)) break;
  }
  // Also where nobody was seen: one that was born while we looked would be left.
  signalGroup(group, 'SIGKILL');
}

function isAlive(group: number): boolean {
  return signalGroup(group, 0) && hasLivingMember(group) !== false;
}

type GroupSignal = 'SIGTERM' | 'SIGKILL' | 0;

/** Sends a signal to all of a group; whether anybody was there to get it. */
export function signalGroup(group: number, signal: GroupSignal): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    // Without the right to signal it, it is there all the same.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
