import type { Database } from '../db/database.js';

/**
 * A NOTIFY on the channel `hub`: a kind and the ids of the rows that changed. `missed` means that the
 * connection to the database was lost and is back, so notices of any kind may be missing.
 */
export interface Notice {
  readonly kind: 'request' | 'answer' | 'decisions' | 'session' | 'machine' | 'key' | 'missed';
  readonly [id: string]: unknown;
}

/** One LISTEN for everything in this process that follows changes. */
export interface Fanout {
  /** Calls `heard` for each notice until the returned function is called. */
  subscribe(heard: (notice: Notice) => void): () => void;
  /** Calls `end` when the hub stops, so that streams end. */
  closing(end: () => void): void;
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
  const endings: (() => void)[] = [];
  const stop = await db.listen('hub', (payload) => {
    const notice = parse(payload);
    if (!notice) return;
    for (const heard of [...listeners]) heard(notice);
  });
  return {
    subscribe(heard) {
      listeners.add(heard);
      return () => void listeners.delete(heard);
    },
    closing: (end) => void endings.push(end),
    async close() {
      listeners.clear();
      for (const end of endings.splice(0)) end();
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
