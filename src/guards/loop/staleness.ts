import type { LoopConfig } from './config';
import type { Frame } from './frame';
import type { LoopState } from './state';
import { parseTime } from './times';

/** Clocks of machines that share a store may differ by this much. */
const SKEW_MS = 300_000;

export type Freshness = { readonly kind: 'fresh' } | { readonly kind: 'stale'; readonly why: string };

/**
 * Whether a state is recent enough to act on; `heartbeat` is the last sign of life that we saw of the session's loop.
 * One that was never stamped is; one whose stamp cannot be read, or lies in the future, is not: nobody could tell when
 * it would ever end.
 */
export function freshnessOf(
  { envelope }: LoopState,
  ttlSeconds: number,
  now: number,
  heartbeat: number | undefined,
): Freshness {
  const written = envelope['updated_at'];
  if (written === undefined || written === null) return { kind: 'fresh' };
  const at = typeof written === 'string' ? parseTime(written) : undefined;
  if (at === undefined) return stale(`its updated_at is no time (${JSON.stringify(written).slice(0, 60)})`);
  if (at - now > SKEW_MS) return stale(`its updated_at lies in the future (${String(written)})`);
  const seconds = Math.floor((now - Math.max(at, heartbeat ?? 0)) / 1000);
  return seconds > ttlSeconds
    ? stale(`its last sign of life was ${seconds} s ago, more than ${ttlSeconds}`)
    : { kind: 'fresh' };
}

/** Seconds without a sign of life after which a loop with this frame on top is stale. */
export function ttlOf(top: Frame | undefined, { ttlSeconds }: Pick<LoopConfig, 'ttlSeconds'>): number {
  const own = top?.raw['ttl_s'];
  return typeof own === 'number' && own > 0 ? own : ttlSeconds;
}

function stale(why: string): Freshness {
  return { kind: 'stale', why };
}
