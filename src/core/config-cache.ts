import { existsSync, statSync } from 'node:fs';
import { isMissing, readSmallFile, writeFileAtomic } from '../state/files';
import { containerOf, isKept, placeOf } from '../state/layout';
import type { Chunks } from './chunks';
import type { Interest } from './guard';
import { isJsonObject, type Json } from './json';
import type { Project } from './project';
import { type GuardName, isGuardName } from './selection';

/** What the hook has to know of the config before it loads any guard. */
export interface CompiledGuard {
  readonly name: GuardName;
  readonly interests: readonly Interest[];
  readonly onError: 'allow' | 'hold';
  /** There although nobody has configured it: it matters only once something was started by hand. */
  readonly byHand?: true;
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
}

/** A compiled config; a guard's own part is parsed only when the guard is wanted. */
export interface CompiledConfig {
  readonly head: CacheHead;
  configOf(index: number): Json;
}

/** One cache for each work tree, because each may have other config files. */
export function cacheFile(project: Project, own: string): string {
  const { worktree } = project.git ?? {};
  return worktree === undefined ? `${own}/config.jsonl` : `${own}/config-${worktree}.jsonl`;
}

const ABSENT = '-';
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

function isAbsent(file: string): boolean {
  try {
    return isMissing(file);
  } catch {
    return true;
  }
}

/** The cached config if it is whole, ours and fresh. Anything else is compiled anew by the caller. */
export function readCache(project: Project): CompiledConfig | undefined {
  const own = project.layout?.own;
  if (own === undefined) return undefined;
  try {
    const file = cacheFile(project, own);
    if (!existsSync(file)) return undefined;
    // A link or a pipe in its place is nothing of ours, and a pipe would never end.
    const lines = readSmallFile(file, LARGEST_CACHE)?.split('\n') ?? [];
    const first = lines[0] ?? '';
    const head = JSON.parse(first) as CacheHead;
    if (!isFresh(head, project) || !(lines.length >= head.guards.length + 2)) return undefined;
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
  const text = stamp.startsWith(KEPT) ? readSmallFile(file, LARGEST_KEPT) : undefined;
  return text === undefined ? stampOf(file) === stamp : KEPT + text === stamp;
}

/**
 * Keeps a compiled config for the next event. Failing to is no trouble: the next event compiles
 * again, so the caller is not told.
 */
export function writeCache(project: Project, head: CacheHead, configs: readonly Json[]): void {
  const { layout } = project;
  if (layout === undefined || !isKept(layout, 'own')) return;
  const file = cacheFile(project, layout.own);
  try {
    if (placeOf(containerOf(layout, 'own'), file).kind === 'outward') return;
    const text = [head, ...configs].map((line) => JSON.stringify(line)).join('\n');
    writeFileAtomic(file, `${text}\n`);
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
export function configOrDefaults(project: Project, chunks: Chunks): CompiledConfig {
  const compile = (): CompiledConfig => chunks.compileProject(project, chunks);
  const cached = readCache(project);
  if (cached === undefined) return compile();
  return { head: cached.head, configOf: (index) => partOf(cached, index, compile) };
}

/** A guard's part of the cache. Its damage shows only here, where it is parsed; then the whole is compiled anew. */
function partOf({ head, configOf }: CompiledConfig, index: number, compile: () => CompiledConfig): Json {
  try {
    return configOf(index);
  } catch {
    const compiled = compile();
    return compiled.configOf(compiled.head.guards.findIndex(({ name }) => name === head.guards[index]?.name));
  }
}
