import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { type Facts, readFileFact, realPath, UnknownFact } from '../core/context';
import type { FileAsk, FileFact } from '../core/guard';
import type { ProjectWithState } from '../core/hook';
import type { Json } from '../core/json';
import { isBelow } from '../core/project-paths';
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

/** The documents of all replayed projects, as the sessions so far left them. Nothing is on disk. */
export class PastState {
  readonly #values = new Map<string, Json>();
  readonly #versions = new Map<string, number>();

  read(layout: Layout, ref: DocumentRef): Document {
    const key = keyOf(layout, ref);
    const value = this.#values.get(key);
    if (value === undefined) return { kind: 'missing' };
    return { kind: 'present', value, version: String(this.#versions.get(key)) };
  }

  /** A change that throws is dropped, as it is when state is written to disk. */
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
      // Keep the document as it was.
    }
  }

  /** Whether a state file exists, named as in the guards' interests. */
  has(layout: Layout, file: string): boolean {
    const own = file.startsWith('holdpoint/') ? `own:${file.slice('holdpoint/'.length)}` : undefined;
    const keys = own === undefined ? [`git:${file}`, `project:${file}`] : [own];
    return keys.some((key) => this.#values.has(`${layout.git} ${key}`));
  }

  /** Forgets the documents of a finished session, so that memory use does not grow with each session. */
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

/** How to answer a question about the past that nobody can answer. A result is certain if both lead to it. */
export type Assumption = 'least' | 'most';

/** What is known about the moment of an event. */
export interface PastMoment {
  readonly at: number;
  readonly cwd: string;
  readonly project: ProjectWithState;
  readonly git: GitHead | undefined;
  /** What the transcript says about a file. */
  readonly before: PastEvent['before'];
  /** The project whose rules are replayed. */
  readonly rulesRoot: string;
  /** Stands in for the client's process, which is no longer known. */
  readonly pid: number;
  /** Whether the client of a session was running then; `undefined` if unknown. */
  isAtWork(pid: number): boolean | undefined;
}

/** Numbers the answers of `refs`, so that refs that may have moved differ from entry event to the next. */
let refsAnswers = 0;

/** The facts about the world at a past event, and whether an unknown entry was asked for. */
export function pastFacts(moment: PastMoment, memory: PastState, assumption: Assumption) {
  const { project, git, cwd, pid } = moment;
  const { layout } = project;
  let isUnsure = false;
  const unknown = <T>(least: T, most: T): T => {
    isUnsure = true;
    return assumption === 'least' ? least : most;
  };
  const there = [cwd, project.root].filter(isAbsolute);
  const isAbove = (path: string): boolean => there.some((dir) => isBelow(dir, path));
  const branch = git?.position.kind === 'branch' ? git.position.branch : 'HEAD';
  const facts: Facts = {
    document: (ref) => memory.read(layout, ref),
    unchanged: () => undefined,
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
    watched: (files) => ({ files, exists: existsSync, names: () => false, gitStatus: () => '!!' }),
    refs: () => {
      if (git === undefined) return undefined;
      refsAnswers++;
      const heads = unknown<Record<string, string>>({}, { [branch]: `commit ${refsAnswers}` });
      return { heads, remotes: {}, others: [], elsewhere: [] };
    },
    moves: () => [],
    isIn: () => false,
    addsMerge: () => false,
    defaultBranch: () => git && remoteDefault(git, askGit),
  };
  return { facts, isUnsure: () => isUnsure };
}

/** Remembers answers: sessions are about the same files and command lines again and again. */
export function remembered<T>(find: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    if (known.has(key)) return known.get(key) as T;
    if (known.size >= MOST_KNOWN) known.clear();
    const found = find(key);
    known.set(key, found);
    return found;
  };
}

const MOST_KNOWN = 5000;

/** Resolves symlinks as they are now, not as they were. */
const realPathNow = remembered(realPath);

/** Our own state starts empty. `.gitignore` and repository locations are as they are now, like the config. */
function fileOf(
  ask: FileAsk,
  { project, cwd, at, before, rulesRoot }: PastMoment,
  isAbove: (path: string) => boolean,
  unknown: <T>(least: T, most: T) => T,
): FileFact {
  const path = resolve(project.root, ask.path);
  if (path === join(project.root, '.gitignore') || path.endsWith('/.git'))
    return readFileFact(project.root, ask);
  if (isAbove(path)) return { kind: 'directory', mtimeMs: at };
  const isOurs = isBelow(path, project.layout.own) || path === documentFile(project.layout, REGISTRY);
  if (isOurs || ask.linksOnly === true || path.endsWith('/.execution_state')) return { kind: 'missing' };
  if (before !== undefined && realPathNow(resolve(cwd, before.path)) === realPathNow(path))
    return factOf(before, ask, at);
  const config = join(project.root, '.holdpoint');
  if (ask.maxTextBytes !== undefined && isBelow(path, config))
    return readFileFact(join(rulesRoot, '.holdpoint'), { ...ask, path: relative(config, path) });
  if (ask.maxTextBytes !== undefined) throw new UnknownFact(`${ask.path} is not known as it was`);
  return unknown<FileFact>({ kind: 'missing' }, { kind: 'file', size: 1, mtimeMs: at });
}

function factOf(
  { text }: NonNullable<PastMoment['before']>,
  { maxTextBytes }: FileAsk,
  at: number,
): FileFact {
  if (text === undefined) return { kind: 'missing' };
  const bytes = Buffer.from(text);
  const fact = { kind: 'file', size: bytes.length, mtimeMs: at } as const;
  return maxTextBytes === undefined ? fact : { ...fact, text: bytes.toString('utf8', 0, maxTextBytes) };
}

/** Repositories and their settings are taken as they are now; only the branch is from the past. */
function repositoriesOf({ project, git }: PastMoment): RepositoryAt {
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
      settings: () => readSettings(commonDir, project.home),
    };
  };
}
