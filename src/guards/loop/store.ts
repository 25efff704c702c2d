import { join, normalize, relative } from 'node:path';
import type { Who } from '../../core/actor';
import type { Event } from '../../core/event';
import type { Context } from '../../core/guard';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  listIn,
  nameIn,
  numberIn,
  objectIn,
} from '../../core/json';
import { isBelow } from '../../core/project-paths';
import { isSameSession, ownJson, upward } from '../../core/text';
import type { Change, DocumentRef, Topic, TopicAsk } from '../../state/documents';
import { LOOP_LIFE } from '../../state/sessions';
import { type LoopState, ownerOf, type ParsedState, parseState, stateFrom, withEntries } from './state';

/** The topic of loop messages; other programs use it too. */
const LOOP_TOPIC = 'loop:current';

export const FALLBACK_PATH = '.claude/idle-loop.local.md';

/** The heartbeats of sessions with an active or paused loop. The file exists only while there is one. */
export const LIVE_FILE = ownJson(LOOP_LIFE);

type Others = Omit<TopicAsk, 'name' | 'session'>;

/** The loop's messages in a store that other programs share. */
export function sharedTopic(session: string, others?: Others): DocumentRef {
  const topic = { name: LOOP_TOPIC, session, ...others };
  return { base: 'messages', path: 'messages.jsonl', format: 'topic', durability: 'durable', topic };
}

/** The same messages in a file of our own. */
export function ownTopic(session: string, others?: Others): DocumentRef {
  return { ...sharedTopic(session, others), base: 'own', path: 'loop.jsonl' };
}

/**
 * The places for loop messages, the first one with priority, each read only when needed. Messages of other sessions
 * are read only at the start of a session, which reports unfinished loops.
 */
export function* loopTopics({ kind, sessionId }: Event, ctx: Context) {
  const others: Others = kind === 'session.start' ? {} : { others: 'unwanted' };
  for (const ref of [sharedTopic(sessionId, others), ownTopic(sessionId, others)]) {
    const document = ctx.document(ref);
    yield { ref, document, topic: document.kind === 'present' ? topicIn(document.value) : undefined };
  }
}

/** Where the fallback file may be: from the event's directory up to the root, the nearest first. */
export function fallbackFiles(root: string, cwd: string): DocumentRef[] {
  const here = normalize(cwd);
  const dirs = isBelow(here, root) ? upward(here, root) : [root];
  return dirs.map((dir) => ({
    base: 'project',
    path: join(relative(root, dir), FALLBACK_PATH),
    format: 'text',
    durability: 'durable',
  }));
}

export function topicIn(value: Json | undefined): Topic | undefined {
  if (!isJsonObject(value) || !Array.isArray(value['messages'])) return undefined;
  return value as unknown as Topic;
}

export interface LoopPlace {
  readonly ref: DocumentRef;
  /** The directory of the message file; absent for the fallback. */
  readonly dir?: string;
  /** When the state was written, if known. */
  readonly writtenAt?: number | undefined;
}

/** The loop that an event's session drives. */
type FoundLoop =
  | { readonly kind: 'none' }
  /** There is a state, but it cannot be understood. */
  | { readonly kind: 'unclear'; readonly file: string; readonly why: string }
  | { readonly kind: 'loop'; readonly place: LoopPlace; readonly state: LoopState };

/**
 * Only the first place that has the topic counts: the message store, our own log, or the fallback file. There it is
 * the newest message that belongs to this session or to none; one that cannot be parsed belongs to none.
 */
export function findLoop(event: Event, ctx: Context): FoundLoop {
  for (const { ref, document, topic } of loopTopics(event, ctx)) {
    if (document.kind === 'unreadable') return { ...document, kind: 'unclear' };
    if (!topic?.known) continue;
    const own = topic.messages.findLast(({ body }) => !isForeign(ownerOf(body), event.sessionId));
    if (own === undefined) return { kind: 'none' };
    return foundAs(
      parseState(own.body),
      { ref, dir: topic.dir, writtenAt: own.at },
      `${topic.dir}/${ref.path}`,
    );
  }
  return inFallback(event, ctx);
}

function inFallback(event: Event, ctx: Context): FoundLoop {
  for (const ref of fallbackFiles(ctx.projectRoot, event.cwd)) {
    const document = ctx.document(ref);
    if (document.kind === 'missing') continue;
    if (document.kind === 'unreadable') return { ...document, kind: 'unclear' };
    const envelope = parseFallback(String(document.value));
    if (envelope === undefined) return { kind: 'unclear', file: ref.path, why: 'has no front matter' };
    if (isForeign(nameIn(envelope, 'session_id'), event.sessionId)) return { kind: 'none' };
    return foundAs(stateFrom(envelope), { ref }, ref.path);
  }
  return { kind: 'none' };
}

function foundAs(parsed: ParsedState, place: LoopPlace, file: string): FoundLoop {
  if (parsed.kind === 'state') return { kind: 'loop', place, state: parsed.state };
  return { kind: 'unclear', file, why: `has a newest loop message that ${parsed.why}` };
}

function isForeign(owner: string | undefined, sessionId: string): boolean {
  return owner !== undefined && !isSameSession(owner, sessionId);
}

/** The front matter of a fallback file, up to the line that ends it; `undefined` if there is none. */
function frontOf(text: string): string | undefined {
  return /^\uFEFF?---[^\S\n]*\n(?:[^\n]*\n)*?(?=---[^\S\n]*(?:\n|$))/.exec(text)?.[0];
}

/**
 * The fallback file as a state with one frame, or `undefined` if it has no front matter. It has no time, so it never
 * gets stale; an inactive one was cancelled.
 */
export function parseFallback(text: string): JsonObject | undefined {
  const front = frontOf(text);
  if (front === undefined) return undefined;
  const entries = [...front.matchAll(/^\s*([A-Za-z_]+)[ \t]*:[ \t]*(.*?)[ \t]*\r?$/gm)];
  const fields = new Map(
    // If a key appears twice, the first one counts.
    entries.toReversed().map(([, key, value = '']) => [key, value.replace(/^(["'])(.*)\1$/, '$2')] as const),
  );
  const [iter, max] = ['iteration', 'max_iterations'].map((key) => {
    const value = fields.get(key);
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : value;
  });
  const paused = fields.get('paused');
  return {
    schema: 1,
    event: fields.get('active') === 'true' ? 'STATE' : 'ABORT',
    session_id: fields.get('session_id'),
    paused: paused === '' || paused === 'false' ? undefined : paused,
    stack: [{ mode: fields.get('mode'), iter, max }],
  };
}

/** The file after its state changed, with only the changed lines rewritten; `undefined` if the loop is over. */
export function rewriteFallback(text: string, next: JsonObject): string | undefined {
  const frame = listIn(next, 'stack').at(-1);
  if (frame === undefined || next['event'] !== 'STATE') return undefined;
  const iter = numberIn(frame, 'iter');
  const counted = iter === undefined ? text : withField(text, 'iteration', String(iter));
  const { paused } = next;
  if (paused === undefined) return counted;
  const reason = String(isJsonObject(paused) ? paused['reason'] : paused);
  // It has to stay on one line, and there is no escape in these files.
  return withField(counted, 'paused', reason.replace(/\s+/g, ' ').trim() || 'true');
}

function withField(text: string, key: string, value: string): string {
  const front = frontOf(text);
  if (front === undefined) throw new Error('the loop file has lost its front matter');
  const line = new RegExp(`^(\\s*${key}[ \\t]*:[ \\t]*)[^\\r\\n]*?([ \\t]*\\r?)$`, 'm');
  const added = `${key}: ${value}${front.endsWith('\r\n') ? '\r' : ''}\n`;
  const changed = line.test(front)
    ? front.replace(line, (_, start, end) => `${start}${value}${end}`)
    : front + added;
  return changed + text.slice(front.length);
}

/** The file without its `paused` line. */
export function unpausedFallback(text: string): string {
  const front = frontOf(text) ?? '';
  return front.replace(/^[ \t]*paused[ \t]*:[^\n]*\n/gm, '') + text.slice(front.length);
}

/**
 * Writes the next state where the last one was found. Throws if that is gone by now: a count that is not stored would
 * hold the turn forever.
 */
export function writeLoopState({ ref }: LoopPlace, next: JsonObject, what: string, by: Who): Change {
  const added = addStates(ref, [next], what, by);
  const apply: Change['apply'] = (current) => {
    if (current === undefined) throw new Error('the file of the loop is gone');
    return typeof current === 'string' ? rewriteFallback(current, next) : added.apply(current);
  };
  return { ...added, apply };
}

/** Adds states to a topic in one write, so that no reader sees only some of them. */
export function addStates(
  document: DocumentRef,
  states: readonly JsonObject[],
  what: string,
  by: Who,
): Change {
  const added = states.map((state) => ({ body: JSON.stringify({ ...state, ...by }) }));
  return {
    document,
    what,
    apply: (current) => {
      const topic = topicIn(current) ?? { dir: '', known: false, messages: [] };
      if (topic.messages.at(-1)?.body === added.at(-1)?.body) return topic;
      return { ...topic, messages: [...topic.messages, ...added] };
    },
  };
}

export type LoopHeartbeat = {
  /** Milliseconds since the epoch, as all times here. */
  readonly heartbeat: number;
  /** Whether a tool that can write was used since the last iteration began. */
  readonly wrote: boolean;
  /** Since when the session drives its loop; absent if it has only been told of it. */
  readonly since?: number;
};

/** Heartbeats are written no more often than this. */
export const BEAT_EVERY_MS = 60_000;

/** The heartbeat of a crashed session is dropped after this. */
const FORGOTTEN_AFTER_MS = 7 * 24 * 3_600_000;

/** The session's heartbeat, if its loop is active or paused as far as we know. */
export function heartbeatOf(ctx: Context, sessionId: string): LoopHeartbeat | undefined {
  const document = ctx.document(LIVE_FILE);
  return document.kind === 'present' ? heartbeatIn(document.value, sessionId) : undefined;
}

/** Records a heartbeat. Without `wrote` the stored flag stays; `false` begins an iteration of this session. */
export function recordHeartbeat(sessionId: string, now: number, wrote?: boolean): Change {
  return {
    document: LIVE_FILE,
    what: 'loop heartbeat',
    apply: (current) => {
      const before = heartbeatIn(current, sessionId);
      const since = before?.since ?? (wrote === false ? now : undefined);
      const life: LoopHeartbeat = {
        heartbeat: Math.max(now, before?.heartbeat ?? 0),
        wrote: wrote ?? before?.wrote ?? false,
        ...(since !== undefined && { since }),
      };
      const isKept = (id: string): boolean =>
        !isSameSession(id, sessionId) &&
        now - (heartbeatIn(current, id)?.heartbeat ?? 0) < FORGOTTEN_AFTER_MS;
      return withEntries(current, 'sessions', isKept, { [sessionId]: life });
    },
  };
}

/** Removes a session's heartbeat once its loop has ended. The file is deleted with the last one. */
export function removeHeartbeat(sessionId: string): Change {
  return {
    document: LIVE_FILE,
    what: 'loop ended',
    apply: (current) => withEntries(current, 'sessions', (id) => !isSameSession(id, sessionId)),
  };
}

export function heartbeatIn(value: Json | undefined, sessionId: string): LoopHeartbeat | undefined {
  const sessions = objectIn(value, 'sessions');
  const life = objectIn(sessions, Object.keys(sessions).find((id) => isSameSession(id, sessionId)) ?? '');
  const heartbeat = numberIn(life, 'heartbeat');
  if (heartbeat === undefined) return undefined;
  const since = numberIn(life, 'since');
  return { heartbeat, wrote: life['wrote'] === true, ...(since !== undefined && { since }) };
}
