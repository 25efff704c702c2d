import { Hono } from 'hono';
import type { Queries } from '../db/database.js';
import { readLimit, wrongCursor } from '../decisions/cursor.js';
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

/** `GET /api/v1/audit?before=SEQ&limit=N` for admins, latest first. */
export function auditRoutes(hub: Hub): Hono {
  const app = new Hono();
  app.get('/api/v1/audit', personOnly('admin'), async (c) => {
    const limit = readLimit(c.req.query('limit'), 100, 1000);
    const before = c.req.query('before') || String(Number.MAX_SAFE_INTEGER);
    if (!/^\d{1,16}$/.test(before)) throw wrongCursor();
    const items = await hub.db.query<{ readonly seq: number }>(
      'select seq, at, actor, action, subject, detail from audit where seq < $1 order by seq desc limit $2',
      [Number(before), limit + 1],
    );
    const more = items.length > limit;
    const shown = items.slice(0, limit);
    return c.json({ items: shown, next: more ? String(shown.at(-1)?.seq) : null });
  });
  return app;
}
