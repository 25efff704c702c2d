import { dirname, join } from 'node:path';
import type { Ground, ProgramStart } from '../../hosts/setup';
import { runtimePlace } from '../../server/place';
import { launchState } from '../install/launch-state';
import { ownDist } from '../install/own-dist';
import { CLIENT_FILE, LAUNCH_OR_SAY } from '../install/start-line';
import type { NativeClient } from './client';
import { NATIVE, nativeAt } from './client-table';

/** How a host starts our own client without a shell: with the words that the launch file would give it. */
export function directStart({ program, patience }: NativeClient, socket: string, dist: string): ProgramStart {
  return { program, args: [socket, String(patience), dist, LAUNCH_OR_SAY] };
}

/** What an installation would write here, if a client can be compiled and stands its trial. */
export function foreseenDirect({ home, env }: Ground): ProgramStart {
  const { socket } = runtimePlace(env, process.getuid?.() ?? 0);
  return directStart(nativeAt(join(home, CLIENT_FILE)), socket, ownDist());
}

/** What an entry has to say for the launch file as it is; nothing where that does without our own client. */
export function directNow(home: string): ProgramStart | undefined {
  const { resident, hook } = launchState(home);
  if (resident?.form !== NATIVE || hook === undefined) return undefined;
  return directStart(nativeAt(resident.client), resident.socket, dirname(hook));
}
