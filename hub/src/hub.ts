import { createHash, randomBytes } from 'node:crypto';
import type { Database } from './db/database.js';
import type { Log } from './http/log.js';
import type { Metrics } from './http/metrics.js';
import type { Streams } from './http/streams.js';
import type { FindMachine } from './machines/tokens.js';
import type { Keys } from './requests/keys.js';
import type { Fanout } from './stream/fanout.js';

/** One running hub: what every route may use. */
export interface Hub {
  readonly db: Database;
  readonly keys: Keys;
  /** Where people and machines reach the hub, without a trailing slash. */
  readonly publicUrl: string;
  /** Whether `--public-url` announced a proxy in front. Only then X-Forwarded-* is trusted. */
  readonly behindProxy: boolean;
  /** The host that it listens on, as given. */
  readonly host: string;
  readonly version: string;
  clock(): Date;
  readonly log: Log;
  readonly fanout: Fanout;
  readonly metrics: Metrics;
  /** Records that a machine was seen. */
  seen(machine: string): void;
  readonly machineByToken: FindMachine;
  /** Open event streams. */
  readonly streams: Streams;
}

/** An id for a row. */
export function newId(): string {
  // A command would take an id that begins with a dash for an option.
  return randomBytes(16).toString('base64url').replace(/^-/, 'a');
}

const tokenBytes = { hpm_: 32, hpi_: 20, hps_: 32 } as const;

/** A secret to hand out: of a machine (`hpm_`), an invitation (`hpi_`) or a sign-in (`hps_`). */
export function newToken(kind: keyof typeof tokenBytes): string {
  return kind + randomBytes(tokenBytes[kind]).toString('base64url');
}

/** The form in which a handed-out secret is stored. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
