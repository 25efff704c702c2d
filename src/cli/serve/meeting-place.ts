import { dirname } from 'node:path';
import { type RuntimePlace, runtimePlace } from '../../server/place';
import { launchState } from '../install/launch-state';

/**
 * Where the user's lines look for a server, unless another directory is named. A runtime directory may be set in one
 * shell and not in another; what was noted at the installation is the same for all.
 */
export function meetingPlace(env: Readonly<Record<string, string | undefined>>): RuntimePlace {
  const noted = launchState(env['HOME'] ?? '').resident?.socket;
  const named = env['HOLDPOINT_RUNTIME_DIR'] ?? (noted === undefined ? undefined : dirname(noted));
  return runtimePlace({ ...env, HOLDPOINT_RUNTIME_DIR: named }, process.getuid?.() ?? 0);
}
