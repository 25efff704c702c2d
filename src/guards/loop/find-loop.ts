import type { DocumentRef, Topic } from '../../core/document';
import type { Event } from '../../core/event';
import { documentIn, type Snapshot } from '../../core/snapshot';
import { fallbackFiles, loopTopics, topicIn } from './documents';
import { parseFallback } from './fallback-file';
import { ownerIn, ownerOf, type ParsedState, parseState, stateFrom } from './parse-state';
import type { LoopState } from './state';

/** Where a session's loop is kept. */
export interface Place {
  readonly ref: DocumentRef;
  /** The directory of the message file; absent for the fallback. */
  readonly dir?: string;
}

/** What is known of the loop that an event's session drives. */
export type FoundLoop =
  | { readonly kind: 'none' }
  /** Something stands where the state should be, but nobody can tell what. */
  | { readonly kind: 'unclear'; readonly file: string; readonly why: string }
  | { readonly kind: 'loop'; readonly place: Place; readonly state: LoopState };

/** The store that knows the topic, else our own log, else the fallback: the first that is there speaks alone. */
export function findLoop(event: Event, snapshot: Snapshot): FoundLoop {
  for (const ref of loopTopics(event.sessionId)) {
    const document = documentIn(snapshot, ref);
    if (document.kind === 'unreadable') return { kind: 'unclear', file: document.file, why: document.why };
    const topic = document.kind === 'present' ? topicIn(document.value) : undefined;
    if (topic?.known) return newestIn(ref, topic, event.sessionId);
  }
  return inFallback(event, snapshot);
}

/** Whether neither message file has the topic, so that the fallback counts. */
export function isTopicUnknown(event: Event, snapshot: Snapshot): boolean {
  return loopTopics(event.sessionId).every((ref) => {
    const document = documentIn(snapshot, ref);
    return document.kind === 'missing' || (document.kind === 'present' && !topicIn(document.value)?.known);
  });
}

/** What was found in a topic that was read for a session: one event asks several times. */
const known = new WeakMap<Topic, FoundLoop>();

function newestIn(ref: DocumentRef, topic: Topic, sessionId: string): FoundLoop {
  const found = known.get(topic) ?? findNewest(ref, topic, sessionId);
  known.set(topic, found);
  return found;
}

/** The newest message that is the session's or nobody's. One that cannot be read is nobody's too. */
function findNewest(ref: DocumentRef, topic: Topic, sessionId: string): FoundLoop {
  const place = { ref, dir: topic.dir };
  for (const { body } of topic.messages.toReversed()) {
    const parsed = parseState(body);
    if (parsed.kind === 'state' && isForeign(parsed.state.sessionId, sessionId)) continue;
    if (parsed.kind === 'malformed' && isForeign(ownerOf(body), sessionId)) continue;
    return foundAs(parsed, place, `${topic.dir}/${ref.path}`);
  }
  return { kind: 'none' };
}

function inFallback(event: Event, snapshot: Snapshot): FoundLoop {
  for (const ref of fallbackFiles(snapshot.projectRoot, event.cwd)) {
    const document = documentIn(snapshot, ref);
    if (document.kind === 'missing') continue;
    if (document.kind === 'unreadable') return { kind: 'unclear', file: document.file, why: document.why };
    const envelope = parseFallback(String(document.value));
    if (envelope === undefined) return { kind: 'unclear', file: ref.path, why: 'has no front matter' };
    if (isForeign(ownerIn(envelope), event.sessionId)) return { kind: 'none' };
    return foundAs(stateFrom(envelope), { ref }, ref.path);
  }
  return { kind: 'none' };
}

function foundAs(parsed: ParsedState, place: Place, file: string): FoundLoop {
  if (parsed.kind === 'state') return { kind: 'loop', place, state: parsed.state };
  return { kind: 'unclear', file, why: `has a newest loop message that ${parsed.why}` };
}

function isForeign(owner: string | undefined, sessionId: string): boolean {
  return owner !== undefined && owner !== sessionId;
}
