import { type Effects, type FileWrite, optionsOf, type UnknownEffect } from '../../core/command-effects';
import type { GitHead } from '../../core/git-head';
import { globMatches } from '../../core/glob';

/** The directories of the state, which no command of an agent may write. All paths are absolute. */
export type Store = {
  /** The directory in which the older program keeps the state. */
  readonly seed: string;
  /** Our own directory, where there is one. */
  readonly own?: string;
};

/** A command that writes the state, by the word that names the file or by the program that does it. */
export type StateWrite = { readonly what: string; readonly file: string };

/** Where a project's state is protected. */
export function storeOf(projectRoot: string, git: GitHead | undefined): Store {
  return { seed: `${projectRoot}/.isdlc`, ...(git && { own: `${git.commonDir}/holdpoint` }) };
}

/** The first write to the state that a line brings. What is written cannot be told from a line, so none is allowed. */
export function stateWrite(effects: Effects, command: string, store: Store): StateWrite | undefined {
  for (const write of effects.writes) {
    const file = writtenFile(write, command, store);
    if (file !== undefined) return { what: write.text === '' ? write.how : write.text, file };
  }
  for (const unknown of effects.unknown) {
    const file = fileInCode(unknown, command);
    if (file !== undefined) return { what: unknown.text.split(/\s/, 1)[0] ?? '', file };
  }
  return undefined;
}

function writtenFile(write: FileWrite, command: string, store: Store): string | undefined {
  const paths = optionsOf(write.path);
  for (const path of paths) {
    if (path === undefined) return hintedFile(write, command);
    if (isState(path, store) || (paths.length === 1 && coversState(path, write.how, store))) return path;
  }
  return undefined;
}

function isState(path: string, { seed, own }: Store): boolean {
  if (own !== undefined && isWithin(own, path) && path !== own) return true;
  return isWithin(seed, path) && /^\/(?:projects\/[^/]+\/)?state\.json$/.test(path.slice(seed.length));
}

const REMOVES: readonly FileWrite['how'][] = ['rm', 'mv'];

/**
 * A directory stands for what is in it. Removing one takes the state with it however far above it is;
 * anything else is taken to mean the state only where the directory is the state's own, since every
 * archive is unpacked somewhere above it.
 */
function coversState(path: string, how: FileWrite['how'], { seed, own }: Store): boolean {
  const places = own === undefined ? [seed] : [seed, own];
  if (REMOVES.includes(how) && places.some((place) => isWithin(path, place))) return true;
  if (how === 'mkdir' || how === 'touch') return false;
  return places.includes(path) || isProjects(path, seed);
}

function isProjects(path: string, seed: string): boolean {
  return isWithin(seed, path) && /^\/projects(?:\/[^/]+)?$/.test(path.slice(seed.length));
}

const SEED_FILE = '.isdlc/state.json';
const OWN_FILE = 'holdpoint/workflow.json';

/** A path that only the machine knows is taken for the state's where its text says so. */
function hintedFile({ text }: FileWrite, command: string): string | undefined {
  const bare = text.replace(/["']/g, '');
  if (/\.isdlc\b.*state\.json$/.test(bare)) return SEED_FILE;
  if (bare.endsWith(OWN_FILE)) return OWN_FILE;
  if (isFoundByOthers(bare) && /\.isdlc(?!\/config)/.test(command)) return SEED_FILE;
  const matches = (name: string): boolean => globMatches(bare.replace(/^\.\//, ''), name);
  return bare.includes('*') && [SEED_FILE, '.isdlc'].some(matches) ? SEED_FILE : undefined;
}

/** Files that `find` or `xargs` hand over: only the rest of the line can tell which. */
function isFoundByOthers(text: string): boolean {
  return text === '{}' || text === '…' || text === 'find -delete';
}

/** Words by which programs of the usual languages write files. */
const WRITING =
  /write|dump\(|unlink|rename|remove|rmSync|rmtree|copy|truncate|append|\breplace\(|\bmove\(|\bsave|put_contents|File\.(?:delete|open)|open\([^)]*,\s*["'](?:[wax]|r\+)|mode\s*=\s*["'][wax]|\b(?:rm|cp|mv|tee)\s|>|sed -i/;
/** An arrow, a comparison, and output that goes nowhere: none of them writes a file. */
const NO_WRITING = /[=-]>|>=|\d?>\s*(?:&\d|\/dev\/null)/g;

function fileInCode({ kind, text }: UnknownEffect, command: string): string | undefined {
  if (kind === 'program') return undefined;
  // A program that is given no code reads it from the pipe, so the rest of the line tells it.
  const code = /^\S+(?:\s+-)?$/.test(text) && command.includes('|') ? command : text;
  if (!WRITING.test(code.replace(NO_WRITING, ''))) return undefined;
  // The path may be put together: `join('.isdlc', 'state.json')`.
  if (code.includes('.isdlc') && code.includes('state.json')) return SEED_FILE;
  return code.includes('holdpoint') && code.includes('workflow.json') ? OWN_FILE : undefined;
}

function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}
