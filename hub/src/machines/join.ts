import * as v from 'valibot';
import type { Queries } from '../db/database.js';
import { text } from '../decisions/shape.js';
import { type Hub, hashOf, newId, newToken } from '../hub.js';
import { audited } from '../people/audit.js';
import { takeInvite } from '../people/invites.js';
import { notify } from '../stream/fanout.js';

export const joinShape = v.object({
  code: v.pipe(v.string(), v.maxLength(200)),
  name: v.nullish(
    v.pipe(
      text(100),
      v.transform((name) => name.replace(/\s+/g, ' ').trim()),
    ),
    '',
  ),
});

export interface Joined {
  readonly machine: string;
  /** What people call it: the invitation's name, or a number is added if the wanted one is taken. */
  readonly name: string;
  readonly token: string;
  /** The hub's public key, to be pinned. */
  readonly key: string;
}

/** Redeems an invitation. The token is in this answer and nowhere else. */
export async function join(hub: Hub, code: string, wanted: string): Promise<Joined> {
  const token = newToken('hpm_');
  const machine = newId();
  const name = await hub.db.tx(async (queries) => {
    const invite = await takeInvite(queries, code, 'machine', hub.clock());
    const free = await freeName(queries, invite.name || wanted || 'machine');
    await queries.query('insert into machines (id, name, token_hash, created_at) values ($1, $2, $3, $4)', [
      machine,
      free,
      hashOf(token),
      hub.clock(),
    ]);
    await audited(queries, `machine ${free}`, 'join', machine);
    await notify(queries, { kind: 'machine', id: machine });
    return free;
  });
  return { machine, name, token, key: hub.keys.publicKey };
}

/** The wanted name, with a number if it is taken. Joins wait for each other, so none takes it meanwhile. */
async function freeName(queries: Queries, wanted: string): Promise<string> {
  await queries.query('lock table machines in share row exclusive mode');
  const rows = await queries.query<{ name: string }>(
    `select name from machines where name = $1 or starts_with(name, $1 || '-')`,
    [wanted],
  );
  const taken = new Set(rows.map(({ name }) => name));
  if (!taken.has(wanted)) return wanted;
  let number = 2;
  while (taken.has(`${wanted}-${number}`)) number++;
  return `${wanted}-${number}`;
}
