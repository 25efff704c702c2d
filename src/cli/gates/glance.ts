import { join } from 'node:path';
import type { CompiledConfig } from '../../core/config-cache';
import type { JsonObject } from '../../core/json';
import { type GatesConfig, withEnvironment } from '../../guards/gates/config';
import { livingLease } from '../../guards/gates/run/lease';
import { LOCK_NAME, logDirOf } from '../../guards/gates/run/logs';
import { readState } from '../../guards/gates/run/state';
import { ago } from '../output/ago';
import type { Context } from '../verb';

/** How the gates of a project stand, for who looks at everything at once. */
export interface GatesGlance {
  readonly gates: number;
  /** Whether they run at the end of turns. */
  readonly atStops: boolean;
  readonly lastStatus: string | undefined;
  /** Milliseconds since the epoch. */
  readonly lastRunAt: number | undefined;
  readonly failing: readonly string[];
  /** Whether a run is going on. */
  readonly running: boolean;
}

export function glanceAtGates(
  compiled: CompiledConfig | undefined,
  root: string,
  env: Context['env'],
  now: number,
): GatesGlance | undefined {
  const index = compiled?.head.guards.findIndex(({ name }) => name === 'gates') ?? -1;
  if (compiled === undefined || index < 0) return undefined;
  const config = compiled.configOf(index) as GatesConfig;
  const logDir = logDirOf(root, config);
  const state = readState(logDir);
  const at = Date.parse(state?.last_run_completed_at ?? '');
  return {
    gates: config.checks.length + config.reviews.length,
    atStops: withEnvironment(config.stopHook, (name) => env[name] ?? '').enabled,
    lastStatus: state?.last_status,
    lastRunAt: Number.isNaN(at) ? undefined : at,
    failing: state?.failing ?? [],
    running: livingLease(join(logDir, LOCK_NAME), now) !== undefined,
  };
}

/** One row: how many there are, how the last run ended, and what to do about it. */
export function gatesRow(
  { gates, lastStatus, lastRunAt, failing, running }: GatesGlance,
  now: number,
): string[] {
  const last =
    lastRunAt === undefined ? 'never run' : `${lastStatus ?? 'run'} ${ago((now - lastRunAt) / 1000)}`;
  const next = failing.length > 0 ? `failing: ${failing.join(', ')}; holdpoint gates run` : '';
  return [`${gates} ${gates === 1 ? 'gate' : 'gates'}`, running ? 'running now' : last, next];
}

export function gatesJson(glance: GatesGlance | undefined): JsonObject | null {
  if (glance === undefined) return null;
  const { gates, atStops, lastStatus, lastRunAt, failing, running } = glance;
  return {
    gates,
    at_stops: atStops,
    last_status: lastStatus ?? null,
    last_run_at: lastRunAt === undefined ? null : new Date(lastRunAt).toISOString(),
    failing: [...failing],
    running,
  };
}
