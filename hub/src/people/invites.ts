import type { Queries } from '../db/database.js';
import { ApiError } from '../http/errors.js';
import type { Role } from '../http/who.js';
import { hashOf, newToken } from '../hub.js';
import { audited } from './audit.js';

const validFor = 24 * 3600 * 1000;

export interface Invitation {
  readonly purpose: 'machine' | 'person';
  /** The name it is for; null leaves the choice to the invited person or machine. */
  readonly name: string | null;
  /** Only for people. */
  readonly role: Role | null;
}

/** Creates a code that works once, within 24 hours. */
export async function invite(
  queries: Queries,
  { purpose, name, role }: Invitation,
  actor: string,
  now: Date,
): Promise<{ readonly code: string; readonly expiresAt: Date }> {
  const code = newToken('hpi_');
  const expiresAt = new Date(now.getTime() + validFor);
  await queries.query(
    'insert into invites (code_hash, purpose, name, role, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)',
    [hashOf(code), purpose, name, role, now, expiresAt],
  );
  await audited(queries, actor, `${purpose} invited`, name ?? '', role ? { role } : {});
  return { code, expiresAt };
}

/** Where an invited person opens the page. The code is behind the `#`, which no proxy logs. */
export function setupLink(publicUrl: string, code: string): string {
  return `${publicUrl}/#setup=${code}`;
}

/** Uses up the code, in the transaction that creates what it was for. */
export async function takeInvite(
  tx: Queries,
  code: string,
  purpose: Invitation['purpose'],
  now: Date,
): Promise<Pick<Invitation, 'name' | 'role'>> {
  const [row] = await tx.query<Pick<Invitation, 'name' | 'role'>>(
    `update invites set used_at = $3
     where code_hash = $1 and purpose = $2 and used_at is null and expires_at > $3 returning name, role`,
    [hashOf(code), purpose, now],
  );
  if (!row) throw await refusal(tx, code, purpose);
  return row;
}

/** Reads the invitation without using it up. */
export async function findInvite(
  queries: Queries,
  code: string,
  now: Date,
): Promise<Pick<Invitation, 'name' | 'role'>> {
  const [row] = await queries.query<Pick<Invitation, 'name' | 'role'>>(
    `select name, role from invites
     where code_hash = $1 and purpose = 'person' and used_at is null and expires_at > $2`,
    [hashOf(code), now],
  );
  if (!row) throw await refusal(queries, code, 'person');
  return row;
}

/** Why a code cannot be used. */
async function refusal(queries: Queries, code: string, purpose: Invitation['purpose']): Promise<ApiError> {
  const [found] = await queries.query<{ purpose: string; used_at: Date | null }>(
    'select purpose, used_at from invites where code_hash = $1',
    [hashOf(code)],
  );
  const why =
    found === undefined
      ? 'This code is not known.'
      : found.purpose !== purpose
        ? `This code invites a ${found.purpose}, not a ${purpose}.`
        : `This code ${found.used_at ? 'was used already' : 'has expired'}.`;
  const how = purpose === 'machine' ? ': `holdpoint hub invite`' : '';
  return new ApiError(403, 'code', `${why} Ask for a new one${how}.`);
}
