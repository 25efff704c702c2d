import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Ground } from '../../hosts/setup';
import { residentAgain } from '../resident/choose-client';
import { copyHook, forgetCopies } from './hook-copy';
import { launchState } from './launch-state';
import { launchText, libraryText } from './launch-text';
import { ownDist } from './own-dist';
import type { InstallRequest } from './request';
import { CLIENT_FILE, LAUNCH_FILE, LIBRARY_FILE } from './start-line';
import { steadyNode } from './steady-node';
import { textIn } from './text-in';
import { writeProgram } from './write-program';
import { writeWhole } from './write-whole';

/** Puts everything below the home that lines in settings need to start the hook of this very package. */
export function prepareStart({ home, env }: Ground, start: InstallRequest['start']): void {
  const dist = ownDist();
  const library = copiesIn(home);
  const state = launchState(home);
  const before = state.copy;
  const resident =
    start === 'as-before' ? residentAgain(state, env) : start === 'one-shot' ? undefined : start;
  const copy = copyHook(dist, library, __VERSION__);
  const places = { node: steadyNode(env['PATH'] ?? '', process.execPath), dist, copy, resident };
  if (resident?.client.kind === 'native' && resident.client.image !== undefined)
    writeProgram(resident.client.program, resident.client.image);
  writeIfOther(join(home, LIBRARY_FILE), libraryText(places));
  writeIfOther(join(home, LAUNCH_FILE), launchText(places));
  forgetCopies(library, [copy, ...(before === undefined || before === copy ? [] : [before])]);
}

/** Takes them away again. Lines in settings that came with a clone say then that nothing is installed. */
export function removeStart({ home }: Ground): void {
  for (const file of [LAUNCH_FILE, LIBRARY_FILE, CLIENT_FILE]) rmSync(join(home, file), { force: true });
  rmSync(copiesIn(home), { recursive: true, force: true });
}

function copiesIn(home: string): string {
  return join(home, dirname(LAUNCH_FILE), 'lib');
}

/** For everybody to read: an agent may run as somebody else in the same home. */
function writeIfOther(file: string, text: string): void {
  if (textIn(file) === text) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeWhole(file, text, 0o644);
}
