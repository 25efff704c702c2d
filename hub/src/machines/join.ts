import * as v from 'valibot';
import type { Queries } from '../db/database.js';
import { ApiError } from '../http/errors.js';
import { type Hub, hashOf, newId, newToken } from '../hub.js';
import { audited } from '../people/audit.js';
import { notify } from '../stream/fanout.js';

export const joinShape = v.object({
  code: v.pipe(v.string(), v.maxLength(200)),
  name: v.nullish(v.pipe(v.string(), v.trim(), v.maxLength(100)), ''),
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
    const invite = await useInvite(queries, code, hub.clock());
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

async function useInvite(queries: Queries, code: string, now: Date): Promise<{ name: string | null }> {
  const hash = hashOf(code);
  const [used] = await queries.query<{ name: string | null }>(
    `update invites set used_at = $2 where code_hash = $1 and purpose = 'machine' and used_at is null
     and expires_at > $2 returning name`,
    [hash, now],
  );
  if (used) return used;
  const [invite] = await queries.query<{ purpose: string; used_at: Date | null }>(
    'select purpose, used_at from invites where code_hash = $1',
    [hash],
  );
  throw new ApiError(403, 'code', `${reasonFor(invite)} Ask for a new one: \`holdpoint hub invite\`.`);
}

function reasonFor(invite: { purpose: string; used_at: Date | null } | undefined): string {
  if (!invite) return 'This code is not known.';
  if (invite.purpose !== 'machine') return 'This code invites a person, not a machine.';
  return invite.used_at ? 'This code was used already.' : 'This code has expired.';
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
