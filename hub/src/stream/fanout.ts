import type { Database, Queries } from '../db/database.js';

/**
 * A NOTIFY on the channel `hub`: a kind and the ids of the rows that changed. `missed` means that the
 * connection to the database was lost and is back, so notices of any kind may be missing.
 */
export interface Notice {
  readonly kind: 'request' | 'answer' | 'decisions' | 'session' | 'machine' | 'key' | 'missed';
  readonly [id: string]: unknown;
}

/** Tells every hub on this database, once the transaction is committed. */
export async function notify(queries: Queries, notice: Notice): Promise<void> {
  await queries.query(`select pg_notify('hub', $1)`, [JSON.stringify(notice)]);
}

/** One LISTEN for everything in this process that follows changes. */
export interface Fanout {
  /** Calls `heard` for each notice until the returned function is called. */
  subscribe(heard: (notice: Notice) => void): () => void;
  close(): Promise<void>;
}

const kinds: ReadonlySet<unknown> = new Set<Notice['kind']>([
  'request',
  'answer',
  'decisions',
  'session',
  'machine',
  'key',
  'missed',
]);

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

function parse(payload: string): Notice | null {
  try {
    const value: unknown = JSON.parse(payload);
    return isNotice(value) ? value : null;
  } catch {
    return null;
  }
}

function isNotice(value: unknown): value is Notice {
  return typeof value === 'object' && value !== null && 'kind' in value && kinds.has(value.kind);
}
