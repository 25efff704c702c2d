import { ApiError } from '../http/errors.js';
import type { Person } from '../http/who.js';
import type { Hub } from '../hub.js';

/** What the page is told about whoever is signed in. */
export function me(hub: Hub, { name, role }: Person): Record<string, unknown> {
  return { name, role, hub: { version: hub.version, url: hub.publicUrl } };
}

/** The name of an invited person: their own choice unless the invitation says one. */
export function invitedName(given: string | null, chosen: string | undefined): string {
  const name = given ?? chosen;
  if (name === undefined) throw new ApiError(422, 'shape', 'name: Choose a name.');
  if (chosen !== undefined && chosen !== name)
    throw new ApiError(422, 'shape', `name: This invitation is for ${name}.`);
  return name;
}
