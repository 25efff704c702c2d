import { closeSync, existsSync, openSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { attempt } from '../exec/attempt';
import { findHostProcess, processState } from '../exec/processes';
import { readSettings, remoteDefault, repositoryAt, repositoryOf } from '../git/head';
import { addsMerge, branchLeft, isInHistory, lastMoves, readRefs } from '../git/refs';
import type { RepositoryAt, Watched } from '../shell/scope';
import { type Document, type DocumentRef, type Found, findUnchanged, readDocument } from '../state/documents';
import { readAt } from '../state/files';
import type { Chunks } from './chunks';
import type { Effects } from './command-effects';
import type { EventContext } from './context';
import { LONGEST_PATH } from './event';
import { detailOf } from './failure';
import type { EffectsAsk, FileAsk, FileFact, HostProcess, WorldFacts } from './guard';

/**
 * Where facts come from: this machine as it is now or, for a past session that we replay, its transcript.
 * Each is looked up at most once per event.
 */
export interface Facts extends Pick<WorldFacts, SameInWorld> {
  /** The document again, if it has not changed since it was read. */
  unmoved(ref: DocumentRef, read: Document): Found | undefined;
  processState(pid: number, start?: string): 'alive' | 'dead';
  /** Offline, git itself is not run. */
  repositoryAt(directory: string, isOffline: boolean): ReturnType<RepositoryAt>;
  isDirectory(path: string): boolean;
  watched(files: readonly string[], isOffline: boolean): Watched;
  /** Cached effects of a command line, else those that `find` computes; optional. */
  effects?(ask: EffectsAsk, find: () => Effects): Effects;
}

type SameInWorld =
  | ('document' | 'file' | 'realPath' | 'hostProcess' | 'client' | 'ancestors' | 'answeringHooks')
  | ('refs' | 'moves' | 'isIn' | 'addsMerge' | 'defaultBranch');

/** Thrown for a fact that cannot be known, as in a past session. Other chunks recognise it by name. */
export class UnknownFact extends Error {
  override readonly name = 'UnknownFact';
}

/** Thrown if this process cannot do what the event needs. Other chunks recognise it by name. */
export class LeaveEvent extends Error {
  override readonly name = 'LeaveEvent';
}

export function machineFacts(scene: EventContext): Facts {
  const { layout, chunks, git, project } = scene;
  const hostProcess = (): HostProcess => findHostProcess(scene.env, scene.parentPid);
  return {
    document: (ref) => readDocument(layout, ref),
    unmoved: (ref, read) => findUnchanged(layout, ref, read),
    file: (ask) => readFileFact(project.root, ask),
    realPath: (path) => realPath(path),
    processState,
    hostProcess,
    client: () => {
      // The hook's pipes belong to another process.
      if (scene.isServed) throw new LeaveEvent('a server cannot tell who has sent the event');
      return chunks.clientFacts(hostProcess().pid, project.home, project.root);
    },
    ancestors: () => {
      // A client of the server could name any process.
      if (scene.isServed) throw new LeaveEvent('a server cannot tell who has started the hook');
      return chunks.ancestorsOf(scene.parentPid);
    },
    answeringHooks: (tool) => chunks.answeringHooks(tool, project.root, project.home, scene.env),
    repositoryAt: (directory, isOffline) => {
      const fact =
        directory === git?.root ? repositoryOf(git, chunks.askGit) : repositoryAt(directory, chunks.askGit);
      if (!isOffline) return fact;
      const { ask: _git, ...rest } = fact;
      const previous = (): string | undefined =>
        fact.root === git?.root ? branchLeft(lastMoves(`${git.gitDir}/logs/HEAD`)) : undefined;
      return { ...rest, previous, settings: () => readSettings(fact.commonDir, project.home) };
    },
    isDirectory: (path) => existsSync(`${path}/.`),
    watched: (files, isOffline) => watching(files, isOffline ? () => IGNORED : chunks.askGit),
    refs: () => git && readRefs(git, chunks.askGit),
    moves: (ref) =>
      git === undefined ? [] : lastMoves(`${ref === 'HEAD' ? git.gitDir : git.commonDir}/logs/${ref}`),
    isIn: (commit, histories) => git !== undefined && isInHistory(git.root, commit, histories, chunks.askGit),
    addsMerge: (commit, histories) =>
      git !== undefined && addsMerge(git.root, commit, histories, chunks.askGit),
    defaultBranch: () => git && remoteDefault(git, chunks.askGit),
  };
}

/** Never reads more of the text than was asked for. */
export function readFileFact(root: string, { path, maxTextBytes, within }: FileAsk): FileFact {
  const file = resolve(root, path);
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return { kind: 'missing' };
    if (within !== undefined && !realpathSync.native(file).startsWith(realpathSync.native(within) + sep)) {
      return { kind: 'unreadable', why: `is reached by a symlink that leaves ${within}` };
    }
    if (stat.isDirectory()) return { kind: 'directory', mtimeMs: stat.mtimeMs };
    if (!stat.isFile()) return { kind: 'unreadable', why: 'is not a regular file' };
    const { size, mtimeMs, ctimeMs, nlink, dev, ino } = stat;
    const linked = nlink > 1 && { linked: `${dev}:${ino}` };
    const fact = { kind: 'file', size, mtimeMs, ctimeMs, ...linked } as const;
    if (maxTextBytes === undefined) return fact;
    return { ...fact, text: readStart(file, Math.min(stat.size, maxTextBytes)) };
  } catch (error) {
    return { kind: 'unreadable', why: detailOf(error) };
  }
}

function readStart(file: string, bytes: number): string {
  const fd = openSync(file, 'r');
  try {
    return readAt(fd, 0, bytes).toString();
  } finally {
    closeSync(fd);
  }
}

/** Linux's limit on symlinks that lead to each other. */
const MOST_LINKS = 40;

/** Also for paths that do not exist: resolves their nearest existing directory, and dangling symlinks. */
export function realPath(path: string, links = MOST_LINKS): string {
  if (path.length > LONGEST_PATH) return path;
  try {
    return realpathSync.native(path);
  } catch {
    const target = links > 0 ? linkTarget(path) : undefined;
    if (target !== undefined) return realPath(resolve(realPath(dirname(path), links - 1), target), links - 1);
    const above = dirname(path);
    return above === path ? path : join(realPath(above, links), basename(path));
  }
}

/** The project root as an agent in `cwd` spells it; `undefined` if that directory is gone. */
export function rootAsSeen(cwd: string, root: string): string | undefined {
  if (cwd === root || cwd.startsWith(root + sep)) return root;
  return attempt(() => {
    const below = relative(root, realpathSync.native(cwd));
    if (below === '') return cwd;
    return !below.startsWith('..') && cwd.endsWith(sep + below) ? cwd.slice(0, -below.length - 1) : root;
  });
}

function linkTarget(path: string): string | undefined {
  return attempt(() => readlinkSync(path));
}

const GIT_STATUS =
  '--no-optional-locks -c core.fsmonitor=false status --porcelain --ignored=matching --ignore-submodules=all'.split(
    ' ',
  );
/** Larger archives are not searched. */
const LARGEST_ARCHIVE = 16 * 1024 * 1024;

/** Facts about files that a command may reach; only the few commands that may reach them ask. */
export function watching(files: readonly string[], askGit: Chunks['askGit']): Watched {
  return {
    files,
    exists: existsSync,
    names: (archive, file) => {
      try {
        if (statSync(archive).size > LARGEST_ARCHIVE) return false;
        const bytes = readFileSync(archive);
        const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
        const { gunzipSync } = require('node:zlib') as typeof import('node:zlib');
        return (isZipped ? gunzipSync(bytes, { maxOutputLength: 8 * LARGEST_ARCHIVE }) : bytes).includes(
          file,
        );
      } catch {
        return false;
      }
    },
    gitStatus: (directory, file) => askGit(directory, [...GIT_STATUS, '--', file]) ?? '',
  };
}

/** How `git status` shows an ignored file, which formatters and most sweeps therefore leave alone. */
const IGNORED = '!!';
