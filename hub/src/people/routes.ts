import { type Context, Hono } from 'hono';
import * as v from 'valibot';
import { readJson } from '../http/body.js';
import { ApiError } from '../http/errors.js';
import { addressOf, checkOrigin } from '../http/origin.js';
import { type Person, personOnly, type Role } from '../http/who.js';
import type { Hub } from '../hub.js';
import { acceptInvite, listPeople, nameSchema, removePerson, roleSchema } from './accounts.js';
import { countAttempt } from './attempts.js';
import { auditRoutes } from './audit.js';
import { findInvite, invite, setupLink } from './invites.js';
import { machineRoutes } from './machine-routes.js';
import { me } from './me.js';
import { passkeyRoutes } from './passkeys.js';
import { hashPassphrase, isPassphrase, passphraseSchema } from './passphrases.js';
import { endSignIn, startSignIn } from './sign-ins.js';

const loginBody = v.object({
  name: v.pipe(v.string(), v.maxLength(200)),
  passphrase: v.pipe(v.string(), v.maxLength(1024)),
});
const setupBody = v.object({
  code: v.string(),
  name: v.optional(nameSchema),
  passphrase: v.optional(passphraseSchema),
});
const inviteBody = v.object({ role: v.optional(roleSchema, 'viewer'), name: v.nullish(nameSchema) });

/** Sign-in and sign-out, people, and machine management for admins. */
export function routes(hub: Hub): Hono {
  const app = new Hono();

  app.post('/api/v1/login', async (c) => {
    checkOrigin(c, 'optional');
    const { name, passphrase } = await readJson(c, loginBody);
    const person = await checkedPerson(c, name.normalize('NFC').trim(), passphrase);
    await hub.db.tx((tx) => startSignIn(c, tx, person, 'passphrase'));
    return c.json(me(hub, person));
  });

  app.post('/api/v1/logout', personOnly('viewer'), async (c) => {
    await endSignIn(c, c.var.person);
    return c.body(null, 204);
  });

  app.get('/api/v1/me', personOnly('viewer'), (c) => c.json(me(hub, c.var.person)));

  app.post('/api/v1/setup', async (c) => {
    checkOrigin(c, 'optional');
    const { code, name, passphrase } = await readJson(c, setupBody);
    await findInvite(hub.db, code, hub.clock());
    const hash = passphrase === undefined ? null : await hashPassphrase(passphrase);
    const person = await hub.db.tx(async (tx) => {
      const added = await acceptInvite(tx, { code, name, passphrase: hash }, hub.clock());
      await startSignIn(c, tx, added, 'invitation');
      return added;
    });
    return c.json(me(hub, person));
  });

  app.get('/api/v1/people', personOnly('admin'), async (c) =>
    c.json({ items: await listPeople(hub.db), next: null }),
  );

  app.post('/api/v1/people/invite', personOnly('admin'), async (c) => {
    const { role, name = null } = await readJson(c, inviteBody);
    const { code, expiresAt } = await hub.db.tx((tx) =>
      invite(tx, { purpose: 'person', name, role }, c.var.person.name, hub.clock()),
    );
    return c.json({ url: setupLink(hub.publicUrl, code), code, expiresAt });
  });

  app.delete('/api/v1/people/:id', personOnly('admin'), async (c) => {
    await hub.db.tx((tx) => removePerson(tx, c.req.param('id'), c.var.person.name, hub.clock()));
    return c.body(null, 204);
  });

  app.route('/', passkeyRoutes(hub));
  app.route('/', machineRoutes(hub));
  app.route('/', auditRoutes(hub));
  return app;
}

async function checkedPerson(c: Context, name: string, passphrase: string): Promise<Person> {
  const { db, clock, log, metrics } = c.var.hub;
  const address = addressOf(c);
  const takeBack = await countAttempt(db, name, address, clock());
  const [row] = await db.query<{ id: string; name: string; role: Role; passphrase: string | null }>(
    'select id, name, role, passphrase from people where lower(name) = lower($1) and removed_at is null',
    [name],
  );
  if (!(await isPassphrase(passphrase, row?.passphrase ?? null)) || !row) {
    metrics.add('signInsFailed');
    log({ level: 'warn', message: 'sign-in failed', address });
    throw new ApiError(401, 'sign-in', 'Name or passphrase is wrong.');
  }
  await takeBack();
  return { id: row.id, name: row.name, role: row.role };
}
