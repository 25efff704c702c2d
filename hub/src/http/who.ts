import type { Context, MiddlewareHandler } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Hub } from '../hub.js';
import { personOf } from '../people/sign-ins.js';
import { ApiError } from './errors.js';
import { checkOrigin } from './origin.js';

export type Role = 'viewer' | 'approver' | 'admin';

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

declare module 'hono' {
  interface ContextVariableMap {
    hub: Hub;
    /** The machine's id; set by `machineOnly`. */
    machine: string;
    /** Set by `personOnly`. */
    person: Person;
    /** Set once a credential was found valid: the machine's id, or the sign-in's. */
    credential: string;
  }
}

const rank: Record<Role, number> = { viewer: 0, approver: 1, admin: 2 };

/** Lets only a joined machine through, as `c.var.machine`. */
export const machineOnly: MiddlewareHandler = createMiddleware(async (c, next) => {
  const machine = await machineOf(c);
  if (!machine) throw (await personOf(c)) ? wrongKind('machine') : notSignedIn();
  c.set('machine', machine);
  await next();
});

/** Lets only a signed-in person with at least this role through, as `c.var.person`. */
export function personOnly(role: Role): MiddlewareHandler {
  return createMiddleware(async (c, next) => {
    const person = await personOf(c);
    if (!person) throw (await machineOf(c)) ? wrongKind('person') : notSignedIn();
    checkOrigin(c, 'required');
    if (rank[person.role] < rank[role])
      throw new ApiError(403, 'role', `This needs the role ${role}; yours is ${person.role}.`);
    c.set('person', person);
    await next();
  });
}

/** The sender: a machine by its token, a person by the cookie, or null. */
export async function whoAsks(c: Context): Promise<{ machine: string } | { person: Person } | null> {
  const machine = await machineOf(c);
  if (machine) return { machine };
  const person = await personOf(c);
  return person ? { person } : null;
}

export function notSignedIn(): ApiError {
  return new ApiError(401, 'credentials', 'Sign in, or send a valid machine token.');
}

async function machineOf(c: Context): Promise<string | null> {
  const token = /^Bearer (hpm_[\w-]{10,100})$/i.exec(c.req.header('authorization') ?? '')?.[1];
  if (!token) return null;
  const { hub } = c.var;
  const row = await hub.machineByToken(token);
  if (row?.revoked_at)
    throw new ApiError(401, 'revoked', 'This machine was revoked. Join again with a new invitation.');
  if (!row) return null;
  hub.seen(row.id);
  c.set('credential', row.id);
  return row.id;
}

function wrongKind(kind: 'machine' | 'person'): ApiError {
  return kind === 'machine'
    ? new ApiError(403, 'machine-only', 'Only a machine may do this, with its token.')
    : new ApiError(403, 'person-only', 'Only a person may do this, signed in on the page.');
}
