import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isProgram, placesOn } from '../../exec/programs';
import type { Ground } from '../../hosts/setup';
import { newNonce, writeFileAtomic } from '../../state/files';
import { textIn } from './files';
import {
  LAUNCH_FILE,
  LIBRARY_FILE,
  launchState,
  launchText,
  libraryText,
  ownDist,
  type ResidentStart,
  residentStart,
} from './launch';

/** Whether a server is asked first, and how; `as-before`: as it is on this machine already. */
export type Start = ResidentStart | 'one-shot' | 'as-before';

/** A file of ours in the home that entries lead to, and that was missing or something else. */
export interface StartFile {
  readonly file: string;
  readonly action: 'created' | 'changed';
}

interface Wanted extends StartFile {
  /** Absent for the copy of the hook. */
  readonly text?: string;
}

/** Puts everything below the home that lines in settings need to start the hook of this package. Tells what it wrote. */
export function prepareStart(ground: Ground, start: Start): readonly StartFile[] {
  const library = copiesIn(ground.home);
  const before = launchState(ground.home).copy;
  const copy = copyName();
  const wanted = wantedFiles(ground, start, copy);
  for (const { file, text } of wanted) {
    if (text === undefined) copyHook(library, copy);
    // For everybody to read: an agent may run as somebody else in the same home.
    else writeFileAtomic(file, text, { durable: true, mode: 0o644 });
  }
  // The copy that was in use before stays: a process may still be reading it.
  for (const name of existsSync(library) ? readdirSync(library) : [])
    if (name !== copy && name !== before) rmSync(join(library, name), { recursive: true, force: true });
  return wanted.map(({ file, action }) => ({ file, action }));
}

/** What `prepareStart` would write now. Reads only. */
export function startFilesToCome(ground: Ground, start: Start): readonly StartFile[] {
  return wantedFiles(ground, start, copyName()).map(({ file, action }) => ({ file, action }));
}

/** Removes them again. Lines in settings that came with a clone say then that nothing is installed. */
export function removeStart({ home }: Ground): void {
  for (const file of [LAUNCH_FILE, LIBRARY_FILE]) rmSync(join(home, file), { force: true });
  rmSync(copiesIn(home), { recursive: true, force: true });
}

function wantedFiles({ home, env }: Ground, start: Start, copy: string): readonly Wanted[] {
  const path = env['PATH'] ?? '';
  const known = launchState(home).resident;
  const again = known && residentStart(path, known.socket);
  const resident = start === 'as-before' ? again : start === 'one-shot' ? undefined : start;
  const places = { node: lastingNode(path), dist: ownDist(), copy, resident };
  const texts = [
    { file: join(home, LIBRARY_FILE), text: libraryText(places) },
    { file: join(home, LAUNCH_FILE), text: launchText(places) },
  ];
  const directory = join(copiesIn(home), copy);
  return [
    ...(existsSync(directory) ? [] : [{ file: directory, action: 'created' } as const]),
    ...texts.flatMap(({ file, text }): Wanted[] => {
      const before = textIn(file);
      return before === text ? [] : [{ file, text, action: before === undefined ? 'created' : 'changed' }];
    }),
  ];
}

function copiesIn(home: string): string {
  return join(home, dirname(LAUNCH_FILE), 'lib');
}

/** The name of the copy of the hook's files. It contains their digest, so a copy that is there is whole. */
function copyName(): string {
  const hash = createHash('sha256');
  for (const file of hookFiles()) hash.update(`${file}\0`).update(readFileSync(join(ownDist(), file)));
  return `${__VERSION__}-${hash.digest('hex').slice(0, 16)}`;
}

/** Copies the hook's files below the home, for the day on which the package is gone. */
function copyHook(library: string, name: string): void {
  const temporary = join(library, `.${newNonce()}`);
  mkdirSync(temporary, { recursive: true });
  for (const file of hookFiles()) copyFileSync(join(ownDist(), file), join(temporary, file));
  renameSync(temporary, join(library, name));
}

function hookFiles(): readonly string[] {
  return readdirSync(ownDist())
    .filter((name) => name.endsWith('.cjs'))
    .sort();
}

/** Directories of the PATH that do not outlive a shell or a project. */
const PASSING = /fnm_multishells|node_modules|[/\\]_npx[/\\]|[/\\]tmp[/\\]/;

/**
 * The path by which the running Node is best remembered. Its own has the version in it where packages are
 * linked into a common directory, so a link on the PATH that leads to it outlives an upgrade.
 */
function lastingNode(path: string): string {
  const own = statSync(process.execPath, { throwIfNoEntry: false });
  const isOwn = (file: string): boolean => {
    const { dev, ino } = statSync(file);
    return dev === own?.dev && ino === own.ino;
  };
  const lasting = placesOn(path, 'node').filter((file) => !PASSING.test(dirname(file)));
  return lasting.find((file) => isProgram(file) && isOwn(file)) ?? process.execPath;
}
