import type { Hub } from '../hub.js';

/** Records that a machine was seen: at most every 30 s per machine, and several machines in one write. */
export function newSeen(hub: Pick<Hub, 'db' | 'clock' | 'log'>): Hub['seen'] {
  const written = new Map<string, number>();
  let waiting = new Set<string>();

  async function write(): Promise<void> {
    const ids = [...waiting].sort();
    waiting = new Set();
    try {
      await hub.db.query('update machines set last_seen = $2 where id = any($1::text[])', [ids, hub.clock()]);
    } catch (error) {
      hub.log({ level: 'warn', message: 'could not note when machines were seen', error: String(error) });
    }
  }

  return (machine) => {
    const now = performance.now();
    if (now - (written.get(machine) ?? Number.NEGATIVE_INFINITY) < 30_000) return;
    written.set(machine, now);
    if (waiting.size === 0) setTimeout(() => void write(), 500).unref();
    waiting.add(machine);
  };
}
