import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Effects } from '../core/command-effects';
import { type Facts, readFileFact, realPath, UnknownFact } from '../core/facts';
import type { FileAsk, FileFact } from '../core/guard';
import type { Ground } from '../core/hook';
import type { Json } from '../core/json';
import { isBelow } from '../core/places';
import { findGit, type GitHead, readSettings, remoteDefault } from '../git/head';
import { askGit } from '../git/run-git';
import type { PastEvent } from '../hosts/session-log';
import type { RepositoryAt } from '../shell/scope';
import {
  type Change,
  type Document,
  type DocumentRef,
  documentFile,
  documentKey,
  type Layout,
} from '../state/documents';
import { REGISTRY } from '../state/sessions';

/** The documents of all projects that are played, as the sessions so far have left them. Nothing is on disk. */
export class Memory {
  readonly #values = new Map<string, Json>();
  readonly #versions = new Map<string, number>();
  /** A command line is looked at before and after it ran, by several guards, and mostly twice. */
  readonly effects = new Map<string, { readonly effects: Effects; readonly wasUnsure: boolean }>();

  read(layout: Layout, ref: DocumentRef): Document {
    const key = keyOf(layout, ref);
    const value = this.#values.get(key);
    if (value === undefined) return { kind: 'missing' };
    return { kind: 'present', value, version: String(this.#versions.get(key)) };
  }

  /** A change that throws fails by itself, as when it is written. */
  apply(layout: Layout, { document, apply }: Change): void {
    const key = keyOf(layout, document);
    const current = this.#values.get(key);
    try {
      const next = apply(current);
      if (next === current) return;
      if (next === undefined) this.#values.delete(key);
      else this.#values.set(key, next);
      this.#versions.set(key, (this.#versions.get(key) ?? 0) + 1);
    } catch {
      // The document stays as it was.
    }
  }

  /** Whether a state file is there, as the interests of guards name it. */
  has(layout: Layout, file: string): boolean {
    const own = file.startsWith('holdpoint/') ? `own:${file.slice('holdpoint/'.length)}` : undefined;
    const keys = own === undefined ? [`git:${file}`, `project:${file}`] : [own];
    return keys.some((key) => this.#values.has(`${layout.git} ${key}`));
  }

  /** Forgets the documents of a session that is over, so that many sessions take no more room than one. */
  forget(layout: Layout, refs: readonly DocumentRef[]): void {
    for (const ref of refs) {
      this.#values.delete(keyOf(layout, ref));
      this.#versions.delete(keyOf(layout, ref));
    }
  }
}

function keyOf(layout: Layout, ref: DocumentRef): string {
  return ref.base === 'home' ? documentKey(ref) : `${layout.git} ${documentKey(ref)}`;
}

/** How a question is answered that nobody can answer: once so, once otherwise. What both lead to is known. */
export type Assumption = 'least' | 'most';

/** What is known of the moment of an event. */
export interface Moment {
  readonly at: number;
  readonly cwd: string;
  readonly ground: Ground;
  readonly git: GitHead | undefined;
  /** What the transcript tells of a file. */
  readonly before: PastEvent['before'];
  /** The project whose rules are played. */
  readonly rulesRoot: string;
  /** Stands for the client's process, which nobody knows any more. */
  readonly pid: number;
  /** Whether the client of a session was at work then; `undefined` where that cannot be told. */
  isAtWork(pid: number): boolean | undefined;
}

const MOST_EFFECTS = 200;

/** Numbers events, so that refs that may have moved differ from one to the next. */
let looks = 0;

/** The facts about the world of a past event, and whether any was asked for that nobody knows. */
export function pastFacts(moment: Moment, memory: Memory, assumption: Assumption) {
  const { ground, git, cwd, pid } = moment;
  const { layout } = ground;
  let isUnsure = false;
  const unknown = <T>(least: T, most: T): T => {
    isUnsure = true;
    return assumption === 'least' ? least : most;
  };
  const there = [cwd, ground.root].filter(isAbsolute);
  const isAbove = (path: string): boolean => there.some((dir) => isBelow(dir, path));
  const found = (key: string, find: () => Effects) => {
    const before = isUnsure;
    isUnsure = false;
    const one = { effects: find(), wasUnsure: isUnsure };
    isUnsure ||= before;
    if (memory.effects.size >= MOST_EFFECTS) memory.effects.clear();
    memory.effects.set(key, one);
    return one;
  };
  const branch = git?.position.kind === 'branch' ? git.position.branch : 'HEAD';
  const facts: Facts = {
    document: (ref) => memory.read(layout, ref),
    unmoved: () => undefined,
    file: (ask) => fileOf(ask, moment, isAbove, unknown),
    realPath: realPathNow,
    processState: (other) => {
      const atWork = other === pid ? true : moment.isAtWork(other);
      return (atWork ?? unknown(false, true)) ? 'alive' : 'dead';
    },
    hostProcess: () => ({ pid }),
    client: () => ({ args: [], isAttended: false, isSender: false }),
    ancestors: () => [],
    answeringHooks: () => [],
    repositoryAt: repositoriesOf(moment),
    isDirectory: (path) => isAbove(path) || unknown(false, true),
    effects: (ask, find) => {
      const key = [assumption, branch, cwd, ask.offline, ask.watched?.length, ask.command].join('\n');
      const { effects, wasUnsure } = memory.effects.get(key) ?? found(key, find);
      isUnsure ||= wasUnsure;
      return effects;
    },
    watched: (files) => ({ files, exists: existsSync, names: () => false, gitStatus: () => '!!' }),
    refs: () => {
      if (git === undefined) return undefined;
      looks++;
      const heads = unknown<Record<string, string>>({}, { [branch]: `commit ${looks}` });
      return { heads, remotes: {}, elsewhere: [] };
    },
    moves: () => [],
    isIn: () => false,
    addsMerge: () => false,
    defaultBranch: () => git && remoteDefault(git, askGit),
  };
  return { facts, isUnsure: () => isUnsure };
}

const realPaths = new Map<string, string>();
const MOST_PATHS = 20_000;

/** Links lead where they lead now. */
function realPathNow(path: string): string {
  const known = realPaths.get(path);
  if (known !== undefined) return known;
  if (realPaths.size >= MOST_PATHS) realPaths.clear();
  const real = realPath(path);
  realPaths.set(path, real);
  return real;
}

/** Our own state begins empty. The project's `.gitignore` and where repositories lie count as they are now, like the config. */
function fileOf(
  ask: FileAsk,
  { ground, cwd, at, before, rulesRoot }: Moment,
  isAbove: (path: string) => boolean,
  unknown: <T>(least: T, most: T) => T,
): FileFact {
  const path = resolve(ground.root, ask.path);
  if (path === join(ground.root, '.gitignore') || path.endsWith('/.git'))
    return readFileFact(ground.root, ask);
  if (isAbove(path)) return { kind: 'directory', mtimeMs: at };
  const isOurs = isBelow(path, ground.layout.own) || path === documentFile(ground.layout, REGISTRY);
  if (isOurs || ask.linksOnly === true || path.endsWith('/.execution_state')) return { kind: 'missing' };
  if (before !== undefined && realPathNow(resolve(cwd, before.path)) === realPathNow(path))
    return factOf(before, ask, at);
  const config = join(ground.root, '.holdpoint');
  if (ask.maxTextBytes !== undefined && isBelow(path, config))
    return readFileFact(join(rulesRoot, '.holdpoint'), { ...ask, path: relative(config, path) });
  if (ask.maxTextBytes !== undefined) throw new UnknownFact(`${ask.path} is not known as it was`);
  return unknown<FileFact>({ kind: 'missing' }, { kind: 'file', size: 1, mtimeMs: at });
}

function factOf({ text }: NonNullable<Moment['before']>, { maxTextBytes }: FileAsk, at: number): FileFact {
  if (text === undefined) return { kind: 'missing' };
  const bytes = Buffer.from(text);
  const fact = { kind: 'file', size: bytes.length, mtimeMs: at } as const;
  return maxTextBytes === undefined ? fact : { ...fact, text: bytes.toString('utf8', 0, maxTextBytes) };
}

/** Repositories lie where they lie now, with the settings of now; only the branch is that of then. */
function repositoriesOf({ ground, git }: Moment): RepositoryAt {
  return (directory) => {
    const place = git !== undefined && isBelow(directory, git.root) ? git : findGit(directory);
    if (place === undefined) return { root: directory, commonDir: directory, commitOf: () => undefined };
    const { root, commonDir } = place;
    const position = git?.root === root ? git.position : undefined;
    const branch =
      position?.kind === 'branch' ? position.branch : position?.kind === 'detached' ? 'HEAD' : undefined;
    return {
      root,
      commonDir,
      ...(branch !== undefined && { branch }),
      commitOf: () => undefined,
      settings: () => settingsOf(commonDir, ground.home),
    };
  };
}

const settings = new Map<string, ReadonlyMap<string, string>>();

function settingsOf(commonDir: string, home: string): ReadonlyMap<string, string> {
  const known = settings.get(commonDir) ?? readSettings(commonDir, home);
  settings.set(commonDir, known);
  return known;
}
