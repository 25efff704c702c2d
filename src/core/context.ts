import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { findHostProcess, processState } from '../exec/processes';
import { type GitHead, remoteDefault, repositoryAt, repositoryOf } from '../git/head';
import { lastMoves, readRefs } from '../git/refs';
import { readSettings } from '../git/settings';
import type { Watched } from '../shell/scope';
import {
  type Document,
  type DocumentRef,
  documentKey,
  type Found,
  findUnchanged,
  type Layout,
  readDocument,
} from '../state/documents';
import { REGISTRY, sessionsIn } from '../state/sessions';
import type { Fresh } from '../state/update';
import type { Chunks } from './chunks';
import type { Effects } from './command-effects';
import type { Event } from './event';
import { detailOf, type Failure } from './failure';
import type {
  ClientFacts,
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
} from './guard';
import type { Json } from './json';
import type { Project } from './project';
import { isRefusedElsewhere, recordFrom, refusedBefore, type SessionRecord } from './refused-stops';
import type { GuardName } from './selection';
import { sessionRecordRef } from './text';

/** A guard that is concerned by the event, with its own part of the config. */
export interface ActiveGuard {
  readonly guard: Guard;
  readonly config: Json;
  readonly onError: 'allow' | 'hold';
  /** Why it cannot speak, where it could not be loaded. */
  readonly failure?: Failure;
}

/** Everything that stays the same while one event is handled. */
export interface EventContext {
  readonly event: Event;
  readonly project: Project;
  /** Set where the project is not the one of the event's directory. */
  readonly elsewhere?: true;
  readonly git: GitHead | undefined;
  readonly layout: Layout;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly chunks: Chunks;
  readonly guards: readonly ActiveGuard[];
  /** Rules named one by one on the command line. */
  readonly rules: readonly string[];
  readonly gauntletCompat: boolean;
  /** What is wrong with the config, ready to be shown. */
  readonly problems: readonly string[];
  /** What the person has to hear now, whatever becomes of the event. */
  readonly news: readonly string[];
  readonly stopLimit: number;
  /** When the process that the host started for this event began, where that is known. */
  startedAt(): number | undefined;
  readonly parentPid: number;
  /** Whether a server answers in the place of the hook's own process. */
  readonly isServed: boolean;
  /** The environment of what the event runs; `undefined` where it cannot be known. */
  effectEnv(): Readonly<Record<string, string | undefined>> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly id: string;
  readonly tape?: Tape;
}

/** Hears what an event is decided on, so that it can be decided again elsewhere; or answers from what was heard. */
export interface Tape {
  /** The world as the guards are to see it. */
  look(open: () => World): World;
  readonly chunks?: Chunks;
  /** What an effect returned. */
  ran?(guard: GuardName, effect: string, result: Json): void;
  /** Nothing of this machine counts: neither its sessions nor its files. */
  readonly isReplay?: true;
}

/** The part of a guard's context that is about the world. */
export type World = Pick<
  Context,
  | 'refusedStops'
  | 'env'
  | 'document'
  | 'file'
  | 'realPath'
  | 'sessions'
  | 'hostProcess'
  | 'client'
  | 'ancestors'
  | 'answeringHooks'
  | 'commandLines'
  | 'commands'
  | 'linesOutsideCode'
  | 'part'
  | 'effects'
  | 'refs'
  | 'moves'
  | 'defaultBranch'
  | 'transcript'
> & {
  /** The documents that were read, as they are now; `undefined` if one has changed since. */
  unmoved(): Fresh | undefined;
  /** The documents that were read so far. */
  read(): readonly { readonly ref: DocumentRef; readonly document: Document }[];
};

/** Thrown where this process cannot do what the event needs. By its name, since chunks have classes of their own. */
export class LeaveEvent extends Error {
  override readonly name = 'LeaveEvent';
}

/** Looks at the world for one event, and at everything only once. */
export function openWorld(scene: EventContext): World {
  const { event, layout, chunks, git, project } = scene;
  const documents = new Map<string, { readonly ref: DocumentRef; readonly document: Document }>();
  const files = new Map<string, FileFact>();
  const document = (ref: DocumentRef): Document => {
    const key = documentKey(ref);
    const known = documents.get(key);
    if (known !== undefined) return known.document;
    const read = readDocument(layout, ref);
    documents.set(key, { ref, document: read });
    return read;
  };
  const hostProcess = once((): HostProcess => findHostProcess(scene.env, scene.parentPid));
  return {
    refusedStops: readRefusedStops(scene, document),
    env: (name) => scene.env[name] ?? '',
    document,
    file: (ask) => {
      const known = files.get(ask.path);
      if (known !== undefined && isEnough(known, ask)) return known;
      const fact = readFileFact(project.root, ask);
      files.set(ask.path, fact);
      return fact;
    },
    realPath: onceFor((path: string) => realPath(path)),
    sessions: once((): readonly LiveSession[] => {
      const registry = document(REGISTRY);
      return sessionsIn(registry.kind === 'present' ? registry.value : undefined, event.at, processState);
    }),
    hostProcess,
    client: once((): ClientFacts => {
      // The pipes of the hook are those of another process.
      if (scene.isServed) throw new LeaveEvent('a server cannot tell who has sent the event');
      return chunks.clientFacts(hostProcess().pid, project.home, project.root);
    }),
    ancestors: once(() => {
      // Whoever speaks to the server can name any process.
      if (scene.isServed) throw new LeaveEvent('a server cannot tell who has started the hook');
      return chunks.ancestorsOf(scene.parentPid);
    }),
    answeringHooks: onceFor((tool: string) =>
      chunks.answeringHooks(tool, project.root, project.home, scene.env),
    ),
    commandLines: onceFor((text: string) => chunks.commandLines(text, event.cwd)),
    commands: onceFor((text: string) => chunks.commandsOf(text, event.cwd)),
    effects: effectsIn(scene),
    refs: once(() => git && readRefs(git, chunks.askGit)),
    moves: (ref) =>
      git === undefined ? [] : lastMoves(`${ref === 'HEAD' ? git.gitDir : git.commonDir}/logs/${ref}`),
    linesOutsideCode: chunks.linesOutsideCode,
    part: chunks.part,
    defaultBranch: once(() => git && remoteDefault(git, chunks.askGit)),
    transcript: onceFor((ask: TranscriptAsk) => readTranscript(scene, ask), JSON.stringify),
    unmoved: () => {
      const fresh = new Map<string, Found>();
      for (const [key, { ref, document: read }] of documents) {
        const found = findUnchanged(layout, ref, read);
        if (found === undefined) return undefined;
        fresh.set(key, found);
      }
      return fresh;
    },
    read: () => [...documents.values()],
  };
}

function effectsIn({ event, project, chunks, git }: EventContext): Context['effects'] {
  const known: { readonly ask: EffectsAsk; readonly effects: Effects }[] = [];
  return (ask) => {
    // Who asks for less can do with what was found for somebody else: files to watch and tests only add to it.
    const isLess = ask.watched === undefined && ask.testCommands.length === 0;
    const isEnough = (one: EffectsAsk): boolean =>
      one.command === ask.command && isLess && (ask.offline === true || one.offline === undefined);
    const found = known.find((one) => isEnough(one.ask) || JSON.stringify(one.ask) === JSON.stringify(ask));
    if (found !== undefined) return found.effects;
    const repository = (directory: string) => {
      const fact =
        directory === git?.root ? repositoryOf(git, chunks.askGit) : repositoryAt(directory, chunks.askGit);
      if (ask.offline === undefined) return fact;
      const { ask: _git, ...rest } = fact;
      return { ...rest, settings: () => readSettings(fact.commonDir, project.home) };
    };
    const effects = chunks.effectsOf(ask.command, {
      cwd: event.cwd === '' ? project.root : event.cwd,
      ...(project.home !== '' && { home: project.home }),
      repositoryAt: repository,
      isDirectory: (path) => existsSync(`${path}/.`),
      testCommands: ask.testCommands.map((line) => line.trim().split(/\s+/)),
      ...(ask.watched !== undefined && {
        watched: watching(ask.watched, ask.offline ? () => IGNORED : chunks.askGit),
      }),
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

/** Whether what is known of a file answers this question too: another guard may have asked for less of it. */
function isEnough(fact: FileFact, { maxTextBytes }: FileAsk): boolean {
  if (maxTextBytes === undefined || fact.kind !== 'file') return true;
  return fact.text !== undefined && Buffer.byteLength(fact.text) >= Math.min(fact.size, maxTextBytes);
}

/** Reads what a guard wants to know of a file, and never more of its text than it asked for. */
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
  const start = Buffer.alloc(bytes);
  const fd = openSync(file, 'r');
  try {
    return start.toString('utf8', 0, readSync(fd, start, 0, bytes, 0));
  } finally {
    closeSync(fd);
  }
}

/** As many links may follow each other, and a path be as long, as Linux allows. */
const MOST_LINKS = 40;
export const LONGEST_PATH = 4096;

/** The nearest directory that is there has its links resolved, and so has a link to what is not there yet. */
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

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

const GIT_STATUS =
  '--no-optional-locks -c core.fsmonitor=false status --porcelain --ignored=matching --ignore-submodules=all'.split(
    ' ',
  );
/** Larger archives are not looked into. */
const LARGEST_ARCHIVE = 16 * 1024 * 1024;

/** What can be told of files that a command may reach; asked only by the few commands that may. */
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

/** What git says of a file that it ignores, and that formatters and most sweeps leave alone therefore. */
const IGNORED = '!!';

const UNNAMED = {
  kind: 'unread',
  why: 'is not named by the event, or its format is unknown',
} as const;

function readTranscript({ chunks, event }: EventContext, ask: TranscriptAsk): TranscriptFacts {
  const { host, transcriptPath: path } = event;
  const read = host === 'claude-code' ? chunks.transcriptFacts : chunks.host(host).transcriptFacts;
  if (path !== undefined && read !== undefined) return read(path, ask, event.raw);
  return {
    ...(ask.lastText === true && { lastText: UNNAMED }),
    ...(ask.tokensFrom !== undefined && { tokens: { used: 0, until: ask.tokensFrom } }),
  };
}

export function readRefusedStops(scene: EventContext, document: Context['document']): RefusedStops {
  const { event } = scene;
  const none = { byGuard: {}, inRow: 0 };
  const counted = event.kind === 'turn.stop' || event.kind.startsWith('tool.');
  if (event.sessionId === '' || !counted) return none;
  const found = document(sessionRecordRef(event.sessionId));
  if (found.kind !== 'present') return none;
  const record = recordFrom(found.value, event.sessionId);
  if (event.kind !== 'turn.stop') return { byGuard: {}, inRow: record.stops?.inRow ?? 0 };
  const names = scene.guards.map(({ guard }) => guard.name);
  if (isRefusedElsewhere(record, event, scene.startedAt, names)) return { ...none, elsewhere: true };
  const refused = refusedBefore(record, event);
  return refused.inRow > 0 && toolUsedUnseen(scene, record) ? { ...refused, inRow: 0 } : refused;
}

/** Tool events may not be wired to us at all; the transcript then tells that a tool was used. */
function toolUsedUnseen({ event, chunks }: EventContext, record: SessionRecord): boolean {
  const { host, transcriptPath } = event;
  if (host !== 'claude-code' || transcriptPath === undefined || record.stops === undefined) return false;
  return chunks.toolUsedSince(transcriptPath, record.stops.heldAt) === true;
}
