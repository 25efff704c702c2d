import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Diagnostic, formatDiagnostic } from '../../config/diagnostics';
import { attempt } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { type CompiledConfig, guardConfig, projectAbove } from '../../core/project';
import { ignoredConfig } from '../../core/stop-hook';
import { ownJson } from '../../core/text';
import { type GatesConfig, gatesInMode, withEnvironment } from '../../guards/gates/config';
import type { GauntletStatus } from '../../guards/gates/report';
import { leaseHolder, runLock } from '../../guards/gates/run/lease';
import { logDirOf } from '../../guards/gates/run/logs';
import { readState } from '../../guards/gates/run/state';
import { gatesSection } from '../../guards/gates/section';
import {
  baselineIn,
  GATE_RECORDS,
  SESSION_FILE,
  type SessionBaseline,
} from '../../guards/gates/session-baseline';
import { type Layout, readDocument } from '../../state/documents';
import { type Context, cannotRun } from '../context';
import { NO_PROJECT } from '../messages';
import { openProject, type ProjectContext } from '../project';
import { readRegistry } from '../req/find-session';
import { ago, plural, printError } from '../ui/output';

/** The gates of the project around the current directory, with the problems in their config. */
export type ProjectGates = NonNullable<ReturnType<typeof projectGates>>;

const NO_GATES =
  'No gates are configured here. Add a `gates` section to .holdpoint/config.yaml, or run ' +
  '`holdpoint gates init` to write .gauntlet/config.yml.';

/** Why there are no gates where the command was called. */
export function noGates({ cwd }: Context): string {
  return ignoredConfig(cwd) ?? NO_GATES;
}

/** Compiles the config afresh, since commands show its problems by line. `undefined` outside a project. */
export function projectGates({ cwd, env, chunks }: Context) {
  const project = projectAbove(cwd, env['HOME'] ?? '');
  if (project === undefined) return undefined;
  const { compileConfig } = chunks.part('compile-config');
  const { guards, sources, diagnostics: all } = compileConfig(project.root, project.home);
  const diagnostics = all.filter(
    ({ topKey }) => topKey === undefined || Object.hasOwn(gatesSection.keys, topKey),
  );
  return {
    root: project.root,
    /** Undefined if the project has no gates. */
    config: guards.find(({ name }) => name === 'gates')?.config as GatesConfig | undefined,
    /** The config files with settings for gates, as shown to people. */
    files: sources
      .filter(({ shown, value }) => shown.includes('gauntlet') || Object.hasOwn(value, 'gates'))
      .map(({ shown }) => shown),
    diagnostics,
    errors: diagnostics.filter(({ severity }) => severity === 'error'),
  };
}

export type ConfiguredGates = ProjectGates & { readonly config: GatesConfig };

/** Refuses if no gates are configured, or if nobody can say because a config file cannot be read. */
export function requireGates(context: Context): ConfiguredGates {
  const here = projectGates(context);
  if (here === undefined) throw refusal('error', NO_PROJECT);
  if (here.config !== undefined) return { ...here, config: here.config };
  if (here.errors.length === 0) throw refusal('no_config', noGates(context));
  throw refusal('error', here.errors.map(formatDiagnostic).join('\n'));
}

/** Why there are no gates; as JSON in the form of a run's result. */
function refusal(status: GauntletStatus, message: string) {
  return cannotRun(message, { status, message });
}

/** Prints the problems in the config, each with its line underlined. */
export function showDiagnostics(diagnostics: readonly Diagnostic[]): void {
  for (const diagnostic of diagnostics) printError(formatDiagnostic(diagnostic));
}

export function diagnosticJson({ code, severity, message, hint, place }: Diagnostic): object {
  const { file, line, column } = place;
  return { code, severity, message, file, line, column, hint };
}

/** A summary of the gates for `holdpoint status`. */
type GatesSummary = NonNullable<ReturnType<typeof gatesSummary>>;

/** Reads the config, the state and the lock of the gates; undefined if no gates are configured. */
export function gatesSummary(
  { root, env }: ProjectContext,
  compiled: CompiledConfig | undefined,
  now: number,
) {
  const config = guardConfig(compiled, 'gates') as GatesConfig | undefined;
  if (config === undefined) return undefined;
  const logDir = logDirOf(root, config);
  const lock = runLock(root, config, undefined);
  const state = readState(logDir);
  const at = Date.parse(state?.last_run_completed_at ?? '');
  const counted = ({ checks, reviews }: GatesConfig): number => checks.length + reviews.length;
  return {
    gates: counted(gatesInMode(config, 'hold')),
    /** The number of gates that do not hold, by mode. */
    apart: { warn: counted(gatesInMode(config, 'warn')), shadow: counted(gatesInMode(config, 'shadow')) },
    /** Whether they run at the end of turns. */
    atStops: withEnvironment(config.stopHook, (name) => env[name] ?? '').enabled,
    lastStatus: state?.last_status,
    /** Milliseconds since the epoch. */
    lastRunAt: Number.isNaN(at) ? undefined : at,
    failing: state?.failing ?? [],
    running: leaseHolder(lock, now) !== undefined,
    /** A run leaves its lock behind only if it is killed. */
    locked: existsSync(lock.shown),
  };
}

/** One row: the number of gates, how the last run ended, and what to do about failures. */
export function gatesRow(summary: GatesSummary, now: number): string[] {
  const { gates, apart, lastStatus, lastRunAt, failing, running, locked } = summary;
  const others = Object.entries(apart).flatMap(([mode, count]) =>
    count > 0 ? [`${count} in ${mode} mode`] : [],
  );
  const last =
    lastRunAt === undefined ? 'never run' : `${lastStatus ?? 'run'} ${ago((now - lastRunAt) / 1000)}`;
  const next = failing.length > 0 ? `failing: ${failing.join(', ')}; \`holdpoint gates run\` shows why` : '';
  const all = [plural(gates, 'gate'), ...others].join(', ');
  return [all, running ? 'running now' : locked ? 'the last run was killed' : last, next];
}

export function gatesJson(summary: GatesSummary | undefined): JsonObject | null {
  if (summary === undefined) return null;
  const { gates, apart, atStops, lastStatus, lastRunAt, failing, running } = summary;
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

/** The recorded starts of sessions in a project, each with its document. */
export function baselinesIn(layout: Layout) {
  const files = attempt(() => readdirSync(join(layout.own, GATE_RECORDS))) ?? [];
  const names = files.filter((name) => SESSION_FILE.test(name));
  return names.flatMap((name) => {
    const ref = ownJson(`${GATE_RECORDS}/${name}`);
    const baseline = baselineIn(readDocument(layout, ref));
    return baseline === undefined ? [] : [{ ref, baseline }];
  });
}

/** How checks became weaker during sessions, where no person has accepted it. */
export function weakerChecks(layout: Layout): readonly string[] {
  return [...new Set(baselinesIn(layout).flatMap(({ baseline }) => baseline.weaker))];
}

/** The recorded start of the newest live session in this work tree. */
export function liveBaseline(context: Context): SessionBaseline | undefined {
  const project = openProject(context);
  if (project === undefined) return undefined;
  const live = readRegistry(project.layout, Date.now()).sessions.filter(
    ({ projectDir, alive }) => projectDir === project.root && alive,
  );
  const found = baselinesIn(project.layout).map(({ baseline }) => baseline);
  const own = found.filter(({ sessionId }) => live.some((one) => one.sessionId === sessionId));
  return own.sort((a, b) => a.at - b.at).at(-1);
}
