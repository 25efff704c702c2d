import type { Context } from 'hono';
import type { Person } from '../http/who.js';

/** The person whose cookie came with the request. */
export async function personOf(_c: Context): Promise<Person | null> {
  return null;
}
