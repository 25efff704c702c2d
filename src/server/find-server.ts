import { setTimeout as wait } from 'node:timers/promises';
import { askServer } from './ask';
import { holderAt, type LockHolder } from './lock-holder';
import type { RuntimePlace } from './place';
import type { ServerStatus } from './server-status';

/** Who is found at the place of a server: nobody, one that answers, or one that is there and says nothing. */
export type Found =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'answers'; readonly status: ServerStatus }
  | { readonly kind: 'silent'; readonly holder: LockHolder };

/** As long as clients wait: one that takes longer is of no use to them. */
const SILENT_AFTER_MS = 3000;
const LOOK_MS = 20;

/**
 * Looks for a server. One that is still starting holds its lock before it answers, so silent is only who has held it
 * for all the time and has said nothing.
 */
export async function findServer(place: RuntimePlace): Promise<Found> {
  let holder = holderAt(place);
  let until = Date.now() + SILENT_AFTER_MS;
  for (;;) {
    const withinMs = holder === undefined ? undefined : Math.max(until - Date.now(), LOOK_MS);
    const status = await askServer(place.socket, withinMs);
    if (status !== undefined) return { kind: 'answers', status };
    const now = holderAt(place);
    if (now === undefined) return { kind: 'nobody' };
    if (now.identity !== holder?.identity) {
      holder = now;
      until = Date.now() + SILENT_AFTER_MS;
    } else if (Date.now() >= until) return { kind: 'silent', holder };
    await wait(LOOK_MS);
  }
}
