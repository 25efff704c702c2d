import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { findGit, type GitPlace } from '../git/head';
import { containerOf, isKept, type Layout, layoutOf, OWN_DIR, placeOf } from '../state/documents';
import { isMissing, readSealed, readSmallFile, writeFileAtomic } from '../state/files';
import { LOOP_LIFE } from '../state/sessions';
import type { EventHeader } from './event';
import { attempt } from './failure';
import { type Chunks, type Environment, type GuardName, type Interest, isGuardName } from './guard';
import type { ProjectWithState } from './hook';
import { isJsonObject, type Json } from './json';
import { sha256Hex, upward } from './text';

const STORES = ['.jwz', '.zawinski'];

/** The file in a message store that contains its messages. */
export const MESSAGES = 'messages.jsonl';

/**
 * The message store for a directory: the nearest one above it, however far; else the nearest above the host's
 * project; else the one that the environment names.
 */
export function findMessageStore(cwd: string, env: Environment): string | undefined {
  const above = nearestStore(cwd) ?? nearestStore(env['CLAUDE_PROJECT_DIR'] ?? '');
  if (above !== undefined) return above;
  const named = env['JWZ_STORE'] ?? '';
  // A store that was named is trusted: resolve its symlinks here, or they would be suspect later.
  return isAbsolute(named) ? attempt(() => realpathSync.native(named)) : undefined;
}

function nearestStore(start: string): string | undefined {
  const dirs = isAbsolute(start) ? upward(start) : [];
  const stores = dirs.flatMap((dir) => STORES.map((name) => `${dir === '/' ? '' : dir}/${name}`));
  // With the dot, only a directory exists.
  return stores.find((store) => existsSync(`${store}/.`));
}

/** The project that an event belongs to, and where its state lives. */
export interface Project {
  readonly root: string;
  readonly home: string;
  readonly git: GitPlace | undefined;
  /** Absent without git and without a directory of ours: there is nowhere to keep state. */
  readonly layout: Layout | undefined;
  /** Whether the project contains config. */
  readonly marked: boolean;
  /** Whether any config applies to it, even if only the user's own. */
  readonly configured: boolean;
  /** Set if it is the project that the host was started in, and the event's directory is outside of it. */
  readonly elsewhere?: true;
  /** The user's settings of Claude Code, if they are not in the home. */
  readonly userSettings?: string;
}

const CACHE_FILE = 'config.jsonl';
const ISDLC_DIR = '.isdlc';
const LEGACY_MARKERS = ['.gauntlet', ISDLC_DIR];
const REQUIREMENTS = ['.claude/requirements.yaml', '.claude/requirements.local.yaml'];
/** Names of files and directories that make a project configured. */
export const CONFIG_MARKERS = [OWN_DIR, ...LEGACY_MARKERS, ...REQUIREMENTS];
const GLOBAL_CONFIGS = ['.config/holdpoint/config.yaml', '.claude/requirements.yaml'];

/**
 * Upward from the event's cwd, then from the host's project variable. The hook's own cwd means nothing: hosts
 * start hooks wherever the agent last was. An agent that has entered a repository without config still works
 * for the project it was started in.
 */
export function findProject(cwd: string, env: Environment): Project | undefined {
  const project = projectFor(cwd, env);
  const userSettings = project && userSettingsIn(env, project.home);
  return userSettings === undefined ? project : project && { ...project, userSettings };
}

function projectFor(cwd: string, env: Environment): Project | undefined {
  const home = env['HOME'] ?? '';
  const here = isAbsolute(cwd) ? projectAbove(cwd, home) : undefined;
  if (here?.marked) return here;
  const start = env['CLAUDE_PROJECT_DIR'] ?? '';
  const started = isAbsolute(start) ? projectAbove(start, home) : undefined;
  const isOther = started?.marked === true && started.git?.commonDir !== here?.git?.commonDir;
  if (here !== undefined && !isOther) return here;
  return started && isAbsolute(cwd) ? { ...started, elsewhere: true } : started;
}

function userSettingsIn(env: Environment, home: string): string | undefined {
  const dir = env['CLAUDE_CONFIG_DIR'] ?? '';
  if (!isAbsolute(dir)) return undefined;
  const file = join(dir, 'settings.json');
  return file === join(home, '.claude/settings.json') ? undefined : file;
}

/**
 * The nearest root that has config: a nested repository without config belongs to the project around it.
 * Without any config, the nearest root.
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

/** Whether a directory contains config of a project. */
export function hasConfigMarkers(dir: string): boolean {
  const isThere = (mark: string): boolean => existsSync(`${dir}/${mark}`);
  return [OWN_DIR, ...LEGACY_MARKERS].some(isThere) || (isThere('.claude') && REQUIREMENTS.some(isThere));
}

/**
 * The main work tree of a linked one, if a workflow keeps its state there: git usually ignores that
 * directory, so linked work trees do not have it.
 */
function mainWorktree(git: GitPlace | undefined): string | undefined {
  if (git?.worktree === undefined || !git.commonDir.endsWith('/.git')) return undefined;
  const main = dirname(git.commonDir);
  return existsSync(`${main}/${ISDLC_DIR}`) ? main : undefined;
}

/** Without HOME, a directory inside our own replaces it: a relative one would be that of our process. */
function projectAt(here: string, usual: string, git: GitPlace | undefined): Project {
  const isMarked = (dir: string): boolean => !isSame(dir, usual) && hasConfigMarkers(dir);
  const isMarkedHere = isMarked(here);
  const main = isMarkedHere ? undefined : mainWorktree(git);
  const root = main ?? here;
  const marked = main === undefined ? isMarkedHere : isMarked(main);
  const given = !marked && isSame(root, usual) ? root : usual;
  const found = layoutOf(root, git, given, existsSync(`${root}/${OWN_DIR}`));
  const home = isAbsolute(given) ? given : join(found?.own ?? root, 'home');
  // Moving the config away does not make a project unconfigured: its compiled form is still there.
  const wasConfigured = (): boolean => found !== undefined && existsSync(`${found.own}/${CACHE_FILE}`);
  const configured =
    marked || GLOBAL_CONFIGS.some((file) => existsSync(`${home}/${file}`)) || wasConfigured();
  const layout = found === undefined || found.home === home ? found : { ...found, home };
  return { root, home, git, layout, marked, configured };
}

/** The root has its symlinks resolved, the home has not. Their names alone usually tell them apart. */
function isSame(root: string, home: string): boolean {
  if (root.startsWith(`${home}/`) || home.startsWith(`${root}/`)) return false;
  return attempt(() => root === home || (isAbsolute(home) && root === realpathSync.native(home))) ?? false;
}

/** The nearest directory upward that contains `name`. */
function nearestWith(name: string, start: string): string | undefined {
  return upward(start).find((dir) => existsSync(`${dir}/${name}`));
}

/**
 * A project for one discipline only, without git and without a directory of ours: the lock is in the
 * discipline's own directory, and no other state is kept.
 */
function projectWithoutGit(
  root: string,
  place: string,
  isMarked: boolean,
  env: Environment,
): ProjectWithState {
  const own = join(root, OWN_DIR, 'state');
  const given = env['HOME'] ?? '';
  const home = isAbsolute(given) ? given : join(own, 'home');
  const layout = { root, git: join(root, OWN_DIR), own, home, soleLock: join(place, 'holdpoint.lock') };
  return { root, home, git: undefined, layout, marked: isMarked, configured: isMarked };
}

/** A project for the workflow only, where a directory with workflow state exists. */
export function workflowOnlyProject(
  { cwd }: Pick<EventHeader, 'cwd'>,
  env: Environment,
): ProjectWithState | undefined {
  const starts = [cwd, env['CLAUDE_PROJECT_DIR'] ?? ''].filter(isAbsolute);
  const [root] = starts.flatMap((start) => nearestWith(ISDLC_DIR, start) ?? []);
  return root === undefined ? undefined : projectWithoutGit(root, join(root, ISDLC_DIR), true, env);
}

const LEGACY_LOOP_FILE = '.claude/idle-loop.local.md';
/** The events that workflows handle. */
const FLOW_KINDS = [
  'tool.before',
  'tool.after',
  'prompt.submit',
  'prompt.expand',
  'turn.stop',
  'session.start',
];
const TURN_KINDS = ['turn.stop', 'turn.error', 'prompt.submit', 'session.start'];

/** Whether a workflow or loop that was started by hand, without config, may be active. */
export function hasManualRun(header: EventHeader, project: ProjectWithState, env: Environment): boolean {
  const { own } = project.layout;
  const hasFlow = FLOW_KINDS.includes(header.kind) && existsSync(`${own}/workflow.json`);
  return hasFlow || hasManualLoop(header, project, env);
}

/** Only a few file checks, and only for events that loops handle. */
function hasManualLoop(
  { kind, cwd }: EventHeader,
  { root, layout }: ProjectWithState,
  env: Environment,
): boolean {
  if (kind.startsWith('tool.')) return existsSync(`${layout.own}/${LOOP_LIFE}`);
  if (kind !== 'session.end' && !TURN_KINDS.includes(kind)) return false;
  if (existsSync(`${layout.own}/loop.jsonl`) || storeWithMessages(cwd, env) !== undefined) return true;
  return legacyLoopDirAbove(isAbsolute(cwd) ? cwd : root, root) !== undefined;
}

/** The message store for a directory, unless nothing was ever written to it. */
function storeWithMessages(cwd: string, env: Environment): string | undefined {
  const store = findMessageStore(cwd, env);
  return hasMessages(store) ? store : undefined;
}

export function hasMessages(store: string | undefined): boolean {
  return store !== undefined && existsSync(`${store}/${MESSAGES}`);
}

/** A project for the loop only, where a message store or a loop's state file exists. */
export function loopOnlyProject(
  { kind, cwd: given }: Pick<EventHeader, 'kind' | 'cwd'>,
  env: Environment,
): ProjectWithState | undefined {
  const cwd = isAbsolute(given) ? given : (env['CLAUDE_PROJECT_DIR'] ?? '');
  if (!TURN_KINDS.includes(kind) || !isAbsolute(cwd)) return undefined;
  const store = storeWithMessages(cwd, env);
  const place = store ?? legacyLoopDirAbove(cwd, '/');
  if (place === undefined) return undefined;
  const root = `${cwd}/`.startsWith(`${dirname(place)}/`) ? dirname(place) : cwd;
  return projectWithoutGit(root, place, false, env);
}

/** The directory of the older program's nearest state file, from `start` up to `top`. */
function legacyLoopDirAbove(start: string, top: string): string | undefined {
  const places = upward(start, top).map((dir) => (dir === '/' ? '' : dir));
  const found = places.find((dir) => existsSync(`${dir}/${LEGACY_LOOP_FILE}`));
  return found === undefined ? undefined : `${found}/${dirname(LEGACY_LOOP_FILE)}`;
}

/** What the hook must know of a guard before it loads it. */
export interface CompiledGuard {
  readonly name: GuardName;
  readonly interests: readonly Interest[];
  readonly onError: 'allow' | 'hold';
  /** Present without being configured: it matters only once something was started by hand. */
  readonly byHand?: true;
  /** The interests of its shadow rules. */
  readonly shadow?: readonly Interest[];
  /** All of its rules are in shadow mode, so otherwise it counts as absent. */
  readonly silent?: true;
}

/** The first line of the cache. Each further line is one guard's config, in the order of `guards`. */
export interface CacheHead {
  readonly version: string;
  readonly root: string;
  readonly home: string;
  /** Every file and directory that could contain config, absent ones too, as it was at compile time. */
  readonly stamps: readonly (readonly [file: string, stamp: string])[];
  readonly guards: readonly CompiledGuard[];
  /** Problems of the config, formatted for display. */
  readonly problems: readonly string[];
  /** Config files that could not be read at all, with the position of the error. */
  readonly unread: readonly string[];
  /**
   * The last accepted stamps, if the config has changed since while an agent worked: until a person accepts
   * the change, the accepted rules stay in force.
   */
  readonly agreed?: CacheHead['stamps'];
  /** What happened to the config, until an event has told the person. */
  readonly untold?: string;
  readonly disabled?: readonly Disabled[];
  /** The file that events are recorded to, relative to the root; `session`: only events of that session. */
  readonly recording?: { readonly file: string; readonly session?: string };
}

/**
 * A requirement, a rule of one's own, all requirements or all gates, switched off by `enabled: false`; a requirement also
 * without `enabled`.
 */
export interface Disabled {
  readonly kind: 'rule' | 'own rule' | 'requirements' | 'gates';
  /** Empty for all requirements or gates. */
  readonly name: string;
  /** `file:line`. */
  readonly place: string;
  /** Whether a local, unshared file switches off what a shared one enables. */
  readonly locally: boolean;
  /** A requirement that is off because it does not say `enabled: true`. */
  readonly missing?: true;
}

/** A compiled config. A guard's part is parsed only when the guard is needed. */
export interface CompiledConfig {
  readonly head: CacheHead;
  configOf(index: number): Json;
  /** To be shown to the person: what happened to the config, unless an event has told it since. */
  readonly news?: string;
}

/**
 * One cache per work tree, because their config files may differ. If we keep no state in the project, it is
 * in the home.
 */
export function cacheFile({ git, root, home, layout }: Project, own: string): string {
  const { worktree } = git ?? {};
  if (layout !== undefined && !isKept(layout, 'own'))
    return join(home, '.config', 'holdpoint', 'config', `${sha256Hex(root).slice(0, 32)}.jsonl`);
  return worktree === undefined ? `${own}/${CACHE_FILE}` : `${own}/config-${worktree}.jsonl`;
}

export const ABSENT = '-';
/** A dangling or circular symlink. */
const BROKEN_LINK = '?';
const LARGEST_CACHE = 16 * 1024 * 1024;
/** Larger files are compared by size, time and inode. */
const LARGEST_TEXT_STAMP = 32 * 1024;
const TEXT_PREFIX = '=';

/**
 * Detects changes of a file: the whole text of a small plain file, else size, time and inode, one of which
 * every edit changes. A file that cannot be reached counts as absent.
 */
export function stampOf(file: string): string {
  const text = readSmallFile(file, LARGEST_TEXT_STAMP);
  if (text !== undefined) return TEXT_PREFIX + text;
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return isAbsent(file) ? ABSENT : BROKEN_LINK;
  }
}

/** Checked by size, time and inode, compared by content: npm rewrites identical files. */
const DIGEST_PREFIX = '#';

/** The stamp of a file, or of a directory of programs if `place` ends with a slash. */
export function digestStamp(place: string, content: () => string): string {
  const looks = statDigest(place);
  return looks === 0 ? stampOf(place) : `${DIGEST_PREFIX}${looks}:${content()}`;
}

/** Of a file that may change in any way, or come and go: only a reason to look again. */
export function presenceStamp(file: string): string {
  return `${DIGEST_PREFIX}${statDigest(file)}:`;
}

/** The programs that matter most; for the others the directory's own time has to do. */
const STAMPED_PROGRAMS = ['', 'hook.cjs', 'run.cjs', 'decide.cjs', 'guard-requirements.cjs'];

/** Zero if nothing is there. Uses ctime, which no program can set. */
function statDigest(place: string): number {
  let looks = 0;
  try {
    for (const name of place.endsWith('/') ? STAMPED_PROGRAMS : ['']) {
      const { ino = 0, size = 0, ctimeMs = 0 } = statSync(place + name, { throwIfNoEntry: false }) ?? {};
      // Not a sum: a shorter file that is newer by as much would look the same.
      for (const part of [ino, size, ctimeMs * 1000]) looks = Math.imul(looks ^ part, 0x01000193);
    }
  } catch {
    // Below a file, or circular symlinks: same as nothing.
  }
  return looks;
}

/** The part of a stamp that depends on the content only. */
export function contentOf(stamp: string): string {
  return stamp.startsWith(DIGEST_PREFIX) ? stamp.slice(stamp.indexOf(':') + 1) : stamp;
}

/** The text in a stamp, if it contains one. */
export function textInStamp(stamp: string | undefined): string | undefined {
  const content = contentOf(stamp ?? ABSENT);
  return content.startsWith(TEXT_PREFIX) ? content.slice(TEXT_PREFIX.length) : undefined;
}

function isAbsent(file: string): boolean {
  return attempt(() => isMissing(file)) ?? true;
}

/** The cached config if it is complete, ours and fresh; otherwise the caller compiles it again. */
export function readCache(project: Project): CompiledConfig | undefined {
  const kept = readStaleCache(project);
  return kept !== undefined && isFresh(kept.head, project) ? kept : undefined;
}

/** The cached config, however old it is. */
export function readStaleCache(project: Project): CompiledConfig | undefined {
  const own = project.layout?.own;
  if (own === undefined) return undefined;
  try {
    const file = cacheFile(project, own);
    if (!existsSync(file)) return undefined;
    // Rejects a symlink or a pipe in its place: neither is ours, and reading a pipe would block forever.
    const lines = readSealed(file, LARGEST_CACHE)?.split('\n');
    if (lines === undefined) return undefined;
    const head = JSON.parse(lines[0] ?? '') as CacheHead;
    const configOf = (index: number): Json => JSON.parse(lines[index + 1] ?? '') as Json;
    return { head, configOf, ...(head?.untold !== undefined && { news: head.untold }) };
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
    (project.userSettings === undefined || head.stamps.some(([file]) => file === project.userSettings)) &&
    head.stamps.every((pair) => isUnchanged(pair[0], pair[1]))
  );
}

/** Most of these files do not exist, and checking that is cheaper than reading a stamp. */
function isUnchanged(file: string, stamp: string): boolean {
  if (stamp === ABSENT) return isAbsent(file);
  if (stamp.startsWith(DIGEST_PREFIX)) return stamp.startsWith(`${DIGEST_PREFIX}${statDigest(file)}:`);
  const text = stamp.startsWith(TEXT_PREFIX) ? readSmallFile(file, LARGEST_TEXT_STAMP) : undefined;
  return text === undefined ? stampOf(file) === stamp : TEXT_PREFIX + text === stamp;
}

/**
 * Caches a compiled config for the next event. A failure does no harm, since the next event compiles again,
 * so it is not reported.
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
    // Not reported: the next event only takes longer.
  }
}

/** The person has been told. */
export function forgetNews(project: Project, news: string): void {
  const kept = readStaleCache(project);
  if (kept?.head.untold !== news) return;
  const { untold: _, ...head } = kept.head;
  writeCache(
    project,
    head,
    head.guards.map((_guard, index) => kept.configOf(index)),
  );
}

/** `undefined` if the project has no config. */
export function loadConfig(project: Project, chunks: Chunks): CompiledConfig | undefined {
  return project.configured ? configOrDefaults(project, chunks) : undefined;
}

/** The compiled config of one guard; `undefined` if the project does not configure it. */
export function guardConfig(config: CompiledConfig | undefined, guard: GuardName): Json | undefined {
  const index = config?.head.guards.findIndex(({ name }) => name === guard) ?? -1;
  return index < 0 ? undefined : config?.configOf(index);
}

/** The project's config, from its cache or compiled now. Without config files it contains the defaults. */
export function configOrDefaults(project: Project, chunks: Chunks, sessionId = ''): CompiledConfig {
  return readCache(project) ?? chunks.part('compile-config').compileProject(project, chunks, sessionId);
}
