import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ProjectWithState } from '../../core/hook';
import { type JsonObject, objectIn } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { findMessageStore, findProject, guardConfig, loadConfig, loopOnlyProject } from '../../core/project';
import { isSameSessionName, plainId } from '../../core/text';
import {
  frameOf,
  freshnessOf,
  isLive,
  LOOP_DEFAULTS,
  type LoopConfig,
  type LoopState,
  ownerOf,
  parseState,
  stateFrom,
  ttlOf,
} from '../../guards/loop/state';
import {
  fallbackFiles,
  heartbeatIn,
  LIVE_FILE,
  ownTopic,
  parseFallback,
  sharedTopic,
  topicIn,
} from '../../guards/loop/store';
import { SWITCH, switchDirs } from '../../guards/loop/task-files';
import { presentValue } from '../../guards/requirements/view';
import {
  type Change,
  type DocumentRef,
  documentFile,
  findDocument,
  isKept,
  readDocument,
  type TopicMessage,
} from '../../state/documents';
import type { Lock } from '../../state/files';
import { applyChanges } from '../../state/update';
import { type Context, cannotRun, type ExitCode, Refusal, report } from '../context';
import { journalCommand, underLock } from '../req/context';
import { namedSession, refuseUnknownSession } from '../req/find-session';

/** Where the loops of a project are kept, and what its config says about them. */
export type LoopPlace = ReturnType<typeof placeIn>;

/**
 * The place for a command's loops. Refuses if there is none, if --session is empty, and, unless the command may start
 * a loop (`mayBegin`), if nothing here knows the session.
 */
export function requireLoopPlace(
  context: Context,
  command: string,
  session: string | undefined,
  mayBegin = false,
): LoopPlace {
  const { cwd, env } = context;
  if (session?.trim() === '')
    throw cannotRun(`holdpoint loop ${command}: --session needs the id of a session.`);
  const above = findProject(cwd, env);
  const project = above?.layout === undefined ? loopOnlyProject({ kind: 'turn.stop', cwd }, env) : above;
  if (project?.layout === undefined) throw noPlace();
  const place = placeIn({ ...context, ...project, layout: project.layout });
  if (session !== undefined && !mayBegin)
    refuseUnknownSession(namedSession(session, place), place, `holdpoint loop ${command}`);
  return place;
}

export function noPlace(): Refusal {
  return cannotRun(
    `A loop cannot be stored here: there is no git repository, no .holdpoint/ and no message store.
Change to a repository, or create .holdpoint/ in the project's root.`,
  );
}

/** The place in a known project. Message stores and loop files are searched from `cwd` upwards. */
export function placeIn(project: ProjectWithState & Context, compiled = loadConfig(project, project.chunks)) {
  const { layout, cwd, env } = project;
  const messages = findMessageStore(cwd, env);
  const config = guardConfig(compiled, 'loop') as LoopConfig | undefined;
  const stores = { ...layout, ...(messages !== undefined && { messages }) };
  return { ...project, layout: stores, config: config ?? LOOP_DEFAULTS };
}

export type LoopStatus = 'active' | 'paused' | 'stale' | 'ended';

/** The newest state of a session, or of no session. */
export interface Loop {
  readonly state: LoopState;
  readonly status: LoopStatus;
  /** The file or setting that switches loops off, if one does. */
  readonly off?: string | undefined;
  /** The last sign of life, in milliseconds since the epoch. */
  readonly heartbeat: number | undefined;
  /** Where it was found. */
  readonly ref: DocumentRef;
  readonly file: string;
}

export function isOpen({ status }: Loop): boolean {
  return status !== 'ended';
}

/** A file or message that should be a state but cannot be read as one. */
interface UnreadableLoop {
  readonly ref: DocumentRef;
  readonly file: string;
  readonly why: string;
  readonly owner?: string | undefined;
}

/** The message about a file that cannot be read as a loop. */
export function unclearState({ file, why }: Pick<UnreadableLoop, 'file' | 'why'>): string {
  return `${file} ${why}, so it shows no loop.`;
}

export interface Loops {
  /** One for each session, the newest first. */
  readonly known: readonly Loop[];
  readonly unclear: readonly UnreadableLoop[];
  /** Where to write a new state; undefined while the existing ones cannot be read. */
  readonly home?: DocumentRef;
}

/** How many messages to search; a session with only older ones is not found. */
const MAX_MESSAGES = 5000;

const [SHARED, OWN] = [sharedTopic(''), ownTopic('')];

/** Reads the loops from the message store, our own log, or the loop file. */
export function readLoops(place: LoopPlace, now: number): Loops {
  const { layout } = place;
  const { ref, topic, trouble, newestFirst, hasStore } = loopHistory(place, MAX_MESSAGES);
  if (trouble !== undefined) return { known: [], unclear: [{ ref, ...trouble }] };
  const loops = topic?.known ? newestOfEach(newestFirst, ref, place, now) : loopInFile(place, now);
  if (ref === SHARED) return { ...loops, home: ref };
  // A topic in the store takes precedence over our own log, so create none while a loop in the log is open.
  const mayMove = hasStore && (!topic?.known || !loops.known.some(isOpen));
  const belongsInStore = layout.messages !== undefined && (mayMove || !isKept(layout, 'own'));
  return { ...loops, home: belongsInStore ? SHARED : OWN };
}

/** The newest messages about loops: from the message store if it has the topic, else from our own log. */
export function loopHistory({ layout }: LoopPlace, most: number) {
  const read = (ref: DocumentRef, asked: DocumentRef) => {
    // Unlike `readDocument`, this also tells of a link that leads nowhere.
    const found = findDocument(layout, asked);
    const topic = found.kind === 'present' ? topicIn(found.value) : undefined;
    const trouble = found.kind === 'unreadable' ? { file: found.path, why: found.why } : undefined;
    return { ref, topic, trouble, newestFirst: topic?.messages.toReversed() ?? [] };
  };
  const stored = read(SHARED, sharedTopic('', { most }));
  const isInStore = stored.topic?.known === true || stored.trouble !== undefined;
  const found = isInStore ? stored : read(OWN, ownTopic('', { most }));
  return { ...found, hasStore: stored.topic !== undefined };
}

function newestOfEach(newestFirst: readonly TopicMessage[], ref: DocumentRef, place: LoopPlace, now: number) {
  const toLoop = loopReader(ref, place, now);
  const file = documentFile(place.layout, ref);
  const seen = new Set<string | undefined>();
  const [known, unclear]: [Loop[], UnreadableLoop[]] = [[], []];
  for (const { body } of newestFirst) {
    const parsed = parseState(body);
    const owner = parsed.kind === 'state' ? parsed.state.sessionId : ownerOf(body);
    const key = owner && plainId(owner);
    if (seen.has(key)) continue;
    // Since a newer state without a session, every session follows that one.
    const isReplaced = seen.has(undefined);
    seen.add(key);
    if (parsed.kind === 'state') {
      const loop = toLoop(parsed.state);
      known.push(isReplaced && loop.status === 'active' ? { ...loop, status: 'ended' } : loop);
    } else unclear.push({ ref, file, why: `has a newest loop message that ${parsed.why}`, owner });
  }
  return { known, unclear };
}

/** The loop in the nearest loop file, for projects without a topic. */
function loopInFile(place: LoopPlace, now: number): Loops {
  for (const ref of fallbackFiles(place.root, place.cwd)) {
    const document = readDocument(place.layout, ref);
    if (document.kind === 'missing') continue;
    const envelope = document.kind === 'present' ? parseFallback(String(document.value)) : undefined;
    const parsed = envelope && stateFrom(envelope);
    if (parsed?.kind === 'state') return { known: [loopReader(ref, place, now)(parsed.state)], unclear: [] };
    const why = document.kind === 'unreadable' ? document.why : (parsed?.why ?? 'has no front matter');
    return { known: [], unclear: [{ ref, file: documentFile(place.layout, ref), why }] };
  }
  return { known: [], unclear: [] };
}

function loopReader(ref: DocumentRef, { layout, config }: LoopPlace, now: number) {
  const file = documentFile(layout, ref);
  const dirs = switchDirs(ref.base === 'project' ? undefined : dirname(file), layout.root);
  const switchFile = dirs.map((dir) => `${dir}/${SWITCH}`).find((path) => existsSync(path));
  const live = presentValue(readDocument(layout, LIVE_FILE));
  const sessions = objectIn(live, 'sessions');
  return (state: LoopState): Loop => {
    // A loop without a session lives as long as any session does.
    const ids = state.sessionId === undefined ? Object.keys(sessions) : [state.sessionId];
    const beats = ids.flatMap((id) => heartbeatIn(live, id)?.heartbeat ?? []);
    const heartbeat = beats.length === 0 ? undefined : Math.max(...beats);
    const ttl = ttlOf(frameOf(state.stack.at(-1), config.maxIterations), config);
    const life = freshnessOf(state, ttl, now, heartbeat).kind === 'fresh' ? 'active' : 'stale';
    const status = !isLive(state) ? 'ended' : state.paused !== undefined ? 'paused' : life;
    const off = state.disabled ? 'config.disabled in its state' : switchFile;
    return { state, status, off: status === 'active' ? off : undefined, heartbeat, ref, file };
  };
}

/** The loop that a session drives: its own or one without a session, whichever is newer. */
export function loopOf({ known }: Loops, sessionId: string): Loop | undefined {
  return known.find(
    ({ state }) => state.sessionId === undefined || isSameSessionName(state.sessionId, sessionId),
  );
}

/** The full id of a session that has a loop; else the id as given. */
export function fullSessionId({ known }: Loops, asked: string): string {
  const owners = known.flatMap(({ state }) => state.sessionId ?? []);
  return owners.find((owner) => isSameSessionName(owner, asked)) ?? asked;
}

/** What a command does to the loops, and what it prints. */
interface Plan {
  /** Applied one by one, until one fails. */
  readonly changes: readonly Change[];
  /** Applied last; failures are ignored. */
  readonly also: readonly Change[];
  /** For the journal. */
  readonly session: string;
  readonly json: JsonObject;
  readonly lines: readonly string[];
}

/** Makes a plan from what was read under the lock. If it throws a refusal, nothing is changed. */
type Planner = (loops: Loops & { readonly home: DocumentRef }, now: number) => Plan;

/** Changes the loops under the lock and prints what was done. */
export function changeLoops(command: string, place: LoopPlace, planner: Planner): ExitCode {
  const { plan, written } = underLock(place.layout, 'Nothing was changed', (lock) =>
    carryOut(planner, place, lock),
  );
  // The task's text stays out of the journal.
  const { session } = plan;
  if (written.length > 0) journalCommand(place, `loop ${command}`, written, { session });
  return report(place, plan.json, plan.lines);
}

function carryOut(planner: Planner, place: LoopPlace, lock: Lock): { plan: Plan; written: string[] } {
  const { layout } = place;
  const now = Date.now();
  const { home, ...loops } = readLoops(place, now);
  if (home === undefined)
    throw new Refusal(`Nothing was changed: ${loops.unclear.map(unclearState).join('\n')}`);
  const plan = planner({ ...loops, home }, now);
  const hasPlace = ({ document }: Change): boolean => isKept(layout, document.base);
  const apply = (changes: readonly Change[]) => applyChanges(layout, lock, changes.filter(hasPlace));
  const written: string[] = [];
  for (const change of plan.changes) {
    const made = apply([change]);
    const [failed] = made.failures;
    if (failed !== undefined) {
      const what = written.length > 0 ? 'Not everything could be done' : 'Nothing was changed';
      throw new Refusal(`${what}: ${sentenceOf(failed.failure)}`);
    }
    written.push(...made.written);
  }
  return { plan, written: [...written, ...apply(plan.also).written] };
}
