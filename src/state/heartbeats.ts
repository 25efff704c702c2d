import type { Change, DocumentRef } from '../core/document';
import type { Json, JsonObject } from '../core/json';
import { isJsonObject } from '../core/json';
import { plainText } from '../exec/quick-look';
import type { Layout } from './layout';

/**
 * When each session of the project last called us. It is no part of a session's record: that such a record is
 * there at all tells every tool event that something has to be counted.
 */
export const HEARTBEATS: DocumentRef = {
  base: 'own',
  path: 'heartbeats.json',
  format: 'json',
  keeping: 'bookkeeping',
};

/** A session as it was last heard of. Times are milliseconds since the epoch. */
export interface Heartbeat {
  readonly key: string;
  readonly sessionId: string;
  readonly host: string;
  readonly startedAt: number;
  readonly at: number;
}

/** Prompts write a new one at most this often. */
const FRESH_MS = 5 * 60 * 1000;
/** A session that ended without a word is forgotten after this time. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const LARGEST_BYTES = 1024 * 1024;
const LONGEST_ID = 128;

export function heartbeatsIn(value: Json | undefined): Heartbeat[] {
  return Object.entries(entriesOf(value)).flatMap(([key, entry]) => {
    if (!isJsonObject(entry) || typeof entry['at'] !== 'number') return [];
    const { session_id: id, host, started_at: startedAt, at } = entry as Record<string, Json>;
    return [
      {
        key,
        sessionId: typeof id === 'string' ? id : key,
        host: typeof host === 'string' ? host : '',
        startedAt: typeof startedAt === 'number' ? startedAt : Number(at),
        at: Number(at),
      },
    ];
  });
}

/** Notes that a session is there, and drops those that have been silent for long. */
export function heartbeat({ key, sessionId, host, at }: Omit<Heartbeat, 'startedAt'>): Change {
  return {
    document: HEARTBEATS,
    what: `heard of session ${key}`,
    apply: (current) => {
      const entries = entriesOf(current);
      const known = isJsonObject(entries[key]) ? entries[key] : {};
      const kept = Object.entries(entries).filter(
        ([, entry]) => isJsonObject(entry) && at - Number(entry['at']) < KEPT_MS,
      );
      const entry = {
        ...known,
        session_id: sessionId.slice(0, LONGEST_ID),
        host,
        started_at: known['started_at'] ?? at,
        at,
      };
      return { ...versioned(current), sessions: { ...Object.fromEntries(kept), [key]: entry } };
    },
  };
}

export function forgetHeartbeat(key: string): Change {
  return {
    document: HEARTBEATS,
    what: `session ${key} has ended`,
    apply: (current) => {
      const { [key]: gone, ...rest } = entriesOf(current);
      return gone === undefined ? current : { ...versioned(current), sessions: rest };
    },
  };
}

/** Whether nothing was heard of a session for so long that it is worth a line. */
export function isHeartbeatDue({ own }: Layout, key: string, now: number): boolean {
  try {
    const text = plainText(`${own}/${HEARTBEATS.path}`, LARGEST_BYTES);
    const entry = text === undefined ? undefined : entriesOf(JSON.parse(text) as Json)[key];
    return !isJsonObject(entry) || !(now - Number(entry['at']) < FRESH_MS);
  } catch {
    return true;
  }
}

function entriesOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) && isJsonObject(value['sessions']) ? value['sessions'] : {};
}

function versioned(value: Json | undefined): JsonObject {
  return { version: 1, ...(isJsonObject(value) ? value : {}) };
}
