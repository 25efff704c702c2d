import { join, resolve } from 'node:path';
import { detailOf } from '../../../core/failure';
import { isPlainWord } from '../../../core/text';
import { Canceller, type CancelSignal } from '../../../exec/cancel-signal';
import { dismissGuardian } from '../../../exec/guardian';
import { enlist } from '../../../exec/process-group';
import { isProgram } from '../../../exec/programs';
import { removeLeftovers } from '../../../state/write-file';
import type { GatesConfig } from '../config';
import { gateNames } from '../detect';
import type { GauntletStatus } from '../report';
import type { GateResult, RunResult } from '../run-result';
import { ALL, type ExecutionState } from '../run-result';
import {
  type Attempt,
  isBeyondLimit,
  isLast,
  mayStartAnew,
  nextAttempt,
  selectionOf,
  writeState,
} from './cache';
import { conclude, executeGates, type Summary } from './execute-gates';
import { type LeaseHolder, livingLease, takeLease } from './lease';
import { archiveLogs, ConsoleLog, consoleLogName, currentLogs, debugLog, LOCK_NAME, logDirOf } from './logs';
import {
  beyondLimit,
  configRefused,
  INTERRUPTED,
  killedBefore,
  NO_APPLICABLE_GATES,
  NO_CHANGES,
  runInProgress,
  statusText,
  unknownGate,
} from './messages';
import { cleanUp, isOpen, lookAround, makePlan, type Plan, type Scene, type Stage } from './plan';

export type Env = Readonly<Record<string, string | undefined>>;

/** Which part of the gates is wanted, and against what. */
export interface Selection {
  readonly gate?: string;
  readonly base?: string;
  readonly commit?: string;
  readonly uncommitted?: boolean;
  /** False: what has passed on the same files runs again. */
  readonly cache: boolean;
}

/** Everything a run needs to know. */
export interface RunRequest {
  /** The project's root, absolute. */
  readonly root: string;
  readonly config: GatesConfig;
  /** What is wrong with the config; if anything is, nothing runs. */
  readonly problems: readonly string[];
  readonly env: Env;
  readonly mode: 'run' | 'check' | 'review';
  readonly select: Selection;
  /** Milliseconds since the epoch after which the run must have ended. */
  readonly deadline?: number;
  /** The user's turn, where it is known: after the retry limit, another one may start anew. */
  readonly turn?: string;
  /** The words of the command, for the debug log. */
  readonly command: string;
  /** Whether a run that is going on already is told as `lock_exists`, as the hook does it. */
  readonly looksFirst?: boolean;
  readonly reporter: Reporter;
  /** Aborted where nobody waits for the result any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Is told what happens while it happens. Must not throw. */
export type Reporter = (event: RunEvent) => void;

export type RunEvent =
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'warning'; readonly text: string }
  | { readonly kind: 'started'; readonly id: string }
  | { readonly kind: 'line'; readonly id: string; readonly line: string }
  | { readonly kind: 'finished'; readonly result: GateResult }
  | { readonly kind: 'summary'; readonly summary: Summary };

/**
 * Runs the gates that the changes concern, and answers with what they came to. Never throws and never exits;
 * when a signal ends us, what runs is ended first and the lease is given back.
 */
export async function executeRun(request: RunRequest): Promise<RunResult> {
  const refused = refusalOf(request);
  if (refused !== undefined) return errorResult(refused);
  const interrupted = new Canceller();
  const leave = enlist(() => interrupted.abort());
  request.signal?.addEventListener('abort', () => interrupted.abort(), { once: true });
  try {
    return await withLease(request, interrupted.signal);
  } catch (error) {
    return errorResult(detailOf(error));
  } finally {
    await dismissGuardian();
    leave();
  }
}

/** A config that is wrong in any part is not run in part: nobody would see what was left out. */
function refusalOf({ problems, config, select }: RunRequest): string | undefined {
  if (problems.length > 0) return configRefused(problems);
  const known = gateNames(config);
  const isUnknown = select.gate !== undefined && !known.includes(select.gate);
  return isUnknown ? unknownGate(select.gate, known) : undefined;
}

async function withLease(request: RunRequest, signal: CancelSignal): Promise<RunResult> {
  const logDir = logDirOf(request.root, request.config);
  const debug = debugLog(logDir, request.config);
  const file = join(logDir, LOCK_NAME);
  const living = request.looksFirst ? livingLease(file, Date.now()) : undefined;
  if (living !== undefined) return inProgress('lock_exists', file, living);
  const taken = takeLease(logDir);
  debug(`COMMAND ${request.command}`);
  if (taken.kind === 'held') return inProgress('lock_conflict', taken.file, taken.holder);
  try {
    removeLeftovers(logDir, Date.now());
    const console = new ConsoleLog(request.reporter);
    const killed = taken.dead && killedBefore(taken.dead);
    const warnings = killed === undefined ? [] : [killed];
    const result = await runUnderLease({ request, logDir, console, debug, signal, warnings });
    return killed === undefined ? result : { ...result, killed };
  } finally {
    taken.lease.release();
  }
}

function inProgress(status: 'lock_exists' | 'lock_conflict', file: string, holder: LeaseHolder): RunResult {
  return idleResult(status, { message: runInProgress(file, holder, Date.now()) });
}

/** What `/bin/sh` knows by itself, as POSIX names it, and what common shells add. */
const SHELL_WORDS = new Set(
  (
    'alias bg break case cd command continue echo eval exec exit export false fc fg for function getopts hash ' +
    'if jobs kill let local printf pwd read readonly return select set shift source test time times trap true ' +
    'type typeset ulimit umask unalias unset until wait while . : [ [[ ! {'
  ).split(' '),
);

/** Without one of its own, a program is looked for here, as shells do. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** `NAME=value ` at the beginning of a command, with a value that is plain or quoted. */
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=(?:[^\s"'\\$`]|"[^"\\$`]*"|'[^']*')*\s+/;
const PLAIN_WORD = /^[A-Za-z0-9._/@+,%:[{!=~-]+(?=[\s;&|<>)]|$)/;

/**
 * The program that a command line cannot do without and that is not there. Nothing is started to find out;
 * a line whose first word only a shell can tell is taken to be in order.
 */
export function missingProgram(line: string, cwd: string, env: Env): string | undefined {
  const word = firstWord(line);
  if (word === undefined || SHELL_WORDS.has(word)) return undefined;
  const places = word.includes('/')
    ? [resolve(cwd, word)]
    : (env['PATH'] ?? DEFAULT_PATH).split(':').map((dir) => resolve(cwd, dir, word));
  return places.some(isProgram) ? undefined : word;
}

function firstWord(line: string): string | undefined {
  const end = line.indexOf(' ');
  const first = end < 0 ? line : line.slice(0, end);
  // Most lines begin with a plain name, and to prepare the patterns takes longer than to look.
  if (isPlainWord(first, '._/-')) return first;
  let rest = line.trimStart();
  for (;;) {
    const assignment = ASSIGNMENT.exec(rest)?.[0];
    if (assignment === undefined) break;
    rest = rest.slice(assignment.length);
  }
  const word = PLAIN_WORD.exec(rest)?.[0];
  // `~` leads home, and a lone assignment is no program.
  return word === undefined || word.includes('=') || word.startsWith('~') ? undefined : word;
}

/** A run from the first look to its answer. Whoever calls has the lease. Throws what nobody expected. */
export async function runUnderLease(stage: Stage): Promise<RunResult> {
  const around = await lookAround(stage);
  if (!around.ok) return errorResult(around.failure, stage.warnings);
  const planned = await makePlan(stage, around.value);
  if (stage.signal.aborted) return errorResult(INTERRUPTED, stage.warnings);
  if (!planned.ok) return errorResult(planned.failure, stage.warnings);
  const { changes, jobs, cached } = planned.value;
  if (changes.files.length === 0) return nothingToDo(stage, around.value, 'no_changes');
  if (jobs.length === 0) return nothingToDo(stage, around.value, 'no_applicable_gates');
  if (cached.size === jobs.length) return allCached(stage, around.value, planned.value);
  return withinLimit(stage, around.value, planned.value);
}

function nothingToDo(stage: Stage, scene: Scene, status: 'no_changes' | 'no_applicable_gates'): RunResult {
  const text = status === 'no_changes' ? NO_CHANGES : NO_APPLICABLE_GATES;
  stage.console.say({ kind: 'note', text });
  if (endsOpenSession(stage, scene)) cleanUp(stage, { kind: 'nothing left' });
  return idleResult(status, { warnings: stage.warnings });
}

function allCached(stage: Stage, scene: Scene, { cached }: Plan): RunResult {
  const gates: readonly GateResult[] = [...cached.values()];
  for (const result of gates) stage.console.say({ kind: 'finished', result });
  const summary = { status: 'passed', iterations: [], failed: 0, attempt: 1 } as const;
  stage.console.say({ kind: 'summary', summary });
  if (endsOpenSession(stage, scene)) settle(stage.logDir, scene.state);
  return idleResult('passed', { gates, warnings: stage.warnings });
}

/** Whether an open session is over by this: what it was about is gone, or has passed since. */
function endsOpenSession({ request }: Stage, { state }: Scene): boolean {
  return isOpen(state) && selectionOf(request) === ALL;
}

/** Archives the logs and gives the attempts back. No gate ran, so the time of the last run stays as it was. */
function settle(logDir: string, state: ExecutionState | undefined): void {
  archiveLogs(logDir);
  const { failing: _failing, iterations: _iterations, selection: _selection, ...kept } = state ?? {};
  writeState(logDir, { ...kept, last_status: 'passed', run: 0 });
}

async function withinLimit(stage: Stage, scene: Scene, plan: Plan): Promise<RunResult> {
  const { logDir, request } = stage;
  const logs = currentLogs(logDir);
  const attempt = nextAttempt(scene.state, logs, request.config.maxRetries);
  if (!isBeyondLimit(attempt)) return execute(stage, scene, plan, attempt, logs.ofGates);
  const now = { turn: request.turn, tree: plan.changes.tree, commit: scene.commit };
  if (scene.state === undefined || !mayStartAnew(scene.state, now)) return beyond(stage, attempt);
  cleanUp(stage, { kind: 'new turn' });
  const { state: _over, ...fresh } = scene;
  const first = nextAttempt(undefined, currentLogs(logDir), request.config.maxRetries);
  return execute(stage, fresh, plan, first, false);
}

/** Nothing is run and nothing written: this may be asked any number of times. */
function beyond({ console, logDir, warnings }: Stage, { attempt, most }: Attempt): RunResult {
  const text = beyondLimit(attempt, most);
  const newest = currentLogs(logDir).console;
  const summary = { status: 'retry_limit_exceeded', iterations: [], failed: 0, attempt: most } as const;
  console.say({ kind: 'note', text });
  console.say({ kind: 'summary', summary });
  return idleResult('retry_limit_exceeded', {
    message: text,
    run: attempt,
    maxRuns: most,
    warnings,
    ...(newest !== undefined && { consoleLogPath: join(logDir, newest) }),
  });
}

async function execute(
  stage: Stage,
  scene: Scene,
  plan: Plan,
  attempt: Attempt,
  rerun: boolean,
): Promise<RunResult> {
  const consoleLog = join(stage.logDir, consoleLogName(attempt.number));
  stage.console.open(consoleLog);
  stage.debug(startLine(scene, plan, rerun));
  const gates = await executeGates(stage, scene, plan, attempt, rerun);
  if (stage.signal.aborted) {
    stage.console.say({ kind: 'note', text: INTERRUPTED });
    return { ...errorResult(INTERRUPTED, stage.warnings), gates, consoleLogPath: consoleLog };
  }
  return conclude(stage, scene, plan, attempt, gates, consoleLog);
}

function startLine({ base }: Scene, { changes, jobs }: Plan, rerun: boolean): string {
  const { stats } = changes;
  const counted =
    stats === undefined
      ? ''
      : ` files_new=${stats.new} files_modified=${stats.modified} files_deleted=${stats.deleted}` +
        ` lines_added=${stats.linesAdded} lines_removed=${stats.linesRemoved}`;
  const mode = rerun ? 'verification' : 'full';
  const files = `files_changed=${changes.files.length}${counted}`;
  return `RUN_START mode=${mode} base_ref=${base.ref} ${files} gates=${jobs.length}`;
}

/**
 * What the results of gates come to. A gate that failed outweighs those that could give no answer: it is
 * certain. Where none failed but not all have passed, nobody in the code is to blame.
 */
export function statusOf(gates: readonly GateResult[], attempt: Attempt): GauntletStatus {
  const has = (...wanted: readonly GateResult['status'][]): boolean =>
    gates.some(({ status }) => wanted.includes(status));
  if (has('fail')) return isLast(attempt) ? 'retry_limit_exceeded' : 'failed';
  if (has('error', 'skipped')) return 'infrastructure_error';
  return gates.some(({ skippedFindings = 0 }) => skippedFindings > 0) ? 'passed_with_warnings' : 'passed';
}

export function isPass(status: GauntletStatus): boolean {
  return status === 'passed' || status === 'passed_with_warnings';
}

export function didNotPass({ status }: GateResult): boolean {
  return status === 'fail' || status === 'error';
}

/** A run in which no gate was executed. */
export function idleResult(status: GauntletStatus, more: Partial<RunResult> = {}): RunResult {
  return { status, message: statusText(status, []), gates: [], warnings: [], ...more };
}

/** A run that could not be begun or went wrong; never the code's fault. */
export function errorResult(why: string, warnings: readonly string[] = []): RunResult {
  return idleResult('error', { message: why, errorMessage: why, warnings });
}

/** The same results after their files were moved to another directory. */
export function movedTo(gates: readonly GateResult[], move: (file: string) => string): readonly GateResult[] {
  return gates.map((gate) => ({
    ...gate,
    ...(gate.log !== undefined && { log: move(gate.log) }),
    ...(gate.reviews !== undefined && { reviews: gate.reviews.map(move) }),
    ...(gate.slots !== undefined && {
      slots: gate.slots.map((slot) => ({
        ...slot,
        ...(slot.log !== undefined && { log: move(slot.log) }),
        ...(slot.review !== undefined && { review: move(slot.review) }),
      })),
    }),
  }));
}
