import { join } from 'node:path';
import { type Diagnostic, formatDiagnostic } from '../../config/diagnostics';
import type { JsonObject } from '../../core/json';
import { type CompiledConfig, projectAbove } from '../../core/project';
import { type GatesConfig, ofMode, withEnvironment } from '../../guards/gates/config';
import { livingLease } from '../../guards/gates/run/lease';
import { LOCK_NAME, logDirOf } from '../../guards/gates/run/logs';
import { leaseNote, lockBelief, runRecordFile } from '../../guards/gates/run/run-record';
import { readState } from '../../guards/gates/run/state';
import { gatesSection } from '../../guards/gates/section';
import type { Context } from '../context';
import { NO_PROJECT } from '../messages';
import { guardConfig } from '../project';
import { ago, plural } from '../ui/output';
import { cannotRun } from '../ui/refusal';

/** The gates of the project in which the person stands, with what is wrong with their config. */
export type GatesHere = NonNullable<ReturnType<typeof gatesHere>>;

/** What is said where no gates are configured. */
export const NO_GATES =
  'No gates are configured here. Add a `gates` section to .holdpoint/config.yaml, or run ' +
  '`holdpoint gates init` to write .gauntlet/config.yml.';

/** Reads the config anew, since a command shows its mistakes with their lines. `undefined` outside of projects. */
export function gatesHere({ cwd, env, chunks }: Context) {
  const project = projectAbove(cwd, env['HOME'] ?? '');
  if (project === undefined) return undefined;
  const { compileConfig } = chunks.configCompiler();
  const { guards, sources, diagnostics: all } = compileConfig(project.root, project.home);
  const diagnostics = all.filter(
    ({ topKey }) => topKey === undefined || Object.hasOwn(gatesSection.keys, topKey),
  );
  return {
    root: project.root,
    /** Absent where the project has none. */
    config: guards.find(({ name }) => name === 'gates')?.config as GatesConfig | undefined,
    /** The files that say something about gates, as they are shown. */
    files: sources
      .filter(({ shown, value }) => shown.includes('gauntlet') || Object.hasOwn(value, 'gates'))
      .map(({ shown }) => shown),
    diagnostics,
    errors: diagnostics.filter(({ severity }) => severity === 'error'),
  };
}

/** Gates that can be worked with. */
export type Configured = GatesHere & { readonly config: GatesConfig };

/** The gates here; refuses where there are none. */
export function requireGates(context: Context): Configured {
  const here = gatesHere(context);
  if (here?.config === undefined) throw cannotRun(here === undefined ? NO_PROJECT : NO_GATES);
  return { ...here, config: here.config };
}

/** Prints what is wrong with the config, each with its line underlined. */
export function showDiagnostics(diagnostics: readonly Diagnostic[], { out }: Context): void {
  for (const diagnostic of diagnostics) out.error(formatDiagnostic(diagnostic));
}

/** The same for programs. */
export function diagnosticJson({ code, severity, message, hint, place }: Diagnostic): object {
  const { file, line, column } = place;
  return { code, severity, message, file, line, column, ...(hint !== undefined && { hint }) };
}

/** The gates of a project for `holdpoint status`. */
export type GatesGlance = NonNullable<ReturnType<typeof glanceAtGates>>;

/** Looks at the config, the state and the lock of the gates; nothing where there are none. */
export function glanceAtGates(
  compiled: CompiledConfig | undefined,
  root: string,
  env: Context['env'],
  now: number,
) {
  const config = guardConfig(compiled, 'gates') as GatesConfig | undefined;
  if (config === undefined) return undefined;
  const logDir = logDirOf(root, config);
  const record = runRecordFile(root, logDir);
  const lock = join(logDir, LOCK_NAME);
  const believes = lockBelief(lock, leaseNote(record), config.home, undefined);
  const state = readState(logDir);
  const at = Date.parse(state?.last_run_completed_at ?? '');
  const counted = ({ checks, reviews }: GatesConfig): number => checks.length + reviews.length;
  return {
    gates: counted(ofMode(config, 'hold')),
    /** Those that do not hold, by their mode. */
    apart: { warn: counted(ofMode(config, 'warn')), shadow: counted(ofMode(config, 'shadow')) },
    /** Whether they run at the end of turns. */
    atStops: withEnvironment(config.stopHook, (name) => env[name] ?? '').enabled,
    lastStatus: state?.last_status,
    /** Milliseconds since the epoch. */
    lastRunAt: Number.isNaN(at) ? undefined : at,
    failing: state?.failing ?? [],
    /** Whether a run is going on. */
    running: livingLease(lock, now, believes) !== undefined,
  };
}

/** One row: how many there are, how the last run ended, and what to do about it. */
export function gatesRow(glance: GatesGlance, now: number): string[] {
  const { gates, apart, lastStatus, lastRunAt, failing, running } = glance;
  const others = Object.entries(apart).flatMap(([mode, count]) =>
    count > 0 ? [`${count} in ${mode} mode`] : [],
  );
  const last =
    lastRunAt === undefined ? 'never run' : `${lastStatus ?? 'run'} ${ago((now - lastRunAt) / 1000)}`;
  const next = failing.length > 0 ? `failing: ${failing.join(', ')}; \`holdpoint gates run\` shows why` : '';
  const all = [plural(gates, 'gate'), ...others].join(', ');
  return [all, running ? 'running now' : last, next];
}

/** The same for programs. */
export function gatesJson(glance: GatesGlance | undefined): JsonObject | null {
  if (glance === undefined) return null;
  const { gates, apart, atStops, lastStatus, lastRunAt, failing, running } = glance;
  return {
    gates,
    ...(apart.warn > 0 && { warn: apart.warn }),
    ...(apart.shadow > 0 && { shadow: apart.shadow }),
    at_stops: atStops,
    last_status: lastStatus ?? null,
    last_run_at: lastRunAt === undefined ? null : new Date(lastRunAt).toISOString(),
    failing: [...failing],
    running,
  };
}
