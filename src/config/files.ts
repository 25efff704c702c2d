import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, detailOf, errorCode } from '../core/failure';
import { type DiagnosticCode, errorFinding, type Finding } from './diagnostics';
import type { LegacyFile, Section } from './section';

/** Layers of the config in rising priority. */
export const LAYERS = ['global', 'project', 'local'] as const;

export type Layer = (typeof LAYERS)[number];

/** A config file that is read if it exists. */
export interface Candidate {
  readonly path: string;
  readonly shown: string;
  readonly layer: Layer;
  /** Absent for our own files. */
  readonly legacy?: { readonly section: Section; readonly file: LegacyFile; readonly name: string };
}

type Bases = { readonly root: string; readonly home: string };
type FilePlace = Pick<LegacyFile, 'layer' | 'base' | 'path'>;

const OWN_FILES: readonly FilePlace[] = [
  { layer: 'global', base: 'home', path: '.config/holdpoint/config.yaml' },
  { layer: 'project', base: 'project', path: '.holdpoint/config.yaml' },
  { layer: 'local', base: 'project', path: '.holdpoint/config.local.yaml' },
];

/** Prefix of the dangling symlink that Emacs creates beside a file while it is edited. */
const EDITOR_LOCK = '.#';

/** Every path that may contain config, in rising priority, whether or not the file exists. */
export function findCandidates(bases: Bases, sections: readonly Section[]) {
  /** Directories that were listed. Others are left out: their mtimes change for unrelated reasons. */
  const directories: string[] = [];
  const own = OWN_FILES.map((file) => candidate(file, file.path, bases));
  const legacyFiles = sections.flatMap((section) =>
    section.files.flatMap((file) =>
      expandStar(file, bases, directories).map(({ path, name }) => ({
        ...candidate(file, path, bases),
        legacy: { section, file, name },
      })),
    ),
  );
  const all: readonly Candidate[] = [...own, ...legacyFiles];
  const files = LAYERS.flatMap((layer) => all.filter((file) => file.layer === layer));
  // If the home directory is the project root, one path is both global and project: it counts as project.
  const isLast = (file: Candidate, at: number): boolean =>
    !files.slice(at + 1).some((later) => later.path === file.path);
  return { files: files.filter(isLast), directories };
}

function candidate({ base, layer }: FilePlace, path: string, { home, root }: Bases): Candidate {
  return base === 'home'
    ? { path: join(home, path), shown: `~/${path}`, layer }
    : { path: join(root, path), shown: path, layer };
}

function expandStar(file: LegacyFile, bases: Bases, directories: string[]): { path: string; name: string }[] {
  const folder = file.path.slice(0, file.path.lastIndexOf('/') + 1);
  const [prefix = '', suffix] = file.path.slice(folder.length).split('*');
  if (suffix === undefined) return [{ path: file.path, name: '' }];
  const directory = candidate(file, folder, bases).path;
  directories.push(directory);
  return namesIn(directory)
    .filter((name) => name.startsWith(prefix) && name.endsWith(suffix) && !name.startsWith(EDITOR_LOCK))
    .map((name) => ({ path: folder + name, name: name.slice(prefix.length, name.length - suffix.length) }))
    .filter(({ name }) => name !== '');
}

/** The sorted names in a directory; none if it does not exist. */
export function namesIn(directory: string): string[] {
  return attempt(() => readdirSync(directory).sort()) ?? [];
}

/** No hand-written config comes near this size; a larger file is a mistake or an attack. */
const MAX_CONFIG_BYTES = 1024 * 1024;

export type Loaded =
  | { readonly kind: 'missing' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly finding: Finding };

/** Reads a config file. Its size is checked first. */
export function loadText(path: string): Loaded {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return refuse('config.unreadable', 'this is not a regular file');
    if (stat.size > MAX_CONFIG_BYTES) {
      const message = `the file has ${stat.size} bytes; the limit is ${MAX_CONFIG_BYTES}`;
      return refuse('config.too-large', message);
    }
    return decode(readFileSync(path));
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error))) {
      return refuse('config.unreadable', `the file cannot be read: ${detailOf(error)}`);
    }
    // Somebody put the symlink there on purpose, so report it instead of treating the file as absent.
    const isLink = attempt(() => lstatSync(path).isSymbolicLink());
    return isLink ? refuse('config.unreadable', 'the file is a broken symlink') : { kind: 'missing' };
  }
}

function decode(bytes: Uint8Array): Loaded {
  try {
    // TextDecoder drops a byte order mark, which would otherwise shift the first line's columns.
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return refuse('config.unreadable', 'the file is not UTF-8 text');
  }
}

function refuse(code: DiagnosticCode, message: string): Loaded {
  return { kind: 'refused', finding: errorFinding(code, message) };
}
