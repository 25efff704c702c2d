import type { Change } from '../../core/document';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { documentIn, type Snapshot } from '../../core/snapshot';
import { LIVE_FILE } from './documents';

/** The sign of life of one session's loop. */
export type Life = {
  /** Milliseconds since the epoch, as all times here. */
  readonly heartbeat: number;
  /** Whether a tool that can write was used since the last iteration began. */
  readonly wrote: boolean;
  /** When the loop was first seen. */
  readonly since: number;
};

/** Signs of life are written no more often than this. */
export const BEAT_EVERY_MS = 60_000;

/** What a crashed session left behind is forgotten after this. */
const FORGOTTEN_AFTER_MS = 7 * 24 * 3_600_000;

/** The session's sign of life, if its loop is active as far as we know. */
export function lifeOf(snapshot: Snapshot, sessionId: string): Life | undefined {
  const document = documentIn(snapshot, LIVE_FILE);
  return document.kind === 'present' ? lifeIn(sessionsIn(document.value)[sessionId]) : undefined;
}

/** A sign of life. With `wrote` absent, what is known of writing stays. */
export function beat(sessionId: string, now: number, wrote?: boolean): Change {
  return {
    document: LIVE_FILE,
    what: 'loop heartbeat',
    apply: (current) => {
      const sessions = sessionsIn(current);
      const before = lifeIn(sessions[sessionId]);
      const life: Life = {
        heartbeat: Math.max(now, before?.heartbeat ?? 0),
        wrote: wrote ?? before?.wrote ?? false,
        since: before?.since ?? now,
      };
      return withSessions(current, { ...recent(sessions, now), [sessionId]: life });
    },
  };
}

/** The session's loop is active no more. The last one takes the file with it. */
export function silence(sessionId: string): Change {
  return {
    document: LIVE_FILE,
    what: 'loop at rest',
    apply: (current) => {
      const { [sessionId]: gone, ...others } = sessionsIn(current);
      if (gone === undefined) return current;
      return Object.keys(others).length === 0 ? undefined : withSessions(current, others);
    },
  };
}

function withSessions(current: Json | undefined, sessions: JsonObject): JsonObject {
  return { ...(isJsonObject(current) ? current : {}), sessions };
}

function recent(sessions: JsonObject, now: number): JsonObject {
  const kept = Object.entries(sessions).filter(
    ([, life]) => now - (lifeIn(life)?.heartbeat ?? 0) < FORGOTTEN_AFTER_MS,
  );
  return Object.fromEntries(kept);
}

function sessionsIn(value: Json | undefined): JsonObject {
  const sessions = isJsonObject(value) ? value['sessions'] : undefined;
  return isJsonObject(sessions) ? sessions : {};
}

function lifeIn(value: Json | undefined): Life | undefined {
  if (!isJsonObject(value) || typeof value['heartbeat'] !== 'number') return undefined;
  const { heartbeat, since } = value;
  return { heartbeat, wrote: value['wrote'] === true, since: typeof since === 'number' ? since : heartbeat };
}
