import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Section, SeedFile } from './section';
import { LAYERS, type Layer } from './source';

/** A file that would be read if it were there. */
export interface Candidate {
  readonly path: string;
  readonly shown: string;
  readonly layer: Layer;
  /** Absent for our own files. */
  readonly seed?: { readonly section: Section; readonly file: SeedFile; readonly name: string };
}

export interface Found {
  /** In rising priority. */
  readonly files: readonly Candidate[];
  /** Directories whose list of names was read. Others are left out: their times change for no reason of ours. */
  readonly directories: readonly string[];
}

interface Bases {
  readonly root: string;
  readonly home: string;
}

type Own = Pick<SeedFile, 'layer' | 'base' | 'path'>;

const OWN_FILES: readonly Own[] = [
  { layer: 'global', base: 'home', path: '.config/holdpoint/config.yaml' },
  { layer: 'project', base: 'project', path: '.holdpoint/config.yaml' },
  { layer: 'local', base: 'project', path: '.holdpoint/config.local.yaml' },
];

/** How Emacs calls the link, leading nowhere, that it puts beside a file while somebody edits it. */
const EDITOR_LOCK = '.#';

/** Every file that can hold config, absent ones included. */
export function findCandidates(bases: Bases, sections: readonly Section[]): Found {
  const directories: string[] = [];
  const own = OWN_FILES.map((file) => candidate(file, file.path, bases));
  const seeds = sections.flatMap((section) =>
    section.files.flatMap((file) =>
      expand(file, bases, directories).map(({ path, name }) => ({
        ...candidate(file, path, bases),
        seed: { section, file, name },
      })),
    ),
  );
  const files = LAYERS.flatMap((layer) => [...own, ...seeds].filter((file) => file.layer === layer));
  return { files: withoutRepeats(files), directories };
}

function candidate(file: Own, path: string, bases: Bases): Candidate {
  const shown = file.base === 'home' ? `~/${path}` : path;
  return { path: join(baseOf(file, bases), path), shown, layer: file.layer };
}

function baseOf(file: Own, bases: Bases): string {
  return file.base === 'home' ? bases.home : bases.root;
}

function expand(file: SeedFile, bases: Bases, directories: string[]): { path: string; name: string }[] {
  const star = file.path.indexOf('*');
  if (star < 0) return [{ path: file.path, name: '' }];
  const folder = file.path.slice(0, file.path.lastIndexOf('/', star) + 1);
  const prefix = file.path.slice(folder.length, star);
  const suffix = file.path.slice(star + 1);
  const directory = join(baseOf(file, bases), folder);
  directories.push(directory);
  return namesIn(directory)
    .filter(
      (name) =>
        name.startsWith(prefix) && name.endsWith(suffix) && name.length > prefix.length + suffix.length,
    )
    .filter((name) => !name.startsWith(EDITOR_LOCK))
    .map((name) => ({
      path: folder + name,
      name: name.slice(prefix.length, name.length - suffix.length),
    }));
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

/** With the home as project root one file is global and project at once: the project's reading counts. */
function withoutRepeats(files: readonly Candidate[]): Candidate[] {
  return files.filter((file, at) => !files.slice(at + 1).some((later) => later.path === file.path));
}
