import { Hono } from 'hono';
import * as v from 'valibot';
import type { Queries, Row } from '../db/database.js';
import { readJson } from '../http/body.js';
import { ApiError } from '../http/errors.js';
import { personOnly } from '../http/who.js';
import type { Hub } from '../hub.js';
import { notify } from '../stream/fanout.js';
import { nameSchema } from './accounts.js';
import { audited } from './audit.js';
import { invite } from './invites.js';

/** Machine management for admins. */
export function machineRoutes(hub: Hub): Hono {
  const app = new Hono();
  const inviteBody = v.object({ name: v.nullish(nameSchema) });

  app.get('/api/v1/machines', personOnly('admin'), async (c) =>
    c.json({ items: await listMachines(hub.db), next: null }),
  );

  app.post('/api/v1/machines/invite', personOnly('admin'), async (c) => {
    const { name = null } = await readJson(c, inviteBody);
    const made = await hub.db.tx((tx) =>
      invite(tx, { purpose: 'machine', name, role: null }, c.var.person.name, hub.clock()),
    );
    return c.json({ url: hub.publicUrl, ...made });
  });

  app.delete('/api/v1/machines/:id', personOnly('admin'), async (c) => {
    await hub.db.tx((tx) => revokeMachine(tx, c.req.param('id'), c.var.person.name, hub.clock()));
    return c.body(null, 204);
  });
  return app;
}

export function listMachines(queries: Queries): Promise<Row[]> {
  return queries.query(
    `select id, name, created_at as "createdAt", last_seen as "lastSeen", revoked_at as "revokedAt"
     from machines order by revoked_at is not null, name`,
  );
}

/** Invalidates the machine's token, ends its streams and, for the page, its sessions: it can tell of them no more. */
export async function revokeMachine(tx: Queries, id: string, actor: string, now: Date): Promise<void> {
  const [machine] = await tx.query<{ readonly name: string }>(
    'update machines set revoked_at = $2 where id = $1 and revoked_at is null returning name',
    [id, now],
  );
  if (!machine) throw new ApiError(404, 'not-found', 'There is no such machine, or it was revoked before.');
  await audited(tx, actor, 'machine revoked', machine.name, { id });
  await notify(tx, { kind: 'machine', id, machine: id, revoked: true });
  const ended = await tx.query<{ readonly id: string }>(
    `update sessions set ended_at = $2, held_by = '{}', held_since = null
     where machine_id = $1 and ended_at is null returning id`,
    [id, now],
  );
  const sessions = ended.map((session) => [id, session.id]);
  await notify(tx, { kind: 'session', sessionCount: ended.length, sessions });
}
