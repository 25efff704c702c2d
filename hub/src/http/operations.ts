import { setTimeout as wait } from 'node:timers/promises';
import { Hono } from 'hono';
import type { Hub } from '../hub.js';

const patience = 2000;

/** `/healthz` and `/metrics`, open to everybody. */
export function operations(hub: Hub): Hono {
  const app = new Hono();
  app.get('/healthz', async (c) => {
    const well = await inTime(hub.db.query('select 1'));
    return well ? c.text('ok\n') : c.text('The database does not answer.\n', 503);
  });
  app.get('/metrics', async (c) => {
    const rows = await inTime(
      hub.db.query<{ readonly open: number; readonly answered: number }>(
        `select count(*) filter (where answer is null and closed_at is null)::int as open,
                count(*) filter (where answer is not null)::int as answered from requests`,
      ),
    );
    const memory = process.memoryUsage();
    c.header('content-type', 'text/plain; version=0.0.4; charset=utf-8');
    return c.body(
      hub.metrics.text({
        ...(rows?.[0] && {
          requests_open: ['Approvals that wait for a person.', rows[0].open],
          requests_answered_total: ['Approvals answered by a person.', rows[0].answered],
        }),
        streams_open: ['Open event streams.', hub.streams.size],
        memory_resident_bytes: ['Resident memory of the process.', memory.rss],
        memory_heap_bytes: ['Used JavaScript heap of the process.', memory.heapUsed],
        uptime_seconds: ['Seconds since the process started.', Math.round(process.uptime())],
      }),
    );
  });
  return app;
}

/** The database's answer; null if it fails or takes longer than two seconds. */
function inTime<T>(answer: Promise<T>): Promise<T | null> {
  return Promise.race([answer, wait(patience, null, { ref: false })]).catch(() => null);
}
