import { beganAt, findHostProcess, processState } from '../exec/processes';
import { type Found, findUnchanged, readDocument } from '../state/documents';
import { REGISTRY, sessionsIn } from '../state/sessions';
import type { Fresh } from '../state/update';
import { commandFacts } from './command-facts';
import type { Document, DocumentRef } from './document';
import { documentKey } from './document';
import { readFileFact } from './file-facts';
import { joinedNeeds } from './joined-needs';
import { isRefusedElsewhere, refusedBefore } from './refused-stops';
import type { Scene } from './scene';
import { sessionRecordRef } from './session-file';
import type { SessionRecord } from './session-record';
import { recordFrom } from './session-record';
import type { FileAsk, FileFact, HostProcess, LiveSession, Needs, RefusedStops, Snapshot } from './snapshot';
import { documentIn } from './snapshot';
import { readTranscript } from './transcript';

/** A snapshot with the documents it was taken from, so that a later change to one of them is noticed. */
export interface Reading {
  readonly snapshot: Snapshot;
  readonly refs: readonly DocumentRef[];
}

/** A process that had waited for longer before it became ours was kept ready for any event. */
const LONGEST_ASKING_MS = 2000;

/** A guard may learn from one document that it needs another, but not for ever. */
const ROUNDS = 4;

/** Reads what the guards ask for, round by round, and nothing else. */
export function takeSnapshot(scene: Scene, ask: (known: Snapshot) => readonly Needs[]): Reading {
  const refs = new Map<string, DocumentRef>();
  let snapshot = emptySnapshot(scene, refs);
  for (let round = 0; round < ROUNDS; round++) {
    const needs = ask(snapshot);
    if (needs.every(asksNothing)) break;
    const next = extend(scene, snapshot, refs, joinedNeeds(needs));
    if (next === snapshot) break;
    snapshot = next;
  }
  return { snapshot, refs: [...refs.values()] };
}

function asksNothing(needs: Needs): boolean {
  for (const _ in needs) return false;
  return true;
}

/** The documents of the reading as they are now, or `undefined` if one has changed since. */
export function findUnmoved(scene: Scene, { snapshot, refs }: Reading): Fresh | undefined {
  const fresh = new Map<string, Found>();
  for (const ref of refs) {
    const found = findUnchanged(scene.layout, ref, documentIn(snapshot, ref));
    if (found === undefined) return undefined;
    fresh.set(documentKey(ref), found);
  }
  return fresh;
}

function emptySnapshot(scene: Scene, refs: Map<string, DocumentRef>): Snapshot {
  const { project, event } = scene;
  const documents = new Map<string, Document>();
  return {
    projectRoot: project.root,
    home: project.home,
    git: scene.git,
    env: {},
    documents,
    files: new Map(),
    sessions: [],
    hostProcess: { pid: 0 },
    pid: process.pid,
    refusedStops: readRefusedStops(scene, documents, refs),
    stopLimit: scene.stopLimit,
    // Last: V8 makes anew the shapes of an object from the first number on that is no small integer.
    now: event.at,
  };
}

function extend(scene: Scene, snapshot: Snapshot, refs: Map<string, DocumentRef>, needs: Needs): Snapshot {
  const documents = new Map(snapshot.documents);
  const env = { ...snapshot.env };
  const wantsSessions = needs.sessions === true;
  for (const ref of needs.documents ?? []) readInto(scene, documents, refs, ref);
  if (wantsSessions) readInto(scene, documents, refs, REGISTRY);
  for (const name of needs.env ?? []) env[name] ??= scene.env[name] ?? '';
  const grown: Snapshot = {
    ...snapshot,
    documents,
    env,
    ...(needs.files && { files: readFiles(scene, snapshot.files, needs.files) }),
    ...((needs.command ?? needs.effects) !== undefined && commandFacts(scene, snapshot, needs)),
    ...(needs.transcript && readTranscript(scene, snapshot, needs.transcript)),
  };
  const wantsMore =
    grown.files !== snapshot.files ||
    grown.commandLines !== snapshot.commandLines ||
    grown.effects !== snapshot.effects ||
    grown.transcript !== snapshot.transcript ||
    (wantsSessions && snapshot.hostProcess.pid === 0);
  if (!wantsMore && sizeOf(grown) === sizeOf(snapshot)) return snapshot;
  return wantsSessions ? { ...grown, ...sessionFacts(scene, documents) } : grown;
}

/** The same map where all of it is known. Of a file that is asked about twice the longer look counts. */
function readFiles(scene: Scene, known: Snapshot['files'], asks: readonly FileAsk[]): Snapshot['files'] {
  const unread = asks.filter((ask) => !isEnough(known.get(ask.path), ask));
  if (unread.length === 0) return known;
  const files = new Map(known);
  if (unread.length > 1) unread.sort((a, b) => (a.maxTextBytes ?? 0) - (b.maxTextBytes ?? 0));
  for (const ask of unread) files.set(ask.path, readFileFact(scene.project.root, ask));
  return files;
}

function sizeOf({ documents, env }: Snapshot): number {
  return documents.size + Object.keys(env).length;
}

/** Whether what is known of a file answers this question too: another guard may have asked for less of it. */
function isEnough(fact: FileFact | undefined, { maxTextBytes }: FileAsk): boolean {
  if (maxTextBytes === undefined || fact?.kind !== 'file') return fact !== undefined;
  return fact.text !== undefined && Buffer.byteLength(fact.text) >= Math.min(fact.size, maxTextBytes);
}

function readInto(
  scene: Scene,
  documents: Map<string, Document>,
  refs: Map<string, DocumentRef>,
  ref: DocumentRef,
): Document {
  const key = documentKey(ref);
  const document = documents.get(key) ?? readDocument(scene.layout, ref);
  documents.set(key, document);
  refs.set(key, ref);
  return document;
}

function sessionFacts(
  scene: Scene,
  documents: ReadonlyMap<string, Document>,
): { sessions: readonly LiveSession[]; hostProcess: HostProcess } {
  const registry = documents.get(documentKey(REGISTRY));
  const value = registry?.kind === 'present' ? registry.value : undefined;
  return {
    sessions: sessionsIn(value, scene.event.at, processState),
    hostProcess: findHostProcess(scene.env, scene.parentPid),
  };
}

function readRefusedStops(
  scene: Scene,
  documents: Map<string, Document>,
  refs: Map<string, DocumentRef>,
): RefusedStops {
  const { event } = scene;
  const none = { byGuard: {}, inRow: 0 };
  const counted = event.kind === 'turn.stop' || event.kind.startsWith('tool.');
  if (event.sessionId === '' || !counted) return none;
  const document = readInto(scene, documents, refs, sessionRecordRef(event.sessionId));
  if (document.kind !== 'present') return none;
  const record = recordFrom(document.value, event.sessionId);
  if (event.kind !== 'turn.stop') return { byGuard: {}, inRow: record.stops?.inRow ?? 0 };
  const names = scene.guards.map(({ guard }) => guard.name);
  if (isRefusedElsewhere(record, event, () => startOf(scene), names)) {
    return { ...none, elsewhere: true };
  }
  const refused = refusedBefore(record, event);
  return refused.inRow > 0 && toolUsedUnseen(scene, record) ? { ...refused, inRow: 0 } : refused;
}

/** The shell that has become this process may have asked a server first; what it was started for began with it. */
function startOf({ startedAt, stead }: Scene): number | undefined {
  if (startedAt === undefined || stead !== undefined) return startedAt;
  const began = beganAt(process.pid) ?? startedAt;
  return startedAt - began > LONGEST_ASKING_MS ? startedAt : Math.min(startedAt, began);
}

/** Tool events may not be wired to us at all; the transcript then tells that a tool was used. */
function toolUsedUnseen(scene: Scene, record: SessionRecord): boolean {
  const { host, transcriptPath } = scene.event;
  if (host !== 'claude-code' || transcriptPath === undefined || record.stops === undefined) return false;
  return scene.chunks.toolUsedSince(transcriptPath, record.stops.heldAt) === true;
}
