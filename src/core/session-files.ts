import type { Change, Document, DocumentRef } from '../state/documents';
import { whoJson } from './actor';
import { isJsonObject, type Json, type JsonObject, nameIn, present } from './json';
import { isNamed, localTime, sessionKey, sessionKeys } from './text';

/* A session's files in `<git common dir>/requirements/sessions`: its counts, and a mark while paused. */

/** Heartbeats of loops, in our own directory; exists only while a loop is active. */
export const LOOP_LIFE = 'loop-live.json';

/** What a session did: counts, times, branches. No decision depends on it. */
export function metricsFile(key: string): DocumentRef {
  return { base: 'git', path: `${SESSION_FILES}/${key}.json`, format: 'json', keeping: 'bookkeeping' };
}

/** Exists while a person has paused Holdpoint in a session. */
export function pauseFile(key: string): DocumentRef {
  return { base: 'git', path: `${SESSION_FILES}/${key}.paused`, format: 'json', keeping: 'durable' };
}

/** Relative to the git directory. */
export const SESSION_FILES = 'requirements/sessions';

/** The key in a session's counts that contains its whole id. */
export const FULL_ID = 'full_session_id';

type LookUp = (ref: DocumentRef) => Document;

/** The key of a session's files; longer than usual if another session has the usual one. */
export function sessionFileKey(sessionId: string, lookUp: LookUp): string {
  const isFree = (key: string): boolean => {
    const document = lookUp(metricsFile(key));
    const owner = nameIn(document.kind === 'present' ? document.value : undefined, FULL_ID);
    return owner === undefined || isNamed(sessionId, owner);
  };
  const keys = sessionKeys(sessionId);
  return keys.find(isFree) ?? keys.at(-1) ?? '';
}

/** A pause of one session; what its file lacks is absent. Times are milliseconds since the epoch. */
export interface Pause {
  readonly at?: number;
  /** Without it the pause lasts until a person resumes or the session ends. */
  readonly until?: number;
  readonly by?: string;
  readonly reason?: string;
  /** Who paused it and how, if recorded. */
  readonly who?: JsonObject;
}

/** The session's pause, unless it has expired. */
export function pauseOf(sessionId: string, lookUp: LookUp, now: number): Pause | undefined {
  if (sessionKey(sessionId) === undefined) return undefined;
  const document = lookUp(pauseFile(sessionFileKey(sessionId, lookUp)));
  return document.kind === 'present' ? pauseIn(document.value, now) : undefined;
}

/** Any JSON is a pause: older programs write less than we do. */
function pauseIn(value: Json, now: number): Pause | undefined {
  const mark = isJsonObject(value) ? value : {};
  const { paused_at: at, until, actor, channel } = mark;
  const end = timeOf(until);
  if (end !== undefined && end <= now) return undefined;
  return present({
    at: timeOf(at),
    until: end,
    by: nameIn(mark, 'by'),
    reason: nameIn(mark, 'reason'),
    who: actor === undefined ? undefined : { actor, channel: channel ?? null },
  });
}

function timeOf(text: Json | undefined): number | undefined {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** By whom and until when, to follow "paused"; empty if the file does not say. */
export function pauseText({ by, until }: Pause, now = Date.now()): string {
  return `${by === undefined ? '' : ` by ${by}`}${until === undefined ? '' : ` until ${localTime(until, now, 'minutes')}`}`;
}

/** For JSON output. */
export function pauseJson({ at, until, by, reason, who }: Pause): JsonObject {
  const iso = (ms: number | undefined): string | null =>
    ms === undefined ? null : new Date(ms).toISOString();
  return {
    paused_at: iso(at),
    until: iso(until),
    by: by ?? null,
    reason: reason ?? null,
    ...whoJson(who),
  };
}

export function endPause(sessionId: string, lookUp: LookUp): Change {
  const document = pauseFile(sessionFileKey(sessionId, lookUp));
  return { document, what: 'pause over', apply: () => undefined };
}
