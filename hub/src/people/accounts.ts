import * as v from 'valibot';
import type { Queries } from '../db/database.js';
import { ApiError } from '../http/errors.js';
import type { Person, Role } from '../http/who.js';
import { newId } from '../hub.js';
import { notify } from '../stream/fanout.js';
import { audited } from './audit.js';
import { takeInvite } from './invites.js';

export const roleSchema = v.picklist(['viewer', 'approver', 'admin'], 'A role is viewer, approver or admin.');

export const nameSchema = v.pipe(
  v.string('A name is text.'),
  v.transform((name) => name.normalize('NFC').trim()),
  v.regex(
    /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@' -]{0,63}$/u,
    'A name has 1 to 64 letters, digits, spaces or . _ @ - and starts with a letter or digit.',
  ),
);

export interface NewPerson {
  readonly name: string;
  readonly role: Role;
  /** From `hashPassphrase`; null for a person who only signs in by passkey. */
  readonly passphrase: string | null;
}

/** Adds a person. The name of somebody who was removed may be used again. */
export async function addPerson(
  queries: Queries,
  { name, role, passphrase }: NewPerson,
  actor: string,
  now: Date,
): Promise<Person> {
  await lockPeople(queries);
  const [row] = await queries.query<{ readonly id: string }>(
    `insert into people (id, name, role, passphrase, created_at) values ($1, $2, $3, $4, $5)
     on conflict (lower(name)) do update
     set name = $2, role = $3, passphrase = $4, created_at = $5, removed_at = null
     where people.removed_at is not null returning id`,
    [newId(), name, role, passphrase, now],
  );
  if (!row)
    throw new ApiError(409, 'name-taken', `There is already somebody called ${name}. Choose another name.`);
  const { id } = row;
  await audited(queries, actor, 'person added', name, { id, role });
  // Once the first person exists, setup links from earlier starts must not create a second one.
  await queries.query(
    `update invites set expires_at = $2 where purpose = 'person' and used_at is null
     and not exists (select 1 from people where removed_at is null and id <> $1)`,
    [id, now],
  );
  return { id, name, role };
}

/** Makes transactions that add people wait for each other. Lock this before the invitation. */
async function lockPeople(queries: Queries): Promise<void> {
  await queries.query('lock table people in share row exclusive mode');
}

/** Creates the invited person and uses up the invitation. */
export async function acceptInvite(
  tx: Queries,
  given: { readonly code: string; readonly name: string | undefined; readonly passphrase: string | null },
  now: Date,
): Promise<Person> {
  await lockPeople(tx);
  const invited = await takeInvite(tx, given.code, 'person', now);
  const name = invitedName(invited.name, given.name);
  const role = invited.role ?? 'viewer';
  return addPerson(tx, { name, role, passphrase: given.passphrase }, 'invitation', now);
}

/** The name of an invited person: their own choice, unless the invitation names one. */
export function invitedName(given: string | null, chosen: string | undefined): string {
  const name = given ?? chosen;
  if (name === undefined) throw new ApiError(422, 'shape', 'name: Choose a name.');
  if (chosen !== undefined && chosen !== name)
    throw new ApiError(422, 'shape', `name: This invitation is for ${name}.`);
  return name;
}

/** Removes a person and ends their sign-ins at once. The last admin stays. */
export async function removePerson(tx: Queries, id: string, actor: string, now: Date): Promise<void> {
  // The lock keeps two admins from removing each other at the same time.
  const admins = await tx.query<{ readonly id: string }>(
    `select id from people where role = 'admin' and removed_at is null for update`,
  );
  if (admins.length === 1 && admins[0]?.id === id)
    throw new ApiError(409, 'last-admin', 'The last admin cannot be removed. Invite another admin first.');
  const [person] = await tx.query<{ readonly name: string }>(
    'update people set removed_at = $2, passphrase = null where id = $1 and removed_at is null returning name',
    [id, now],
  );
  if (!person) throw new ApiError(404, 'not-found', 'There is no such person.');
  await tx.query('delete from sign_ins where person_id = $1', [id]);
  await tx.query('delete from passkeys where person_id = $1', [id]);
  await audited(tx, actor, 'person removed', person.name, { id });
  await notify(tx, { kind: 'machine', person: id });
}

/** Everybody who may sign in. */
export async function listPeople(queries: Queries): Promise<Record<string, unknown>[]> {
  return queries.query(
    `select id, name, role, created_at as "createdAt",
            (select count(*)::int from passkeys where person_id = people.id) as passkeys,
            (select max(created_at) from sign_ins where person_id = people.id) as "lastSignIn"
     from people where removed_at is null order by name`,
  );
}
