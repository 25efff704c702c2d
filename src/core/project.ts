import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { attempt } from '../exec/attempt';
import { findGit, type GitPlace } from '../git/head';
import { containerOf, isKept, type Layout, layoutOf, OWN_DIR, placeOf } from '../state/documents';
import { isMissing, readSealed, readSmallFile, writeFileAtomic } from '../state/files';
import type { Chunks } from './chunks';
import type { EventHeader } from './event';
import type { Interest } from './guard';
import type { Ground } from './hook';
import { isJsonObject, type Json } from './json';
import { type Environment, type GuardName, isGuardName } from './selection';
import { LOOP_LIFE } from './session-files';
import { sha256Hex, upward } from './text';

const STORES = ['.jwz', '.zawinski'];

/** The file of a message store that holds its messages. */
export const MESSAGES = 'messages.jsonl';

/**
 * The message store that serves a directory: the nearest above it, however far; else the nearest above the
 * host's project; else the one that the environment names.
 */
export function findMessageStore(cwd: string, env: Environment): string | undefined {
  const above = nearestStore(cwd) ?? nearestStore(env['CLAUDE_PROJECT_DIR'] ?? '');
  if (above !== undefined) return above;
  const named = env['JWZ_STORE'] ?? '';
  // One that was named is trusted as it is, so that a link to it is followed here and not suspected later.
  return isAbsolute(named) ? attempt(() => realpathSync.native(named)) : undefined;
}

function nearestStore(start: string): string | undefined {
  const dirs = isAbsolute(start) ? upward(start) : [];
  const stores = dirs.flatMap((dir) => STORES.map((name) => `${dir === '/' ? '' : dir}/${name}`));
  // With the dot only a directory is there.
  return stores.find((store) => existsSync(`${store}/.`));
}

/** The project that an event belongs to, and where its state lives. */
export interface Project {
  readonly root: string;
  readonly home: string;
  readonly git: GitPlace | undefined;
  /** Absent where nothing can be kept: neither git nor a directory of ours. */
  readonly layout: Layout | undefined;
  /** Whether config of its own stands in it. */
  readonly marked: boolean;
  /** Whether there is any config for it, be it only the person's own. */
  readonly configured: boolean;
}

const CACHE_FILE = 'config.jsonl';
const SEED_DIR = '.isdlc';
const OTHER_MARKS = ['.gauntlet', SEED_DIR];
const REQUIREMENTS = ['.claude/requirements.yaml', '.claude/requirements.local.yaml'];
/** What config of a project's own may be called. */
export const MARKS = [OWN_DIR, ...OTHER_MARKS, ...REQUIREMENTS];
const GLOBAL_CONFIGS = ['.config/holdpoint/config.yaml', '.claude/requirements.yaml'];

/**
 * Upward from the event's directory, then the host's project variable. A hook's own directory
 * says nothing: hosts start hooks wherever the agent last was. An agent that has wandered into
 * another repository, for which nothing is agreed, still works for the project it was started in.
 */
export function findProject(cwd: string, env: Environment): Project | undefined {
  const home = env['HOME'] ?? '';
  const here = isAbsolute(cwd) ? projectAbove(cwd, home) : undefined;
  if (here?.marked) return here;
  const start = env['CLAUDE_PROJECT_DIR'] ?? '';
  const started = isAbsolute(start) ? projectAbove(start, home) : undefined;
  const elsewhere = started?.marked === true && started.git?.commonDir !== here?.git?.commonDir;
  return here === undefined || elsewhere ? started : here;
}

/**
 * The nearest root that has a config; a nested repository without one belongs to the project
 * around it. Where nobody has a config, the nearest root.
 */
export function projectAbove(start: string, home: string): Project | undefined {
  let nearest: Project | undefined;
  let from = start;
  for (;;) {
    const git = findGit(from);
    const root = git?.root ?? nearestWith(OWN_DIR, from);
    if (root === undefined) return nearest;
    const project = projectAt(root, home, git);
    if (project.marked) return project;
    nearest ??= project;
    from = dirname(root);
    if (from === root) return nearest;
  }
}

/** Whether config of a project's own is in a directory. */
export function hasMarks(dir: string): boolean {
  const isThere = (mark: string): boolean => existsSync(`${dir}/${mark}`);
  return [OWN_DIR, ...OTHER_MARKS].some(isThere) || (isThere('.claude') && REQUIREMENTS.some(isThere));
}

/**
 * The main work tree of a linked one, where a workflow keeps its state there: git mostly ignores that directory, so no
 * linked work tree has it.
 */
function mainOf(git: GitPlace | undefined): string | undefined {
  if (git?.worktree === undefined || !git.commonDir.endsWith('/.git')) return undefined;
  const main = dirname(git.commonDir);
  return existsSync(`${main}/${SEED_DIR}`) ? main : undefined;
}

/** Where nobody says what the home is, one inside our own directory takes its place: never the one we run in. */
function projectAt(here: string, usual: string, git: GitPlace | undefined): Project {
  const isMarked = (dir: string): boolean => !isSame(dir, usual) && hasMarks(dir);
  const isMarkedHere = isMarked(here);
  const main = isMarkedHere ? undefined : mainOf(git);
  const root = main ?? here;
  const marked = main === undefined ? isMarkedHere : isMarked(main);
  const given = !marked && isSame(root, usual) ? root : usual;
  const found = layoutOf(root, git, given, existsSync(`${root}/${OWN_DIR}`));
  const home = isAbsolute(given) ? given : join(found?.own ?? root, 'home');
  // Config that was there is not forgotten by moving it away: what was compiled of it tells.
  const wasConfigured = (): boolean => found !== undefined && existsSync(`${found.own}/${CACHE_FILE}`);
  const configured =
    marked || GLOBAL_CONFIGS.some((file) => existsSync(`${home}/${file}`)) || wasConfigured();
  const layout = found === undefined || found.home === home ? found : { ...found, home };
  return { root, home, git, layout, marked, configured };
}

/** The root has its links resolved, the home is as the environment has it. Mostly their names tell already. */
function isSame(root: string, home: string): boolean {
  if (root.startsWith(`${home}/`) || home.startsWith(`${root}/`)) return false;
  return attempt(() => root === home || (isAbsolute(home) && root === realpathSync.native(home))) ?? false;
}

/** The nearest directory upward in which something of a name is. */
function nearestWith(name: string, start: string): string | undefined {
  return upward(start).find((dir) => existsSync(`${dir}/${name}`));
}

/**
 * A project for one discipline alone, where there is neither git nor a directory of ours: the lock lies in a place of that
 * discipline, and nothing else is kept.
 */
function groundFor(root: string, place: string, isMarked: boolean, env: Environment): Ground {
  const own = join(root, OWN_DIR, 'state');
  const given = env['HOME'] ?? '';
  const home = isAbsolute(given) ? given : join(own, 'home');
  const layout = { root, git: join(root, OWN_DIR), own, home, soleLock: join(place, 'holdpoint.lock') };
  return { root, home, git: undefined, layout, marked: isMarked, configured: isMarked };
}

/** A project for the workflow alone, where there is a directory in which a workflow keeps its state. */
export function seedGround({ cwd }: Pick<EventHeader, 'cwd'>, env: Environment): Ground | undefined {
  const starts = [cwd, env['CLAUDE_PROJECT_DIR'] ?? ''].filter(isAbsolute);
  const [root] = starts.flatMap((start) => nearestWith(SEED_DIR, start) ?? []);
  return root === undefined ? undefined : groundFor(root, join(root, SEED_DIR), true, env);
}

const FALLBACK = '.claude/idle-loop.local.md';
/** The events at which a workflow has anything to say. */
const FLOW_KINDS = [
  'tool.before',
  'tool.after',
  'prompt.submit',
  'prompt.expand',
  'turn.stop',
  'session.start',
];
const TURN_KINDS = ['turn.stop', 'turn.error', 'prompt.submit', 'session.start'];

/** Whether something may be going on that was started by hand, without any config: a workflow or a loop. */
export function hasTraces(header: EventHeader, ground: Ground, env: Environment): boolean {
  const { own } = ground.layout;
  const hasFlow = FLOW_KINDS.includes(header.kind) && existsSync(`${own}/workflow.json`);
  return hasFlow || hasLoopTraces(header, ground, env);
}

/** A few looks, and those only at events that loops care for. */
function hasLoopTraces({ kind, cwd }: EventHeader, { root, layout }: Ground, env: Environment): boolean {
  if (kind.startsWith('tool.')) return existsSync(`${layout.own}/${LOOP_LIFE}`);
  if (kind !== 'session.end' && !TURN_KINDS.includes(kind)) return false;
  if (existsSync(`${layout.own}/loop.jsonl`) || storeWithMessages(cwd, env) !== undefined) return true;
  return fallbackAbove(isAbsolute(cwd) ? cwd : root, root) !== undefined;
}

/** The message store of a directory, unless nothing was ever written to it. */
function storeWithMessages(cwd: string, env: Environment): string | undefined {
  const store = findMessageStore(cwd, env);
  return hasMessages(store) ? store : undefined;
}

export function hasMessages(store: string | undefined): boolean {
  return store !== undefined && existsSync(`${store}/${MESSAGES}`);
}

/** A project for the loop alone, where there is a store of the loop's. */
export function borrowedGround(
  { kind, cwd: given }: Pick<EventHeader, 'kind' | 'cwd'>,
  env: Environment,
): Ground | undefined {
  const cwd = isAbsolute(given) ? given : (env['CLAUDE_PROJECT_DIR'] ?? '');
  if (!TURN_KINDS.includes(kind) || !isAbsolute(cwd)) return undefined;
  const store = storeWithMessages(cwd, env);
  const place = store ?? fallbackAbove(cwd, '/');
  if (place === undefined) return undefined;
  const root = `${cwd}/`.startsWith(`${dirname(place)}/`) ? dirname(place) : cwd;
  return groundFor(root, place, false, env);
}

/** The directory of the nearest state file of the older program, from one directory up to another. */
function fallbackAbove(start: string, top: string): string | undefined {
  const places = upward(start, top).map((dir) => (dir === '/' ? '' : dir));
  const found = places.find((dir) => existsSync(`${dir}/${FALLBACK}`));
  return found === undefined ? undefined : `${found}/${dirname(FALLBACK)}`;
}

/** What the hook has to know of the config before it loads any guard. */
export interface CompiledGuard {
  readonly name: GuardName;
  readonly interests: readonly Interest[];
  readonly onError: 'allow' | 'hold';
  /** There although nobody has configured it: it matters only once something was started by hand. */
  readonly byHand?: true;
  /** What its rules in shadow mode want to see. */
  readonly shadow?: readonly Interest[];
  /** All of its rules are in shadow mode: for everybody else it is not there. */
  readonly silent?: true;
}

/** The first line of the cache. Each further line is one guard's config, in the order of `guards`. */
export interface CacheHead {
  readonly version: string;
  readonly root: string;
  readonly home: string;
  /** Every file and directory that could hold config, absent ones too, as it was when compiled. */
  readonly stamps: readonly (readonly [file: string, stamp: string])[];
  readonly guards: readonly CompiledGuard[];
  /** What is wrong with the config, ready to be shown. */
  readonly problems: readonly string[];
  /** Config files of which nothing could be read, with the place of the trouble. */
  readonly unread: readonly string[];
  /**
   * What the config was like when it was last agreed on, where it has changed since while an agent worked: until a person
   * accepts the change, the rules that were agreed on hold as they were.
   */
  readonly agreed?: CacheHead['stamps'];
  readonly disabled?: readonly Disabled[];
  /** The file that events are recorded to, below the root, and the session whose. */
  readonly recording?: { readonly file: string; readonly session?: string };
}

/** A rule, all requirements or all gates, where `enabled: false` stands for them. */
export interface Disabled {
  readonly kind: 'rule' | 'requirements' | 'gates';
  readonly name: string;
  /** `file:line`. */
  readonly place: string;
  /** Whether a file that is not shared says so, against one that is. */
  readonly locally: boolean;
}

/** A compiled config; a guard's own part is parsed only when the guard is wanted. */
export interface CompiledConfig {
  readonly head: CacheHead;
  configOf(index: number): Json;
  /** What somebody has to hear now: what became of the config just before this event. */
  readonly news?: string;
}

/**
 * One cache for each work tree, because each may have other config files. Where nothing of ours is kept in the project it
 * lies in the home.
 */
export function cacheFile({ git, root, home, layout }: Project, own: string): string {
  const { worktree } = git ?? {};
  if (layout !== undefined && !isKept(layout, 'own'))
    return join(home, '.config', 'holdpoint', 'config', `${sha256Hex(root).slice(0, 32)}.jsonl`);
  return worktree === undefined ? `${own}/${CACHE_FILE}` : `${own}/config-${worktree}.jsonl`;
}

export const ABSENT = '-';
/** A link that leads nowhere, or in a circle. */
const ASTRAY = '?';
const LARGEST_CACHE = 16 * 1024 * 1024;
/** Larger files are told apart by size, time and inode. */
const LARGEST_KEPT = 32 * 1024;
const KEPT = '=';

/**
 * What tells a place from what it was: the whole text of a file, where it is a plain one, else size, time
 * and inode, one of which every edit changes. What cannot be reached is absent.
 */
export function stampOf(file: string): string {
  const text = readSmallFile(file, LARGEST_KEPT);
  if (text !== undefined) return KEPT + text;
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return isAbsent(file) ? ABSENT : ASTRAY;
  }
}

/** Looked at by size, time and inode, told apart by content: npm writes the same files anew. */
const SUMMED = '#';

/** The stamp of a file, or of a directory of programs where the place ends with a slash. */
export function summedStamp(place: string, content: () => string): string {
  const looks = looksOf(place);
  return looks === 0 ? stampOf(place) : `${SUMMED}${looks}:${content()}`;
}

/** The programs whose change matters most; for the others the directory's own time has to do. */
const LOOKED_AT = ['', 'hook.cjs', 'run.cjs', 'decide.cjs', 'guard-requirements.cjs'];

/** Zero where there is nothing. The time of the last change of state can be set by nobody. */
function looksOf(place: string): number {
  let looks = 0;
  try {
    for (const name of place.endsWith('/') ? LOOKED_AT : ['']) {
      const { ino = 0, size = 0, ctimeMs = 0 } = statSync(place + name, { throwIfNoEntry: false }) ?? {};
      looks = (Math.imul(looks, 31) + ino + Math.imul(size, 7) + ctimeMs) | 0;
    }
  } catch {
    // Below a file, or behind links in a circle: nothing.
  }
  return looks;
}

/** What of a stamp tells the content of its place. */
export function contentOf(stamp: string): string {
  return stamp.startsWith(SUMMED) ? stamp.slice(stamp.indexOf(':') + 1) : stamp;
}

/** The text that a stamp holds, where it holds one. */
export function textOf(stamp: string | undefined): string | undefined {
  const content = contentOf(stamp ?? ABSENT);
  return content.startsWith(KEPT) ? content.slice(KEPT.length) : undefined;
}

function isAbsent(file: string): boolean {
  return attempt(() => isMissing(file)) ?? true;
}

/** The cached config if it is whole, ours and fresh. Anything else is compiled anew by the caller. */
export function readCache(project: Project): CompiledConfig | undefined {
  const kept = readKept(project);
  return kept !== undefined && isFresh(kept.head, project) ? kept : undefined;
}

/** What is kept of the config, however old it is. */
export function readKept(project: Project): CompiledConfig | undefined {
  const own = project.layout?.own;
  if (own === undefined) return undefined;
  try {
    const file = cacheFile(project, own);
    if (!existsSync(file)) return undefined;
    // A link or a pipe in its place is nothing of ours, and a pipe would never end.
    const lines = readSealed(file, LARGEST_CACHE)?.split('\n');
    if (lines === undefined) return undefined;
    const head = JSON.parse(lines[0] ?? '') as CacheHead;
    return { head, configOf: (index) => JSON.parse(lines[index + 1] ?? '') as Json };
  } catch {
    return undefined;
  }
}

function isFresh(head: CacheHead, project: Project): boolean {
  return (
    isJsonObject(head) &&
    head.version === __VERSION__ &&
    head.root === project.root &&
    head.home === project.home &&
    head.guards.every(({ name, interests }) => isGuardName(name) && Array.isArray(interests)) &&
    head.stamps.every((pair) => isUnchanged(pair[0], pair[1]))
  );
}

/** Most of the places are empty, and to see that one is costs less than to look at what is there. */
function isUnchanged(file: string, stamp: string): boolean {
  if (stamp === ABSENT) return isAbsent(file);
  if (stamp.startsWith(SUMMED)) return stamp.startsWith(`${SUMMED}${looksOf(file)}:`);
  const text = stamp.startsWith(KEPT) ? readSmallFile(file, LARGEST_KEPT) : undefined;
  return text === undefined ? stampOf(file) === stamp : KEPT + text === stamp;
}

/**
 * Keeps a compiled config for the next event. Failing to is no trouble: the next event compiles
 * again, so the caller is not told.
 */
export function writeCache(project: Project, head: CacheHead, configs: readonly Json[]): void {
  const { layout } = project;
  if (layout === undefined) return;
  const file = cacheFile(project, layout.own);
  try {
    if (placeOf(containerOf(layout, isKept(layout, 'own') ? 'own' : 'home'), file).kind === 'outward') return;
    const text = `${[head, ...configs].map((line) => JSON.stringify(line)).join('\n')}\n`;
    writeFileAtomic(file, text, { sealed: true });
  } catch {
    // Told by nothing but the time that the next event takes.
  }
}

/** The config of a project that has any. */
export function loadConfig(project: Project, chunks: Chunks): CompiledConfig | undefined {
  return project.configured ? configOrDefaults(project, chunks) : undefined;
}

/**
 * The config of a project: from its cache, else compiled now and kept for the next event. Where there are
 * no config files it holds what goes without saying.
 */
export function configOrDefaults(project: Project, chunks: Chunks, sessionId = ''): CompiledConfig {
  return readCache(project) ?? chunks.compileProject(project, chunks, sessionId);
}
