import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Ground } from '../../hosts/setup';
import { residentAgain } from '../resident/choose-client';
import type { ResidentStart } from '../resident/client';
import { copyHook, copyName, forgetCopies } from './hook-copy';
import { launchState } from './launch-state';
import { launchText, libraryText } from './launch-text';
import { ownDist } from './own-dist';
import type { StartFile } from './plan';
import type { InstallRequest } from './request';
import { CLIENT_FILE, LAUNCH_FILE, LIBRARY_FILE } from './start-line';
import { steadyNode } from './steady-node';
import { textIn } from './text-in';
import { writeProgram } from './write-program';
import { writeWhole } from './write-whole';

/** Puts everything below the home that lines in settings need to start the hook of this very package. Tells what it wrote. */
export function prepareStart(ground: Ground, start: InstallRequest['start']): readonly StartFile[] {
  const { home } = ground;
  const before = launchState(home).copy;
  const resident = residentFor(ground, start);
  const copy = copyName(ownDist(), __VERSION__);
  const written: StartFile[] = [];
  const place = join(copiesIn(home), copy);
  if (!existsSync(place)) {
    copyHook(ownDist(), copiesIn(home), copy);
    written.push({ file: place, action: 'created' });
  }
  if (resident?.client.kind === 'native' && resident.client.image !== undefined)
    written.push(...writeProgram(resident.client.program, resident.client.image));
  for (const { file, text } of textsFor(ground, resident, copy)) written.push(...writeIfOther(file, text));
  forgetCopies(copiesIn(home), [copy, ...(before === undefined || before === copy ? [] : [before])]);
  return written;
}

/** What `prepareStart` would write now, but for a program that is still to be compiled. Reads only. */
export function startFilesToCome(ground: Ground, start: InstallRequest['start']): readonly StartFile[] {
  const copy = copyName(ownDist(), __VERSION__);
  const place = join(copiesIn(ground.home), copy);
  const files = textsFor(ground, residentFor(ground, start), copy);
  return [
    ...(existsSync(place) ? [] : [{ file: place, action: 'created' } as const]),
    ...files.flatMap(({ file, text }) => actionFor(file, text) ?? []),
  ];
}

/** Takes them away again. Lines in settings that came with a clone say then that nothing is installed. */
export function removeStart({ home }: Ground): void {
  for (const file of [LAUNCH_FILE, LIBRARY_FILE, CLIENT_FILE]) rmSync(join(home, file), { force: true });
  rmSync(copiesIn(home), { recursive: true, force: true });
}

function copiesIn(home: string): string {
  return join(home, dirname(LAUNCH_FILE), 'lib');
}

function residentFor({ home, env }: Ground, start: InstallRequest['start']): ResidentStart | undefined {
  if (start === 'as-before') return residentAgain(launchState(home), env);
  return start === 'one-shot' ? undefined : start;
}

function textsFor(
  { home, env }: Ground,
  resident: ResidentStart | undefined,
  copy: string,
): readonly { readonly file: string; readonly text: string }[] {
  const places = { node: steadyNode(env['PATH'] ?? '', process.execPath), dist: ownDist(), copy, resident };
  return [
    { file: join(home, LIBRARY_FILE), text: libraryText(places) },
    { file: join(home, LAUNCH_FILE), text: launchText(places) },
  ];
}

function actionFor(file: string, text: string): StartFile | undefined {
  const before = textIn(file);
  return before === text ? undefined : { file, action: before === undefined ? 'created' : 'changed' };
}

/** For everybody to read: an agent may run as somebody else in the same home. */
function writeIfOther(file: string, text: string): readonly StartFile[] {
  const written = actionFor(file, text);
  if (written === undefined) return [];
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeWhole(file, text, 0o644);
  return [written];
}
