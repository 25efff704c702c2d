import type { Database, Queries } from '../db/database.js';

/**
 * A NOTIFY on the channel `hub`: a kind and the ids of the rows that changed. `missed` means that the
 * connection to the database was lost and is back, so notices of any kind may be missing.
 */
export interface Notice {
  readonly kind: 'request' | 'answer' | 'decisions' | 'session' | 'machine' | 'key' | 'missed';
  readonly [id: string]: unknown;
}

/** PostgreSQL refuses a notice of 8,000 bytes, and with it the transaction. */
const longest = 1900;

/** Tells every hub on this database, once the transaction is committed. Of lists it names as many as fit. */
export async function notify(queries: Queries, notice: Notice): Promise<void> {
  const entries = Object.entries(notice);
  const textOf = (most: number): string => {
    const kept = entries.map(([key, value]) => [key, Array.isArray(value) ? value.slice(0, most) : value]);
    const text = JSON.stringify(Object.fromEntries(kept));
    return most > 0 && Buffer.byteLength(text) > longest ? textOf(most - 1) : text;
  };
  await queries.query(`select pg_notify('hub', $1)`, [textOf(12)]);
}

/** One LISTEN for everything in this process that follows changes. */
export interface Fanout {
  /** Calls `heard` for each notice until the returned function is called. */
  subscribe(heard: (notice: Notice) => void): () => void;
  close(): Promise<void>;
}

export async function openFanout(db: Database): Promise<Fanout> {
  const listeners = new Set<(notice: Notice) => void>();
  const stop = await db.listen((payload) => {
    const notice = parse(payload);
    if (!notice) return;
    for (const heard of [...listeners]) heard(notice);
  });
  return {
    subscribe(heard) {
      listeners.add(heard);
      return () => void listeners.delete(heard);
    },
    async close() {
      listeners.clear();
      await stop();
    },
  };
}

/** Others may use the channel too. */
function parse(payload: string): Notice | null {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' && value !== null && 'kind' in value ? (value as Notice) : null;
  } catch {
    return null;
  }
}
