import { existsSync, lstatSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { findGit, repositoryAt } from '../git/head';
import { beginningOf } from '../state/sessions';
import { optionsOf } from './command-effects';
import { realPath } from './context';
import { type EventHeader, LONGEST_PATH, possiblePaths, type ToolCall } from './event';
import type { Ground, Surroundings } from './hook';
import { type Json, type JsonObject, objectIn, textIn } from './json';
import { hasMarks, type Project, projectAbove } from './project';

type Call = Pick<ToolCall, 'paths' | 'command'>;
type Place = Pick<Surroundings, 'env' | 'chunks' | 'now'>;

/**
 * The projects beside the one of the event's directory whose rules apply too: the one that the session began in, and
 * every one whose files the call changes. What names the first is only ever added, so a forged name takes nothing away.
 */
export function otherProjects(
  header: EventHeader,
  raw: JsonObject,
  here: Project | undefined,
  around: Place,
): Ground[] {
  const home = around.env['HOME'] ?? '';
  const others = new Map<string, Ground>();
  const add = (place: string, isMeant: (project: Project) => boolean): void => {
    if (!isAbsolute(place) || place === here?.root || others.has(place)) return;
    const project = projectAbove(place, home);
    if (project === undefined || project.root === here?.root || !isMeant(project)) return;
    const { layout } = project;
    if (layout !== undefined) others.set(project.root, { ...project, layout });
  };
  const start = around.env['CLAUDE_PROJECT_DIR'] ?? '';
  if (start !== header.cwd) add(start, ({ configured }) => configured);
  add(beginningOf(home, header.sessionId) ?? '', ({ configured }) => configured);
  const isWatched = here?.configured === true || others.size > 0;
  for (const path of pathsChanged(header, raw, here, isWatched, around)) add(path, ({ marked }) => marked);
  return [...others.values()];
}

/** Paths outside of the project that the call changes, links resolved, and those in a project within it. */
function pathsChanged(
  header: EventHeader,
  raw: JsonObject,
  here: Project | undefined,
  isWatched: boolean,
  around: Place,
): string[] {
  if (!header.kind.startsWith('tool.') && !header.kind.startsWith('permission.')) return [];
  const { command, paths } = callIn(header, raw, around);
  const elsewhere = (found: readonly string[]): string[] =>
    [...new Set(found)].map((path) => realPath(path)).filter((path) => !isIn(path, here?.root));
  if (command === undefined) return elsewhere(paths);
  const named = placesNamed(command, header.cwd, around.env['HOME'] ?? '');
  if (named === undefined) return [];
  const candidates = elsewhere(named);
  const isHidden = isWatched && HIDING.test(command);
  if (candidates.length === 0 && !isHidden && named.length <= MOST_WORDS) return [];
  const changed = changedBy(command, header.cwd, candidates, around);
  return elsewhere(changed);
}

/** Tools that change nothing. */
const READING = ['Read', 'Grep', 'Glob', 'LSP', 'WebFetch', 'WebSearch'];

/** As much of the call as tells what it changes. Claude Code's is read here, since its events mostly end here. */
function callIn(header: EventHeader, raw: JsonObject, { chunks, now }: Place): Call {
  const { host, cwd, toolNames } = header;
  if (toolNames.some((name) => READING.includes(name))) return { paths: [] };
  const inCwd = (texts: readonly Json[]): string[] =>
    texts.flatMap((text) =>
      typeof text === 'string' && text !== '' && (isAbsolute(text) || isAbsolute(cwd))
        ? [resolve(cwd, text)]
        : [],
    );
  if (host === 'claude-code') {
    const input = objectIn(raw, 'tool_input');
    if (toolNames[0]?.startsWith('mcp__')) return { paths: inCwd(possiblePaths(input)) };
    const command = textIn(input, 'command');
    return {
      paths: inCwd([input['file_path'] ?? '', input['notebook_path'] ?? '']),
      ...(command !== undefined && { command }),
    };
  }
  const event = chunks.host(host).parse(raw, now, header);
  if (!('call' in event)) return { paths: [] };
  const { call } = event;
  if (call.op === 'read' || call.op === 'search') return { paths: [] };
  return call.op === 'mcp' ? { paths: inCwd(possiblePaths(call.input)) } : call;
}

/** Whether a path lies below a project's root, and in no other project within it. */
function isIn(path: string, root: string | undefined): boolean {
  if (root === undefined || (path !== root && !path.startsWith(`${root}/`))) return false;
  for (let dir = path; dir !== root; dir = dirname(dir)) if (hasMarks(dir)) return false;
  return true;
}

/** Without any of these a command line stays where it is, but for links. */
const LEAVING = /\/|\.\.|~|\b(?:cd|pushd)\b|GIT_|git-dir|work-tree|\s-\w*C/;
/** With any of these a word without a slash may name a directory. */
const ENTERING = /\b(?:cd|pushd)\b|GIT_|git-dir|work-tree|\s-\w*C/;
/** What the shell makes of these only its parser can tell. */
const HIDING = /[$`{]/;
const MOST_WORDS = 64;

/** The places that a command line may name, read from its text alone; `undefined` where it names none. */
function placesNamed(command: string, cwd: string, home: string): string[] | undefined {
  const words = new Set(command.replace(/["'\\]/g, '').split(/[\s;&|()<>=:,`{}]+/));
  const leaves = LEAVING.test(command);
  const enters = leaves && ENTERING.test(command);
  const places: string[] = [];
  for (const word of words) {
    if (word === '' || word.startsWith('-') || places.length > MOST_WORDS) continue;
    const path = word.replace(/^(?:~|\$HOME)(?=\/|$)/, home).replace(/[$*?[].*$/s, '');
    if (!isAbsolute(path) && !isAbsolute(cwd)) continue;
    const place = resolve(cwd, path);
    if (enters || path.includes('/') || path.includes('..') || isLink(place)) places.push(place);
  }
  return leaves || places.length > 0 ? places : undefined;
}

function isLink(path: string): boolean {
  return path.length < LONGEST_PATH && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** A longer one is not parsed: what it names counts. */
const LONGEST_COMMAND = 32 * 1024;

/** What a command line writes, and where git and tests run. Code that nobody can follow may change all that it names. */
function changedBy(
  command: string,
  cwd: string,
  named: readonly string[],
  { env, chunks }: Place,
): readonly string[] {
  if (command.length > LONGEST_COMMAND) return named;
  const home = env['HOME'] ?? '';
  const { writes, git, tests, unknown } = chunks.effectsOf(command, {
    cwd,
    ...(home !== '' && { home }),
    repositoryAt: (directory) => repositoryAt(directory, chunks.askGit),
    isDirectory: (path) => existsSync(`${path}/.`),
    testCommands: [],
  });
  const found = [
    ...writes.flatMap(({ path }) => optionsOf(path)),
    ...git.flatMap(({ dir, repository }) => [
      ...optionsOf(dir),
      ...foreign(optionsOf(repository), optionsOf(dir)),
    ]),
    ...tests.flatMap(({ places }) => places),
    ...(unknown.length > 0 ? named : []),
  ];
  return found.flatMap((path) => (path === undefined ? [] : [resolve(cwd, path)]));
}

type Options = readonly (string | undefined)[];

/** Repositories other than those of the directories: of all work trees that share one, only that counts which git works in. */
function foreign(repositories: Options, dirs: Options): Options {
  const own = dirs.map((dir) => (dir === undefined ? undefined : findGit(dir)?.commonDir));
  return repositories.filter((repository) => !own.includes(repository));
}
