import type { Person } from '../http/who.js';
import type { Hub } from '../hub.js';

/** What the page learns about the signed-in person. */
export function me(hub: Hub, { name, role }: Person): Record<string, unknown> {
  return { name, role, hub: { version: hub.version, url: hub.publicUrl } };
}
