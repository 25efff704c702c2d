import type { Change, Document, DocumentRef } from '../state/documents';
import { whoJson } from './actor';
import { isJsonObject, type Json, type JsonObject, nameIn, present } from './json';
import { isNamed, localTime, sessionKey, sessionKeys } from './text';

/* The files that a session has in `<git common dir>/requirements/sessions`: its counts, and a mark while it is paused. */

/** Signs of life of loops, in our own directory; there only while one is active. */
export const LOOP_LIFE = 'loop-live.json';

/** What a session did: counts, times, branches. No decision rests on it. */
export function metricsFile(key: string): DocumentRef {
  return { base: 'git', path: `${SESSION_FILES}/${key}.json`, format: 'json', keeping: 'bookkeeping' };
}

/** Present while a person has paused Holdpoint in a session. */
export function pauseFile(key: string): DocumentRef {
  return { base: 'git', path: `${SESSION_FILES}/${key}.paused`, format: 'json', keeping: 'durable' };
}

/** Below the git directory. */
export const SESSION_FILES = 'requirements/sessions';

/** The member of a session's counts that holds its whole id. */
export const FULL_ID = 'full_session_id';

type LookUp = (ref: DocumentRef) => Document;

/** The key of a session's own files, which is longer than usual where another session has those of the usual one. */
export function sessionFileKey(sessionId: string, lookUp: LookUp): string {
  const isFree = (key: string): boolean => {
    const document = lookUp(metricsFile(key));
    const owner = nameIn(document.kind === 'present' ? document.value : undefined, FULL_ID);
    return owner === undefined || isNamed(sessionId, owner);
  };
  const keys = sessionKeys(sessionId);
  return keys.find(isFree) ?? keys.at(-1) ?? '';
}

/** A pause of one session; what its file does not say is absent. Times are milliseconds since the epoch. */
export interface Pause {
  readonly at?: number;
  /** Without it the pause lasts until somebody resumes, or the session ends. */
  readonly until?: number;
  readonly by?: string;
  readonly reason?: string;
  /** Who paused it and how, where that was recorded. */
  readonly who?: JsonObject;
}

/** The pause of a session, unless its time is over. */
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

/** By whom and how long, to follow "paused"; empty where the file does not say. */
export function pauseText({ by, until }: Pause, now = Date.now()): string {
  return `${by === undefined ? '' : ` by ${by}`}${until === undefined ? '' : ` until ${localTime(until, now, 'minutes')}`}`;
}

/** A pause as programs read it. */
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
