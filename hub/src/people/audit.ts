import { Hono } from 'hono';
import type { Queries } from '../db/database.js';
import { pageOf, readLimit, readNumberCursor } from '../decisions/cursor.js';
import { personOnly } from '../http/who.js';
import type { Hub } from '../hub.js';

/**
 * Appends to the audit, in the transaction that makes the change. The actor is a person's name, `machine
 * NAME` or `command line`. The detail never contains a secret.
 */
export async function audited(
  queries: Queries,
  actor: string,
  action: string,
  subject: string,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await queries.query(
    'insert into audit (at, actor, action, subject, detail) values (now(), $1, $2, $3, $4)',
    [actor, action, subject, detail],
  );
}

/** `GET /api/v1/audit?before=CURSOR&limit=N` for admins, latest first. */
export function auditRoutes(hub: Hub): Hono {
  const app = new Hono();
  app.get('/api/v1/audit', personOnly('admin'), async (c) => {
    const limit = readLimit(c.req.query('limit'), 100, 1000);
    const place = readNumberCursor(c.req.query('before'));
    const rows = await hub.db.query<{ readonly seq: number; readonly at: Date }>(
      `select seq, at, actor, action, subject, detail from audit
       where $1::text is null or seq < $1::text::int8 order by seq desc limit $2`,
      [place?.[1] ?? null, limit + 1],
    );
    return c.json(
      pageOf(
        rows,
        limit,
        ({ at, seq }) => [at.toISOString(), String(seq)],
        (row) => row,
      ),
    );
  });
  return app;
}
