import * as v from 'valibot';
import type { Database } from '../db/database.js';
import { Refusal } from '../db/refusal.js';
import { exportTo, importFrom } from '../db/transfer.js';
import { addPerson, listPeople, nameSchema, removePerson, roleSchema } from '../people/accounts.js';
import { audited } from '../people/audit.js';
import { invite, setupLink } from '../people/invites.js';
import { listMachines, revokeMachine } from '../people/machine-routes.js';
import { hashPassphrase, passphraseSchema } from '../people/passphrases.js';
import type { Keys } from '../requests/keys.js';

/** What the acts work on: a running hub, or only its database. */
export interface Office {
  readonly db: Database;
  /** Opened only when needed, because opening creates a key if there is none. */
  keys(): Promise<Keys>;
  /** Where machines and people reach the hub. */
  url(): Promise<string>;
}

const actor = 'command line';
const file = v.pipe(v.string(), v.startsWith('/', 'The file has to be given with its whole path.'));

export const actSchema = v.variant('act', [
  v.object({
    act: v.literal('user add'),
    name: nameSchema,
    role: roleSchema,
    passphrase: v.nullable(passphraseSchema),
  }),
  v.object({ act: v.literal('user list') }),
  v.object({ act: v.literal('user remove'), name: v.string() }),
  v.object({ act: v.literal('invite'), name: v.nullable(nameSchema) }),
  v.object({ act: v.literal('machines') }),
  v.object({ act: v.literal('revoke'), machine: v.string() }),
  v.object({ act: v.literal('rotate-key') }),
  v.object({ act: v.literal('export'), file }),
  v.object({ act: v.literal('import'), file }),
]);

export type Act = v.InferOutput<typeof actSchema>;

type Acts = { [K in Act['act']]: (office: Office, act: Extract<Act, { act: K }>) => Promise<object> };

const acts: Acts = {
  'user add': addUser,
  'user list': async ({ db }) => ({ items: await listPeople(db) }),
  'user remove': removeUser,
  invite: inviteMachine,
  machines: async ({ db }) => ({ items: await listMachines(db) }),
  revoke,
  'rotate-key': rotateKey,
  export: ({ db }, act) => exportTo(db, act.file),
  import: importInto,
};

/** Does what the command line asks. Throws an error with a message for the person if it cannot. */
export async function perform(office: Office, given: unknown): Promise<object> {
  const parsed = v.safeParse(actSchema, given);
  if (!parsed.success) throw new Refusal(parsed.issues[0].message);
  const run = acts[parsed.output.act] as (office: Office, act: Act) => Promise<object>;
  return run(office, parsed.output);
}

/** With a passphrase the person is added at once; without one they get a link to choose how to sign in. */
async function addUser(office: Office, act: Extract<Act, { act: 'user add' }>): Promise<object> {
  const { name, role } = act;
  if (act.passphrase === null) {
    const made = await office.db.tx((tx) => invite(tx, { purpose: 'person', name, role }, actor, new Date()));
    return { name, role, setup: setupLink(await office.url(), made.code), expiresAt: made.expiresAt };
  }
  const passphrase = await hashPassphrase(act.passphrase);
  return office.db.tx((tx) => addPerson(tx, { name, role, passphrase }, actor, new Date()));
}

async function removeUser({ db }: Office, { name }: { readonly name: string }): Promise<object> {
  return db.tx(async (tx) => {
    const [person] = await tx.query<{ id: string; name: string }>(
      'select id, name from people where (lower(name) = lower($1) or id = $1) and removed_at is null',
      [name],
    );
    if (!person) throw new Refusal(`There is nobody called ${name}.`);
    await removePerson(tx, person.id, actor, new Date());
    return person;
  });
}

async function inviteMachine(office: Office, { name }: { readonly name: string | null }): Promise<object> {
  const made = await office.db.tx((tx) =>
    invite(tx, { purpose: 'machine', name, role: null }, actor, new Date()),
  );
  return { url: await office.url(), code: made.code, expiresAt: made.expiresAt };
}

async function revoke({ db }: Office, { machine }: { readonly machine: string }): Promise<object> {
  return db.tx(async (tx) => {
    const [found] = await tx.query<{ id: string; name: string; revoked_at: Date | null }>(
      'select id, name, revoked_at from machines where name = $1 or id = $1 order by id = $1 desc limit 1',
      [machine],
    );
    if (!found) throw new Refusal(`There is no machine called ${machine}. \`machines\` lists them.`);
    if (found.revoked_at) throw new Refusal(`The machine ${found.name} was revoked before.`);
    await revokeMachine(tx, found.id, actor, new Date());
    return { id: found.id, name: found.name };
  });
}

async function rotateKey(office: Office): Promise<object> {
  const keys = await office.keys();
  const old = keys.id;
  await keys.rotate();
  await audited(office.db, actor, 'key rotated', keys.id, { old });
  return { id: keys.id, key: keys.publicKey, old };
}

async function importInto({ db }: Office, act: { readonly file: string }): Promise<object> {
  const before = await currentKey(db);
  const counts = await importFrom(db, act.file);
  const key = await currentKey(db);
  // The private key is not in the file: whoever moves a hub has to copy it.
  return { ...counts, newKey: key === before ? null : key };
}

async function currentKey(db: Database): Promise<string | null> {
  const [key] = await db.query<{ id: string }>('select id from keys where retired_at is null');
  return key?.id ?? null;
}
