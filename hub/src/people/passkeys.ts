import { isIP } from 'node:net';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from '@simplewebauthn/server';
import { type Context, Hono } from 'hono';
import * as v from 'valibot';
import type { Queries } from '../db/database.js';
import { readJson } from '../http/body.js';
import { ApiError } from '../http/errors.js';
import { checkOrigin } from '../http/origin.js';
import { notSignedIn, type Person, type Role } from '../http/who.js';
import { type Hub, newId } from '../hub.js';
import { acceptInvite, invitedName, nameSchema } from './accounts.js';
import { audited } from './audit.js';
import { findInvite } from './invites.js';
import { me } from './me.js';
import { personOf, startSignIn } from './sign-ins.js';

const validFor = 5 * 60 * 1000;
const mostOpen = 10_000;

type Purpose = 'register' | 'setup' | 'login';

const text = v.pipe(v.string(), v.maxLength(20_000));
const common = {
  id: v.pipe(v.string(), v.maxLength(1400)),
  rawId: text,
  type: v.literal('public-key'),
  clientExtensionResults: v.optional(v.record(v.string(), v.unknown()), {}),
};
const registration = v.looseObject({
  ...common,
  response: v.looseObject({
    clientDataJSON: text,
    attestationObject: text,
    transports: v.optional(v.array(v.pipe(v.string(), v.maxLength(40)))),
  }),
});
const assertion = v.looseObject({
  ...common,
  response: v.looseObject({ clientDataJSON: text, authenticatorData: text, signature: text }),
});
const beginBody = v.object({ code: v.optional(v.string()), name: v.optional(nameSchema) });
const id = v.pipe(v.string(), v.maxLength(100));
const registerBody = v.object({ ...beginBody.entries, id, response: registration });
const loginBody = v.object({ id, response: assertion });

/**
 * Passkeys. `begin` returns `{"id","options"}`, the options for SimpleWebAuthn in the browser; `finish` takes
 * `{"id","response"}`. Registering is for signed-in people, or with `code` and `name` for invited ones.
 */
export function passkeyRoutes(hub: Hub): Hono {
  const app = new Hono();
  const base = '/api/v1/passkeys';

  app.post(`${base}/register/begin`, async (c) => {
    checkOrigin(c, 'required');
    const { code, name } = await readJson(c, beginBody);
    const party = relyingParty(hub);
    const person = code === undefined ? await signedIn(c) : null;
    const invited = code === undefined ? null : await findInvite(hub.db, code, hub.clock());
    const userName = person?.name ?? invitedName(invited?.name ?? null, name);
    const known = await credentialsOf(hub.db, person?.id ?? '');
    const options = await generateRegistrationOptions({
      rpName: 'Holdpoint',
      rpID: party.id,
      userName,
      userDisplayName: userName,
      ...(person && { userID: Buffer.from(person.id) }),
      excludeCredentials: known.map(({ id, transports }) => ({ id, transports: transports ?? [] })),
      // The passkey is the only credential, so it must verify its user and be found without a name.
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      timeout: validFor,
    });
    const purpose = person ? 'register' : 'setup';
    return c.json({ id: await keepChallenge(hub, options.challenge, purpose, person?.id ?? null), options });
  });

  app.post(`${base}/register/finish`, async (c) => {
    checkOrigin(c, 'required');
    const { code, name, id, response } = await readJson(c, registerBody);
    const person = code === undefined ? await signedIn(c) : null;
    const purpose = person ? 'register' : 'setup';
    const challenge = await takeChallenge(hub, id, purpose, person?.id ?? null);
    const credential = await verifiedRegistration(hub, challenge, response as RegistrationResponseJSON);
    const owner = await hub.db.tx(async (tx) => {
      const into = person ?? (await invitedPerson(c, tx, code ?? '', name));
      await keepCredential(tx, into, credential, hub.clock());
      return into;
    });
    return c.json(me(hub, owner));
  });

  app.post(`${base}/login/begin`, async (c) => {
    checkOrigin(c, 'required');
    const options = await generateAuthenticationOptions({
      rpID: relyingParty(hub).id,
      userVerification: 'required',
      timeout: validFor,
    });
    return c.json({ id: await keepChallenge(hub, options.challenge, 'login', null), options });
  });

  app.post(`${base}/login/finish`, async (c) => {
    checkOrigin(c, 'required');
    const { id, response } = await readJson(c, loginBody);
    const challenge = await takeChallenge(hub, id, 'login', null);
    const person = await verifiedLogin(hub, challenge, response as AuthenticationResponseJSON);
    await hub.db.tx((tx) => startSignIn(c, tx, person, 'passkey'));
    return c.json(me(hub, person));
  });
  return app;
}

/** The host name and origin that passkeys are bound to. Browsers do not accept IP addresses. */
function relyingParty(hub: Hub): { readonly id: string; readonly origin: string } {
  const { hostname, origin, protocol } = new URL(hub.publicUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, '')))
    throw new ApiError(
      422,
      'passkey-host',
      `Passkeys need a host name, not the address ${hostname}. Open the hub at http://localhost, or give it a name with --public-url.`,
    );
  if (protocol !== 'https:' && hostname !== 'localhost' && !hostname.endsWith('.localhost'))
    throw new ApiError(
      422,
      'passkey-host',
      `Passkeys need https, and the hub is at ${origin}. Put it behind https, or sign in by passphrase.`,
    );
  return { id: hostname, origin };
}

async function signedIn(c: Context): Promise<Person> {
  const person = await personOf(c);
  if (!person) throw notSignedIn();
  return person;
}

async function invitedPerson(
  c: Context,
  tx: Queries,
  code: string,
  name: string | undefined,
): Promise<Person> {
  const person = await acceptInvite(tx, { code, name, passphrase: null }, c.var.hub.clock());
  await startSignIn(c, tx, person, 'invitation');
  return person;
}

/** Stores the challenge for five minutes and returns its id. */
async function keepChallenge(
  hub: Hub,
  challenge: string,
  purpose: Purpose,
  person: string | null,
): Promise<string> {
  const now = hub.clock();
  // A flood must not keep anybody from signing in, so it is the oldest that go.
  await hub.db.query(
    `delete from challenges where expires_at <= $1
     or id in (select id from challenges order by expires_at desc offset ${mostOpen})`,
    [now],
  );
  const made = newId();
  await hub.db.query(
    'insert into challenges (id, person_id, challenge, purpose, expires_at) values ($1, $2, $3, $4, $5)',
    [made, person, challenge, purpose, new Date(now.getTime() + validFor)],
  );
  return made;
}

/** Each challenge can be answered once. */
async function takeChallenge(
  hub: Hub,
  made: string,
  purpose: Purpose,
  person: string | null,
): Promise<string> {
  const [row] = await hub.db.query<{ readonly challenge: string }>(
    `delete from challenges where id = $1 and purpose = $2 and expires_at > $3
     and person_id is not distinct from $4 returning challenge`,
    [made, purpose, hub.clock(), person],
  );
  if (!row) throw refused('It took longer than five minutes, or was answered before. Try again.');
  return row.challenge;
}

async function verifiedRegistration(
  hub: Hub,
  expectedChallenge: string,
  response: RegistrationResponseJSON,
): Promise<WebAuthnCredential> {
  const party = relyingParty(hub);
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
  }).catch((error: unknown) => {
    throw refused(error instanceof Error ? error.message : '');
  });
  if (!verified || !registrationInfo) throw refused('');
  return { ...registrationInfo.credential, transports: response.response.transports ?? [] };
}

async function verifiedLogin(
  hub: Hub,
  expectedChallenge: string,
  response: AuthenticationResponseJSON,
): Promise<Person> {
  const [row] = await hub.db.query<Person & { key: Uint8Array<ArrayBuffer>; counter: number; role: Role }>(
    `select people.id, people.name, people.role, public_key as key, counter::int8 as counter
     from passkeys join people on people.id = person_id where passkeys.id = $1 and removed_at is null`,
    [response.id],
  );
  if (!row) throw refused('The hub does not know this passkey.');
  const party = relyingParty(hub);
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    credential: { id: response.id, publicKey: new Uint8Array(row.key), counter: row.counter },
  }).catch((error: unknown) => {
    throw refused(error instanceof Error ? error.message : '');
  });
  if (!verified) throw refused('');
  await hub.db.query('update passkeys set counter = $2 where id = $1', [
    response.id,
    authenticationInfo.newCounter,
  ]);
  return { id: row.id, name: row.name, role: row.role };
}

async function keepCredential(
  tx: Queries,
  person: Person,
  { id, publicKey, counter, transports }: WebAuthnCredential,
  now: Date,
): Promise<void> {
  const [known] = await tx.query('select 1 from passkeys where id = $1', [id]);
  if (known) throw new ApiError(409, 'passkey-known', 'This passkey is registered already.');
  await tx.query(
    `insert into passkeys (id, person_id, public_key, counter, transports, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, person.id, publicKey, counter, transports ?? [], now],
  );
  await audited(tx, person.name, 'passkey added', person.name, { passkey: id.slice(0, 12) });
}

function credentialsOf(
  queries: Queries,
  person: string,
): Promise<{ readonly id: string; readonly transports: string[] | null }[]> {
  return queries.query('select id, transports from passkeys where person_id = $1', [person]);
}

function refused(why: string): ApiError {
  return new ApiError(401, 'passkey', `The passkey was not accepted. ${why}`.trim());
}
