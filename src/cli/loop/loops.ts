import type { DocumentRef, TopicMessage } from '../../core/document';
import { sessionKey } from '../../core/session-key';
import { type LoopState, ownerOf, type ParsedState, parseState, stateFrom } from '../../guards/loop/state';
import { fallbackFiles, ownTopic, parseFallback, sharedTopic } from '../../guards/loop/store';
import { readDocument, topicHistory } from '../../state/documents';
import { documentFile, isKept } from '../../state/layout';
import { heartbeatOf } from './heartbeat';
import type { LoopPlace } from './place';
import { type Standing, standingOf } from './standing';

/** The newest state of one session, or of none. */
export interface Loop {
  readonly state: LoopState;
  readonly standing: Standing;
  /** The last sign of life, in milliseconds since the epoch. */
  readonly heartbeat?: number;
  /** Where it was found. */
  readonly ref: DocumentRef;
  readonly file: string;
}

/** What stands where a state should be, but is none. */
export interface Unclear {
  readonly ref: DocumentRef;
  readonly file: string;
  readonly why: string;
  readonly owner?: string;
}

/** All loops of a project as they stand. */
export interface Loops {
  /** One a session, the newest first. */
  readonly known: readonly Loop[];
  readonly unclear: readonly Unclear[];
  /** Where a new state belongs; absent while what is there cannot be read. */
  readonly home?: DocumentRef;
}

/** The same, with a place for a new state. */
export type ReadableLoops = Loops & { readonly home: DocumentRef };

/** Sessions that said nothing in this many messages are not looked for. */
const FAR_BACK = 5000;
const EVERYBODY = '';

export function readLoops(place: LoopPlace, now: number): Loops {
  const { layout } = place;
  const [shared, own] = [sharedTopic(EVERYBODY), ownTopic(EVERYBODY)];
  const inStore = topicHistory(layout, shared, FAR_BACK);
  if (inStore.kind === 'unreadable') return unreadable(shared, inStore);
  if (inStore.kind === 'read' && inStore.known)
    return { ...newestOfEach(inStore.newestFirst, shared, place, now), home: shared };
  const inLog = topicHistory(layout, own, FAR_BACK);
  if (inLog.kind === 'unreadable') return unreadable(own, inLog);
  const known = inLog.kind === 'read' && inLog.known;
  const loops = known ? newestOfEach(inLog.newestFirst, own, place, now) : fallbackLoop(place, now);
  // The topic in the store silences our own log, so it is not begun there while the log has something to say.
  const mayMove = !known || loops.known.every(({ standing }) => standing === 'ended');
  const hasStore = layout.messages !== undefined;
  const belongsInStore = hasStore && (!isKept(layout, 'own') || (inStore.kind === 'read' && mayMove));
  return { ...loops, home: belongsInStore ? shared : own };
}

/** The loop that a session drives: its own or nobody's, whichever is newer. */
export function loopOf({ known }: Loops, sessionId: string): Loop | undefined {
  return known.find(({ state }) => state.sessionId === undefined || isNamed(state.sessionId, sessionId));
}

/** The whole id of a session that is known by a loop of its own; else what was asked for. */
export function wholeId({ known }: Loops, asked: string): string {
  const owners = known.flatMap(({ state }) => state.sessionId ?? []);
  return owners.find((owner) => isNamed(owner, asked)) ?? asked;
}

/** Whether a session is meant by an id, be it only by the short form that messages use. */
export function isNamed(sessionId: string, asked: string): boolean {
  return sessionId === asked || sessionKey(sessionId) === asked;
}

function unreadable(ref: DocumentRef, { file, why }: { readonly file: string; readonly why: string }): Loops {
  return { known: [], unclear: [{ ref, file, why }] };
}

function newestOfEach(
  newestFirst: readonly TopicMessage[],
  ref: DocumentRef,
  place: LoopPlace,
  now: number,
): Pick<Loops, 'known' | 'unclear'> {
  const seen = new Set<string | undefined>();
  const [known, unclear]: [Loop[], Unclear[]] = [[], []];
  const file = documentFile(place.layout, ref);
  for (const { body } of newestFirst) {
    const parsed = parseState(body);
    const owner = parsed.kind === 'state' ? parsed.state.sessionId : ownerOf(body);
    if (seen.has(owner)) continue;
    seen.add(owner);
    if (parsed.kind === 'state') known.push(loopFrom(parsed.state, ref, file, place, now));
    else unclear.push({ ref, file, why: messageWhy(parsed), ...(owner !== undefined && { owner }) });
  }
  return { known, unclear };
}

function fallbackLoop(place: LoopPlace, now: number): Pick<Loops, 'known' | 'unclear'> {
  for (const ref of fallbackFiles(place.root, place.cwd)) {
    const document = readDocument(place.layout, ref);
    if (document.kind === 'missing') continue;
    const file = documentFile(place.layout, ref);
    if (document.kind === 'unreadable') return { known: [], unclear: [{ ref, file, why: document.why }] };
    const envelope = parseFallback(String(document.value));
    const parsed = envelope && stateFrom(envelope);
    if (parsed?.kind === 'state')
      return { known: [loopFrom(parsed.state, ref, file, place, now)], unclear: [] };
    return { known: [], unclear: [{ ref, file, why: parsed?.why ?? 'has no front matter' }] };
  }
  return { known: [], unclear: [] };
}

function loopFrom(state: LoopState, ref: DocumentRef, file: string, place: LoopPlace, now: number): Loop {
  const heartbeat = heartbeatOf(place.layout, state.sessionId);
  const clock = { now, ...(heartbeat !== undefined && { heartbeat }) };
  const standing = standingOf(state, clock, place.config);
  return { state, standing, ref, file, ...(heartbeat !== undefined && { heartbeat }) };
}

function messageWhy({ why }: Extract<ParsedState, { kind: 'malformed' }>): string {
  return `has a newest loop message that ${why}`;
}
