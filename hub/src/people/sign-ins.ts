import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Queries } from '../db/database.js';
import type { Person, Role } from '../http/who.js';
import { hashOf, newToken } from '../hub.js';
import { notify } from '../stream/fanout.js';
import { audited } from './audit.js';

const cookie = 'holdpoint_hub';
/**
 * A secret that the page keeps to itself. Browsers send a cookie to every port of a host, so also to a server
 * that an agent started on `localhost`; but only pages of the same port can read what a page stores.
 */
const pageHeader = 'x-holdpoint-page';
const day = 24 * 3600 * 1000;
const absolute = 30 * day;
const idle = 7 * day;
/** The expiry is only moved by more than this: one write an hour, not one per request. */
const slack = 3600 * 1000;

interface SignInRow {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** Signs the person in: stores a row and sets the cookie. */
export async function startSignIn(c: Context, tx: Queries, person: Person, means: string): Promise<void> {
  const { hub } = c.var;
  const secret = c.req.header(pageHeader);
  // The cookie contains the digest of the page's secret; without a secret the cookie alone is enough.
  const token = secret ? `${newToken('hps_')}.${hashOf(secret)}` : newToken('hps_');
  const now = hub.clock();
  await tx.query('delete from sign_ins where expires_at <= $1', [now]);
  await tx.query(
    'insert into sign_ins (token_hash, person_id, created_at, expires_at) values ($1, $2, $3, $4)',
    [hashOf(token), person.id, now, new Date(now.getTime() + idle)],
  );
  await audited(tx, person.name, 'signed in', person.name, { means });
  setCookie(c, cookie, token, { ...cookieOptions(c), maxAge: absolute / 1000 });
}

/** Ends the sign-in whose cookie came with the request. */
export async function endSignIn(c: Context, person: Person): Promise<void> {
  const token = getCookie(c, cookie) ?? '';
  await c.var.hub.db.tx(async (tx) => {
    await tx.query('delete from sign_ins where token_hash = $1', [hashOf(token)]);
    await audited(tx, person.name, 'signed out', person.name);
    await notify(tx, { kind: 'machine', person: person.id });
  });
  deleteCookie(c, cookie, cookieOptions(c));
}

/** The person whose cookie came with the request. */
export async function personOf(c: Context): Promise<Person | null> {
  const token = getCookie(c, cookie);
  if (!token?.startsWith('hps_') || !isFromPage(c, token)) return null;
  const { db, clock } = c.var.hub;
  const now = clock();
  const hash = hashOf(token);
  const [row] = await db.query<SignInRow>(
    `select people.id, name, role, sign_ins.created_at, expires_at
     from sign_ins join people on people.id = person_id
     where token_hash = $1 and expires_at > $2 and removed_at is null`,
    [hash, now],
  );
  if (!row) return null;
  const end = new Date(Math.min(now.getTime() + idle, row.created_at.getTime() + absolute));
  if (end.getTime() - row.expires_at.getTime() > slack)
    await db.query('update sign_ins set expires_at = $2 where token_hash = $1', [hash, end]);
  c.set('credential', hash);
  return { id: row.id, name: row.name, role: row.role };
}

/** Whether the page that signed in asks. A stream only shows, and browsers cannot add our header to it. */
function isFromPage(c: Context, token: string): boolean {
  const [, digest] = token.split('.');
  if (digest === undefined || (c.req.method === 'GET' && c.req.path === '/api/v1/stream')) return true;
  return hashOf(c.req.header(pageHeader) ?? '') === digest;
}

function cookieOptions(c: Context): { httpOnly: true; sameSite: 'Strict'; path: '/'; secure: boolean } {
  return {
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
    secure: c.var.hub.publicUrl.startsWith('https:'),
  };
}
