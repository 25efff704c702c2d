import { constants, existsSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { findHostProcess, processState } from '../exec/processes';
import { type GitHead, readSettings, remoteDefault, repositoryAt, repositoryOf } from '../git/head';
import { branchLeft, isInHistory, lastMoves, newestMissingCommit, readRefs } from '../git/refs';
import type { RepositoryAt, Watched } from '../shell/scope';
import {
  type Document,
  type DocumentRef,
  documentKey,
  type Found,
  findUnchanged,
  type Layout,
  readDocument,
} from '../state/documents';
import { readAt, withPlainFile } from '../state/files';
import { REGISTRY, sessionsIn } from '../state/sessions';
import type { FreshDocuments } from '../state/update';
import type { Effects } from './command-effects';
import { type Event, LONGEST_PATH } from './event';
import { attempt, detailOf, type Failure } from './failure';
import type {
  Chunks,
  Context,
  EffectsAsk,
  FileAsk,
  FileFact,
  Guard,
  HostProcess,
  LiveSession,
  RefusedStops,
  TranscriptAsk,
  TranscriptFacts,
  WorldFacts,
} from './guard';
import type { ProjectWithState } from './hook';
import type { Json } from './json';
import {
  isRefusedElsewhere,
  recordFrom,
  refusedBefore,
  type SessionRecord,
  withoutLastRefusal,
} from './refused-stops';
import { sessionRecordRef } from './text';

/** A guard that the event concerns, with its part of the config. */
export interface ActiveGuard {
  readonly guard: Guard;
  readonly config: Json;
  readonly onError: 'allow' | 'hold';
  /** Set if the guard could not be loaded. */
  readonly failure?: Failure;
}

/** Everything that stays the same while we handle one event. */
export interface EventContext {
  readonly event: Event;
  readonly project: ProjectWithState;
  /** Set if the project is not the one of the event's directory. */
  readonly elsewhere?: true;
  readonly git: GitHead | undefined;
  readonly layout: Layout;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly chunks: Chunks;
  readonly guards: readonly ActiveGuard[];
  /** Rules named one by one on the command line. */
  readonly rules: readonly string[];
  readonly gauntletCompat: boolean;
  /** Problems of the config, formatted for display. */
  readonly problems: readonly string[];
  /** Shown to the person now, whatever the decision is. */
  readonly news: readonly string[];
  /** Replaces this machine's facts when we replay a past session. */
  readonly past?: Facts | undefined;
  readonly stopLimit: number;
  /** When the process that the host started for this event began, if known. */
  startedAt(): number | undefined;
  /** Whether a server was asked before and gave no answer; it may have counted the event. */
  readonly isUnanswered?: true;
  readonly parentPid: number;
  /** Whether a server answers instead of the hook's own process. */
  readonly isServed: boolean;
  /** The environment for programs that the event runs; `undefined` if it cannot be known. */
  effectEnv(): Readonly<Record<string, string | undefined>> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly id: string;
  readonly tape?: Tape;
}

/** Records everything an event was decided on, so that it can be replayed elsewhere; or replays it. */
export interface Tape {
  /** Wraps or replaces the world that the guards see. */
  wrapWorld(open: () => World): World;
  readonly chunks?: Chunks;
  /** Records the result of an effect under its `runKey`. */
  ran?(key: string, result: Json): void;
  /** In a replay nothing of this machine counts: neither its sessions nor its files. */
  readonly isReplay?: true;
}

export interface World extends WorldFacts {
  /** The current versions of the documents that were read; `undefined` if one has changed since. */
  unchanged(): FreshDocuments | undefined;
  readDocuments(): readonly { readonly ref: DocumentRef; readonly document: Document }[];
}

/** Reads the world for one event; every fact is looked up only once. */
export function openWorld(context: EventContext): World {
  const { event, chunks } = context;
  const facts = context.past ?? machineFacts(context);
  const documents = new Map<string, { readonly ref: DocumentRef; readonly document: Document }>();
  const files = new Map<string, FileFact>();
  const commandsIn = onceFor((cwd: string) => onceFor((text: string) => chunks.commandsOf(text, cwd)));
  const linesIn = onceFor((asWritten: boolean) =>
    onceFor((text: string) => chunks.commandLines(text, event.cwd, asWritten)),
  );
  const document = (ref: DocumentRef): Document => {
    const key = documentKey(ref);
    const known = documents.get(key);
    if (known !== undefined) return known.document;
    const read = facts.document(ref);
    documents.set(key, { ref, document: read });
    return read;
  };
  return {
    refusedStops: readRefusedStops(context, document),
    startedAt: context.startedAt,
    env: (name) => context.env[name] ?? '',
    document,
    file: (ask) => {
      // For a past session, another question about the same file may have another answer.
      const key = `${ask.within ?? ''}\0${ask.path}`;
      const known = context.past === undefined ? files.get(key) : undefined;
      if (known !== undefined && isEnough(known, ask)) return known;
      const fact = facts.file(ask);
      files.set(key, fact);
      return fact;
    },
    realPath: onceFor(facts.realPath),
    sessions: once((): readonly LiveSession[] => {
      const registry = document(REGISTRY);
      return sessionsIn(
        registry.kind === 'present' ? registry.value : undefined,
        event.at,
        facts.processState,
      );
    }),
    hostProcess: once(facts.hostProcess),
    client: once(facts.client),
    ancestors: once(facts.ancestors),
    answeringHooks: onceFor(facts.answeringHooks),
    commandLines: (text, asWritten = false) => linesIn(asWritten)(text),
    commands: (text, cwd = event.cwd) => commandsIn(cwd)(text),
    effects: effectsIn(context, facts),
    refs: once(facts.refs),
    moves: facts.moves,
    isIn: facts.isIn,
    addsMerge: facts.addsMerge,
    part: chunks.part,
    compile: chunks.compile,
    defaultBranch: once(facts.defaultBranch),
    transcript: onceFor((ask: TranscriptAsk) => readTranscript(context, ask), JSON.stringify),
    unchanged: () => {
      const fresh = new Map<string, Found>();
      for (const [key, { ref, document: read }] of documents) {
        const found = facts.unchanged(ref, read);
        if (found === undefined) return undefined;
        fresh.set(key, found);
      }
      return fresh;
    },
    readDocuments: () => [...documents.values()],
  };
}

function effectsIn({ event, project, chunks }: EventContext, facts: Facts): Context['effects'] {
  const known: { readonly ask: EffectsAsk; readonly effects: Effects }[] = [];
  return (ask) => {
    // An answer to a wider question will do: watched files and test commands only add to it.
    const isLess = ask.watched === undefined && ask.testCommands.length === 0;
    const isEnough = (one: EffectsAsk): boolean =>
      one.command === ask.command && isLess && (ask.offline === true || one.offline === undefined);
    const isSame = (one: EffectsAsk): boolean =>
      JSON.stringify(one) === JSON.stringify(ask) &&
      one.watched?.().join('\0') === ask.watched?.().join('\0');
    const found = known.find((one) => isEnough(one.ask) || isSame(one.ask));
    if (found !== undefined) return found.effects;
    const isOffline = ask.offline === true;
    const effects = chunks.effectsOf(ask.command, {
      cwd: event.cwd === '' ? project.root : event.cwd,
      ...(project.home !== '' && { home: project.home }),
      repositoryAt: (directory) => facts.repositoryAt(directory, isOffline),
      isDirectory: facts.isDirectory,
      testCommands: ask.testCommands,
      ...(ask.watched !== undefined && { watched: facts.watched(once(ask.watched), isOffline) }),
    });
    known.push({ ask, effects });
    return effects;
  };
}

function once<T>(look: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: look() };
    return known.value;
  };
}

function onceFor<Ask, T>(look: (ask: Ask) => T, keyOf: (ask: Ask) => string = String): (ask: Ask) => T {
  const known = new Map<string, T>();
  return (ask) => {
    const key = keyOf(ask);
    if (!known.has(key)) known.set(key, look(ask));
    return known.get(key) as T;
  };
}

/** Whether a cached fact has enough text for this question: another guard may have asked for less of it. */
function isEnough(fact: FileFact, { maxTextBytes }: FileAsk): boolean {
  if (maxTextBytes === undefined || fact.kind !== 'file') return true;
  return fact.text !== undefined && Buffer.byteLength(fact.text) >= Math.min(fact.size, maxTextBytes);
}

function readTranscript({ chunks, event }: EventContext, ask: TranscriptAsk): TranscriptFacts {
  const { host, transcriptPath: path } = event;
  const { transcriptFacts } =
    host === 'claude-code' ? chunks.part('claude-code-transcript') : chunks.host(host);
  if (path !== undefined && transcriptFacts !== undefined) return transcriptFacts(path, ask, event.raw);
  return unreadTranscript(ask, 'is not named by the event, or its format is unknown');
}

/** The answers if there is no transcript to read. */
export function unreadTranscript({ lastText, tokensFrom }: TranscriptAsk, why: string): TranscriptFacts {
  return {
    ...(lastText === true && { lastText: { kind: 'unread', why } }),
    ...(tokensFrom !== undefined && { tokens: { used: 0, until: tokensFrom } }),
  };
}

function readRefusedStops(context: EventContext, document: Context['document']): RefusedStops {
  const { event } = context;
  const none = { byGuard: {}, inRow: 0 };
  const counted = event.kind === 'turn.stop' || event.kind.startsWith('tool.');
  if (event.sessionId === '' || !counted) return none;
  const found = document(sessionRecordRef(event.sessionId));
  if (found.kind !== 'present') return none;
  const record = recordFrom(found.value, event.sessionId);
  if (event.kind !== 'turn.stop') return { byGuard: {}, inRow: record.stops?.in_row ?? 0 };
  const names = context.guards.map(({ guard }) => guard.name);
  if (isRefusedElsewhere(record, event, context.startedAt, names, Date.now())) {
    // Nobody else answers a stop that only a silent server has counted.
    return context.isUnanswered
      ? { ...refusedBefore(withoutLastRefusal(record), event), isUnanswered: true }
      : { ...none, elsewhere: true };
  }
  const refused = refusedBefore(record, event);
  return refused.inRow > 0 && toolUsedUnseen(context, record) ? { ...refused, inRow: 0 } : refused;
}

/** Tool events may not be wired to us at all; then the transcript shows whether a tool was used. */
function toolUsedUnseen({ event, chunks }: EventContext, record: SessionRecord): boolean {
  const { host, transcriptPath } = event;
  if (host !== 'claude-code' || transcriptPath === undefined || record.stops === undefined) return false;
  return chunks.toolUsedSince(transcriptPath, record.stops.held_at) === true;
}

/**
 * Where facts come from: this machine as it is now or, for a past session that we replay, its transcript.
 * Each is looked up at most once per event.
 */
export interface Facts extends Pick<WorldFacts, SharedFact> {
  /** The document again, if it has not changed since it was read. */
  unchanged(ref: DocumentRef, read: Document): Found | undefined;
  processState(pid: number, start?: string): 'alive' | 'dead';
  /** Offline, git itself is not run. */
  repositoryAt(directory: string, isOffline: boolean): ReturnType<RepositoryAt>;
  isDirectory(path: string): boolean;
  watched(files: Watched['files'], isOffline: boolean): Watched;
}

type SharedFact =
  | ('document' | 'file' | 'realPath' | 'hostProcess' | 'client' | 'ancestors' | 'answeringHooks')
  | ('refs' | 'moves' | 'isIn' | 'addsMerge' | 'defaultBranch');

/** Thrown for a fact that cannot be known, as in a past session. Other chunks recognise it by name. */
export class UnknownFact extends Error {
  override readonly name = 'UnknownFact';
}

/** Thrown if this process cannot do what the event needs. Other chunks recognise it by name. */
export class CannotHandleHere extends Error {
  override readonly name = 'LeaveEvent';
}

function machineFacts(context: EventContext): Facts {
  const { layout, chunks, git, project } = context;
  const hostProcess = (): HostProcess => findHostProcess(context.env, context.parentPid);
  return {
    document: (ref) => readDocument(layout, ref),
    unchanged: (ref, read) => findUnchanged(layout, ref, read),
    file: (ask) => readFileFact(project.root, ask),
    realPath: (path) => realPath(path),
    processState,
    hostProcess,
    client: () => {
      // The hook's pipes belong to another process.
      if (context.isServed) throw new CannotHandleHere('a server cannot tell who has sent the event');
      return chunks.part('client').clientFacts(hostProcess().pid, project.home, project.root);
    },
    ancestors: () => {
      // A client of the server could name any process.
      if (context.isServed) throw new CannotHandleHere('a server cannot tell who has started the hook');
      return chunks.part('person').ancestorsOf(context.parentPid);
    },
    answeringHooks: (tool) =>
      chunks.part('person').answeringHooks(tool, project.root, project.home, context.env),
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
    watched: (files, isOffline) => lookUpWatched(files, isOffline ? () => IGNORED : chunks.askGit),
    refs: () => git && readRefs(git, chunks.askGit),
    moves: (ref) =>
      git === undefined ? [] : lastMoves(`${ref === 'HEAD' ? git.gitDir : git.commonDir}/logs/${ref}`),
    isIn: (commit, histories) => git !== undefined && isInHistory(git.root, commit, histories, chunks.askGit),
    addsMerge: (commit, histories) =>
      Boolean(git && newestMissingCommit(git.root, commit, histories, chunks.askGit, '--min-parents=2')),
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
    const start = withPlainFile(file, constants.O_RDONLY, (fd) =>
      readAt(fd, 0, Math.min(size, maxTextBytes)),
    );
    return { ...fact, text: start.toString() };
  } catch (error) {
    return { kind: 'unreadable', why: detailOf(error) };
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
    const target = links > 0 ? attempt(() => readlinkSync(path)) : undefined;
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

const GIT_STATUS =
  '--no-optional-locks -c core.fsmonitor=false status --porcelain --ignored=matching --ignore-submodules=all'.split(
    ' ',
  );
/** Larger archives are not searched. */
const LARGEST_ARCHIVE = 16 * 1024 * 1024;

/** Facts about files that a command may reach; only the few commands that may reach them ask. */
export function lookUpWatched(files: Watched['files'], askGit: Chunks['askGit']): Watched {
  return {
    files,
    exists: existsSync,
    names: (archive, file) => {
      try {
        const stats = statSync(archive);
        // A pipe or a device may bring anything, and to read it could block us for ever.
        if (!stats.isFile()) return !stats.isDirectory();
        if (stats.size > LARGEST_ARCHIVE) return false;
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
