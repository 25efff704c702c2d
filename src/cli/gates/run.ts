import { withoutUndefined } from '../../core/json';
import { findGit } from '../../git/head';
import { type GatesConfig, gatesApart, gatesInMode, hasMode } from '../../guards/gates/config';
import { gateNames } from '../../guards/gates/detect';
import type { GauntletStatus } from '../../guards/gates/report';
import { logDirOf } from '../../guards/gates/run/logs';
import { foundFiles, NO_APPLICABLE_GATES, NO_CHANGES, warningLine } from '../../guards/gates/run/messages';
import { findRepositoryAndBase, findWork } from '../../guards/gates/run/plan';
import {
  errorResult,
  executeRun,
  idleResult,
  type RunRequest,
  type Selection,
} from '../../guards/gates/run/run';
import { readState } from '../../guards/gates/run/state';
import { didNotPass, type GateResult, type RunResult } from '../../guards/gates/run-result';
import { whoOf } from '../caller';
import { type Context, cannotRun, type ExitCode, type Options, report } from '../context';
import { NO_PROJECT } from '../messages';
import { openProject } from '../project';
import { journalCommand } from '../req/context';
import { plural, printError, printJson, styled } from '../ui/output';
import { isForGauntlet, openProgress } from './progress';
import {
  liveBaseline,
  noGates,
  type ProjectGates,
  projectGates,
  requireGates,
  showDiagnostics,
} from './project';

type Mode = 'run' | 'check' | 'review';

/** The options that select the changes. */
type ChangesOptions = Options<'uncommitted', 'baseBranch' | 'commit'>;

function changesFrom({ baseBranch: base, commit, uncommitted }: ChangesOptions): Omit<Selection, 'cache'> {
  if (commit !== undefined && uncommitted)
    throw cannotRun(
      'Error: -c and -u cannot be combined: one selects a commit, the other uncommitted changes.',
    );
  return withoutUndefined({ base, commit, uncommitted: uncommitted || undefined });
}

/** `run`, `check` or `review`: the same run, of all gates or of one kind. */
export function runGates(mode: Mode) {
  return async (context: Context, values: ChangesOptions & Options<'cache', 'gate'>): Promise<ExitCode> => {
    const { gate } = values;
    const changes = changesFrom(values);
    const here = projectGates(context);
    const { root, config: all } = here ?? {};
    if (root === undefined || all === undefined || here?.errors.length !== 0)
      return printResult(refusalOf(here, context), context);
    const config = selectGates(all, gate);
    const session = liveBaseline(context);
    const by = context.caller();
    const progress = context.json ? undefined : openProgress(mode, config.home, context);
    const request: RunRequest = {
      root,
      config,
      problems: config.problems,
      env: context.env,
      mode,
      select: { ...changes, ...(gate !== undefined && { gate }), cache: values.cache },
      command: context.argv.slice(context.argv.indexOf(mode)).join(' '),
      // Agents are told to run `agent-gauntlet`, in shells that may not be recognised as theirs, so there only a
      // terminal means a person. Extra runs let nobody pass, so this is no question of trust.
      byPerson: by.actor !== 'agent' && (!isForGauntlet(config.home) || process.stdin.isTTY === true),
      by: whoOf(by),
      ...(session !== undefined && { session }),
      reporter: progress?.report ?? (() => undefined),
    };
    const result = await executeRun(request);
    progress?.end(result);
    // An interrupt ends all of it.
    if (result.status !== 'error') await runWarning({ ...request, config: all });
    const project = openProject(context);
    if (project !== undefined) journalCommand(project, `gates ${mode}`, [], { status: result.status });
    return printResult(result, context);
  };
}

/** Gates in warn mode change neither the result nor the retries. */
async function runWarning(request: RunRequest): Promise<void> {
  const { root, config, select } = request;
  const commonDir = findGit(root)?.commonDir;
  if (commonDir === undefined || select.gate !== undefined || !hasMode(config, 'warn')) return;
  const own = gatesApart(config, 'warn', commonDir, root);
  const { gates } = await executeRun({ ...request, config: own, byPerson: true, reporter: () => undefined });
  for (const { id, message } of gates.filter(didNotPass))
    printError(warningLine(`${id} only warns: ${message}`));
}

/** The gates in hold mode; a gate that is named runs whatever its mode. */
function selectGates(config: GatesConfig, gate: string | undefined): GatesConfig {
  const held = gatesInMode(config, 'hold');
  return gate === undefined || gateNames(held).includes(gate) ? held : config;
}

/** Why no run was started, in the form of a run result. */
function refusalOf(here: ProjectGates | undefined, context: Context): RunResult {
  if (here === undefined) return errorResult(NO_PROJECT);
  const { errors } = here;
  if (errors.length === 0) return idleResult('no_config', { message: noGates(context) });
  showDiagnostics(errors);
  return errorResult(`the config has ${plural(errors.length, 'error')}, so nothing was run.`);
}

/** 0: nothing failed, 1: a gate failed, 3: another run is in progress. Any other status, no result: 2. */
const EXIT_CODES: Partial<Record<GauntletStatus, ExitCode>> = {
  passed: 0,
  passed_with_warnings: 0,
  no_applicable_gates: 0,
  no_changes: 0,
  failed: 1,
  retry_limit_exceeded: 1,
  lock_exists: 3,
  lock_conflict: 3,
};

/** The name of the lock file tempts people to delete it, which is never needed. */
export const LOCK_HINT =
  'Wait for it to finish, or end that process. Do not delete the lock: the next run takes over a stale one.';

/** Prints the JSON if requested, and why there is no result. The rest was printed during the run. */
function printResult(result: RunResult, { json }: Context): ExitCode {
  const { status, message, consoleLogPath: consoleLog = null, gates, weaker } = result;
  const exitCode = EXIT_CODES[status] ?? 2;
  const weakerChecks = weaker !== undefined && weaker.facts.length > 0 && { weakerChecks: weaker.facts };
  if (json) printJson({ status, message, consoleLog, gates: gates.map(gateJson), ...weakerChecks });
  if (exitCode >= 2 && status !== 'infrastructure_error') printError(`Error: ${message}`);
  if (exitCode === 3) printError(LOCK_HINT);
  return exitCode;
}

/** A gate as JSON. Absent values are null, so that every key exists. */
function gateJson({ id, status, message, durationMs, log, slots = [], reviews }: GateResult): object {
  // There may be several reviewers but there is only one `review` key: it shows the one that decided.
  const worst =
    slots.find((slot) => slot.status === 'fail') ?? slots.find((slot) => slot.status === 'error') ?? slots[0];
  return {
    id,
    status,
    durationMs,
    log: log ?? worst?.log ?? null,
    review: worst?.review ?? reviews?.[0] ?? null,
    message,
    ...(slots.length > 0 && {
      slots: slots.map(({ slot, status, durationMs, log = null, review = null, message }) => {
        return { slot, status, durationMs, log, review, message };
      }),
    }),
  };
}

export async function detect(context: Context, values: ChangesOptions): Promise<ExitCode> {
  const changes = changesFrom(values);
  const here = requireGates(context);
  showDiagnostics(here.errors);
  const found = await detectChanges(here, { ...changes, cache: true }, context.env);
  for (const warning of found.warnings) printError(warningLine(warning));
  report(context, detectedJson(found), detectedLines(found, here.config.home));
  return here.errors.length > 0 ? 2 : 0;
}

type Detected = Awaited<ReturnType<typeof detectChanges>>;

/** What a run would do; `cached` has the ids of the jobs that would not run again. */
async function detectChanges(here: ReturnType<typeof requireGates>, select: Selection, env: Context['env']) {
  const { root } = here;
  const config = gatesInMode(here.config, 'hold');
  const logDir = logDirOf(root, config);
  const request = { root, config, env, select };
  const located = findRepositoryAndBase(request);
  if (!located.ok) throw cannotRun(`Error: ${located.failure}`);
  const { base, branch } = located.value;
  const kept = readState(logDir);
  const state = kept?.branch === branch ? { state: kept } : {};
  const found = await findWork({ request, logDir }, { ...located.value, ...state });
  if (!found.ok) throw cannotRun(`Error: ${found.failure}`);
  const { changes, jobs, notes, cached } = found.value;
  const warnings = [base.warning ?? [], changes.warnings, notes].flat();
  return { base: base.ref, files: changes.files, jobs, cached, warnings };
}

function detectedLines({ files, jobs, cached }: Detected, home: GatesConfig['home']): string[] {
  if (files.length === 0) return [NO_CHANGES];
  const names = files.map((file) => `  ${styled('cyan', quotedIfNeeded(file))}`);
  const entryPoints = [...new Set(jobs.map((job) => job.entryPoint))];
  const gates = entryPoints.flatMap((entryPoint) => [
    '',
    `Entry point: ${styled('bold', quotedIfNeeded(entryPoint))}`,
    ...jobs
      .filter((job) => job.entryPoint === entryPoint)
      .map(({ id, kind, gate }) => {
        const reused = cached.has(id) ? styled('dim', ' (cached: passed on the same files)') : '';
        return `  ${kind} ${styled('bold', gate.name)}${reused}`;
      }),
  ]);
  const left = jobs.length - cached.size;
  const [found, would] =
    home === '.gauntlet'
      ? [foundFiles(files.length), `Would run ${left} gate(s):`]
      : [`${plural(files.length, 'changed file')}:`, `Would run ${plural(left, 'gate')}:`];
  return [found, ...names, '', jobs.length === 0 ? NO_APPLICABLE_GATES : would, ...gates];
}

/** Quotes a name that would break the list. */
function quotedIfNeeded(name: string): string {
  return /[\n\t"]/.test(name) ? JSON.stringify(name) : name;
}

function detectedJson({ base, files, jobs, cached }: Detected): object {
  const gates = jobs.map((job) => ({
    id: job.id,
    kind: job.kind,
    name: job.gate.name,
    entry_point: job.entryPoint,
    ...(job.kind === 'check' && { working_directory: job.cwd }),
    cached: cached.has(job.id),
  }));
  return { base, files, gates };
}
