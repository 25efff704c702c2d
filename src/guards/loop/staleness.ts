import type { Frame } from './frame';
import type { LoopState } from './state';
import { parseTime } from './times';

/** Clocks of machines that share a store may differ by this much. */
const SKEW_MS = 300_000;

export type Freshness = { readonly kind: 'fresh' } | { readonly kind: 'stale'; readonly why: string };

export interface Clock {
  readonly ttlSeconds: number;
  readonly now: number;
  /** The last sign of life that we saw of the session's loop. */
  readonly heartbeat?: number | undefined;
}

/**
 * Whether a state is recent enough to act on. One that was never stamped is; one whose stamp cannot be
 * read, or lies in the future, is not: nobody could tell when it would ever end.
 */
export function freshnessOf({ envelope }: LoopState, top: Frame | undefined, clock: Clock): Freshness {
  const written = envelope['updated_at'];
  if (written === undefined || written === null) return { kind: 'fresh' };
  const at = typeof written === 'string' ? parseTime(written) : undefined;
  if (at === undefined) return stale(`its updated_at is no time (${JSON.stringify(written).slice(0, 60)})`);
  if (at - clock.now > SKEW_MS) return stale(`its updated_at lies in the future (${String(written)})`);
  const seconds = Math.floor((clock.now - Math.max(at, clock.heartbeat ?? 0)) / 1000);
  const ttl = ttlOf(top, clock.ttlSeconds);
  return seconds > ttl
    ? stale(`its last sign of life was ${seconds} s ago, more than ${ttl}`)
    : { kind: 'fresh' };
}

function ttlOf(top: Frame | undefined, fallback: number): number {
  const own = top?.raw['ttl_s'];
  return typeof own === 'number' && own > 0 ? own : fallback;
}

function stale(why: string): Freshness {
  return { kind: 'stale', why };
}
