import type { GitHead } from '../git/head';
import { type Document, type DocumentRef, documentKey, type Found, type Layout } from '../state/documents';
import { REGISTRY, sessionsIn } from '../state/sessions';
import type { Fresh } from '../state/update';
import type { Chunks } from './chunks';
import type { Effects } from './command-effects';
import type { Event } from './event';
import { type Facts, machineFacts } from './facts';
import type { Failure } from './failure';
import type {
  Context,
  EffectsAsk,
  FileAsk,
  FileFact,
  Guard,
  LiveSession,
  RefusedStops,
  TranscriptAsk,
  TranscriptFacts,
  WorldFacts,
} from './guard';
import type { Json } from './json';
import type { Project } from './project';
import { isRefusedElsewhere, recordFrom, refusedBefore, type SessionRecord } from './refused-stops';
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
  readonly project: Project;
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
  look(open: () => World): World;
  readonly chunks?: Chunks;
  /** Records the result of an effect under its `runKey`. */
  ran?(key: string, result: Json): void;
  /** In a replay nothing of this machine counts: neither its sessions nor its files. */
  readonly isReplay?: true;
}

export interface World extends WorldFacts {
  /** The current versions of the documents that were read; `undefined` if one has changed since. */
  unmoved(): Fresh | undefined;
  read(): readonly { readonly ref: DocumentRef; readonly document: Document }[];
}

/** Reads the world for one event; every fact is looked up only once. */
export function openWorld(scene: EventContext): World {
  const { event, chunks } = scene;
  const facts = scene.past ?? machineFacts(scene);
  const documents = new Map<string, { readonly ref: DocumentRef; readonly document: Document }>();
  const files = new Map<string, FileFact>();
  const commandsIn = onceFor((cwd: string) => onceFor((text: string) => chunks.commandsOf(text, cwd)));
  const document = (ref: DocumentRef): Document => {
    const key = documentKey(ref);
    const known = documents.get(key);
    if (known !== undefined) return known.document;
    const read = facts.document(ref);
    documents.set(key, { ref, document: read });
    return read;
  };
  return {
    refusedStops: readRefusedStops(scene, document),
    env: (name) => scene.env[name] ?? '',
    document,
    file: (ask) => {
      // For a past session, another question about the same file may have another answer.
      const key = `${ask.within ?? ''}\0${ask.path}`;
      const known = scene.past === undefined ? files.get(key) : undefined;
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
    commandLines: onceFor((text: string) => chunks.commandLines(text, event.cwd)),
    commands: (text, cwd = event.cwd) => commandsIn(cwd)(text),
    effects: effectsIn(scene, facts),
    refs: once(facts.refs),
    moves: facts.moves,
    isIn: facts.isIn,
    addsMerge: facts.addsMerge,
    linesOutsideCode: chunks.linesOutsideCode,
    part: chunks.part,
    compile: chunks.compile,
    defaultBranch: once(facts.defaultBranch),
    transcript: onceFor((ask: TranscriptAsk) => readTranscript(scene, ask), JSON.stringify),
    unmoved: () => {
      const fresh = new Map<string, Found>();
      for (const [key, { ref, document: read }] of documents) {
        const found = facts.unmoved(ref, read);
        if (found === undefined) return undefined;
        fresh.set(key, found);
      }
      return fresh;
    },
    read: () => [...documents.values()],
  };
}

function effectsIn({ event, project, chunks }: EventContext, facts: Facts): Context['effects'] {
  const known: { readonly ask: EffectsAsk; readonly effects: Effects }[] = [];
  return (ask) => {
    // An answer to a wider question will do: watched files and test commands only add to it.
    const isLess = ask.watched === undefined && ask.testCommands.length === 0;
    const isEnough = (one: EffectsAsk): boolean =>
      one.command === ask.command && isLess && (ask.offline === true || one.offline === undefined);
    const found = known.find((one) => isEnough(one.ask) || JSON.stringify(one.ask) === JSON.stringify(ask));
    if (found !== undefined) return found.effects;
    const isOffline = ask.offline === true;
    const find = (): Effects =>
      chunks.effectsOf(ask.command, {
        cwd: event.cwd === '' ? project.root : event.cwd,
        ...(project.home !== '' && { home: project.home }),
        repositoryAt: (directory) => facts.repositoryAt(directory, isOffline),
        isDirectory: facts.isDirectory,
        testCommands: ask.testCommands.map((line) => line.trim().split(/\s+/)),
        ...(ask.watched !== undefined && { watched: facts.watched(ask.watched, isOffline) }),
      });
    const effects = facts.effects?.(ask, find) ?? find();
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

function readRefusedStops(scene: EventContext, document: Context['document']): RefusedStops {
  const { event } = scene;
  const none = { byGuard: {}, inRow: 0 };
  const counted = event.kind === 'turn.stop' || event.kind.startsWith('tool.');
  if (event.sessionId === '' || !counted) return none;
  const found = document(sessionRecordRef(event.sessionId));
  if (found.kind !== 'present') return none;
  const record = recordFrom(found.value, event.sessionId);
  if (event.kind !== 'turn.stop') return { byGuard: {}, inRow: record.stops?.inRow ?? 0 };
  const names = scene.guards.map(({ guard }) => guard.name);
  if (isRefusedElsewhere(record, event, scene.startedAt, names, Date.now()))
    return { ...none, elsewhere: true };
  const refused = refusedBefore(record, event);
  return refused.inRow > 0 && toolUsedUnseen(scene, record) ? { ...refused, inRow: 0 } : refused;
}

/** Tool events may not be wired to us at all; then the transcript shows whether a tool was used. */
function toolUsedUnseen({ event, chunks }: EventContext, record: SessionRecord): boolean {
  const { host, transcriptPath } = event;
  if (host !== 'claude-code' || transcriptPath === undefined || record.stops === undefined) return false;
  return chunks.toolUsedSince(transcriptPath, record.stops.heldAt) === true;
}
