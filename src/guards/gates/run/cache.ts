import { existsSync, readFileSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../../../core/hash';
import { isJsonObject, type Json } from '../../../core/json';
import { discard, syncDirectory, writeTemporary } from '../../../state/write-file';
import { isBelow, type Job, scopeTest } from '../detect';
import type { GauntletStatus } from '../report';
import type { GateResult } from '../run-result';
import { ALL, type ExecutionState, type Iteration, parseExecutionState } from '../run-result';
import { type CurrentLogs, LEGACY_REF_NAME, STATE_NAME } from './logs';
import { isOpen } from './plan';
import { didNotPass, type Selection } from './run';

/** Survives every cleaning: what has passed stays passed as long as nothing of it changes. */
export const CACHE_NAME = '.gate-cache.json';

/** A gate that has passed. */
export interface Pass {
  /** Tells its definition from another. */
  readonly definition: string;
  /** The work tree it has passed on. */
  readonly tree: string;
  readonly at: string;
}

/** Passes by the ids of their jobs. */
export type GateCache = Readonly<Record<string, Pass>>;

/** Jobs come and go with the directories they are for; the oldest are forgotten. */
const MOST_PASSES = 500;

/** The kept passes. A file that cannot be read holds none: then everything runs. */
export function readGateCache(logDir: string): GateCache {
  try {
    const kept: unknown = JSON.parse(readFileSync(join(logDir, CACHE_NAME), 'utf8'));
    const passes = isJsonObject(kept) && isJsonObject(kept['passes']) ? Object.entries(kept['passes']) : [];
    return Object.fromEntries(passes.flatMap(([id, pass]) => (isPass(pass) ? [[id, pass]] : [])));
  } catch {
    return {};
  }
}

/** The trees that have to be compared with the present one before `cachedOn` can tell. */
export function treesOf(cache: GateCache, jobs: readonly Job[], baseCommit?: string): readonly string[] {
  return [...new Set(jobs.flatMap((job) => passOf(cache, job, baseCommit)?.tree ?? []))];
}

/**
 * The tree on which a job has passed, if nothing that it looks at has changed since: neither its
 * definition nor any file of its scope. `since` has the changed files by tree.
 */
export function cachedOn(
  cache: GateCache,
  job: Job,
  since: ReadonlyMap<string, readonly string[]>,
  baseCommit?: string,
): string | undefined {
  const pass = passOf(cache, job, baseCommit);
  const changed = pass && since.get(pass.tree);
  if (pass === undefined || changed === undefined) return undefined;
  const looksAt = job.scopes.map(scopeTest);
  return changed.some((file) => looksAt.some((test) => test(file)) || isWhereItWorks(job, file))
    ? undefined
    : pass.tree;
}

/** Keeps what has passed on a tree and forgets what has not. Trouble with the file only costs time later. */
export function recordOutcomes(
  logDir: string,
  outcomes: readonly { readonly job: Job; readonly passed: boolean }[],
  tree: string,
  at: Date,
  baseCommit?: string,
): void {
  if (outcomes.length === 0) return;
  const passes = new Map(Object.entries(readGateCache(logDir)));
  let hasNews = false;
  for (const { job, passed } of outcomes) {
    const isKept = passed && job.gate.cache;
    hasNews = passes.delete(job.id) || isKept || hasNews;
    if (!isKept) continue;
    passes.set(job.id, {
      definition: definitionOf(job, baseCommit),
      tree,
      at: new Date(at.getTime()).toISOString(),
    });
  }
  if (hasNews)
    write(logDir, { passes: Object.fromEntries([...passes].slice(-MOST_PASSES)) as unknown as Json });
}

function write(logDir: string, content: Json): void {
  const file = join(logDir, CACHE_NAME);
  let temporary: string | undefined;
  try {
    temporary = writeTemporary(file, `${JSON.stringify(content, null, 2)}\n`, false, 0o644);
    renameSync(temporary, file);
  } catch {
    if (temporary !== undefined) discard(temporary);
  }
}

function passOf(cache: GateCache, job: Job, baseCommit: string | undefined): Pass | undefined {
  const pass = job.gate.cache && Object.hasOwn(cache, job.id) ? cache[job.id] : undefined;
  return pass && pass.definition === definitionOf(job, baseCommit) ? pass : undefined;
}

/** A check that is told where to work may read all that lies there. */
function isWhereItWorks(job: Job, file: string): boolean {
  return job.kind === 'check' && job.gate.workingDirectory !== undefined && isBelow(job.cwd, file);
}

/** Asked several times in a run, and slow enough to be asked once. */
const definitions = new WeakMap<Job, { readonly base: string | undefined; readonly digest: string }>();

/** How long it may take and in which order it runs says nothing about its result. */
function definitionOf(job: Job, baseCommit: string | undefined): string {
  const known = definitions.get(job);
  if (known !== undefined && known.base === baseCommit) return known.digest;
  const digest = sha256Hex(JSON.stringify(definingParts(job, baseCommit)));
  definitions.set(job, { base: baseCommit, digest });
  return digest;
}

function definingParts(job: Job, baseCommit: string | undefined): readonly unknown[] {
  if (job.kind === 'review') {
    const { prompt, model, preference, numReviews } = job.gate;
    // What it looks at is a difference, and that has two ends.
    return ['review', prompt, model, preference, numReviews, baseCommit];
  }
  const { command } = job.gate;
  const namesBase = command.includes('BASE_BRANCH') && /\$\{?BASE_BRANCH\b/.test(command);
  const base = namesBase ? baseCommit : undefined;
  return ['check', command, job.cwd, base];
}

function isPass(value: unknown): value is Pass {
  return isJsonObject(value) && ['definition', 'tree', 'at'].every((key) => typeof value[key] === 'string');
}

/**
 * The state of a log directory; `undefined` where there is none, or none that can be read. What the older
 * program once kept in a file of its own is taken from there, if the state lacks it.
 */
export function readState(logDir: string): ExecutionState | undefined {
  const state = parseExecutionState(textOf(join(logDir, STATE_NAME)) ?? '');
  if (state === undefined || state.working_tree_ref !== undefined) return state;
  const legacy = textOf(join(logDir, LEGACY_REF_NAME))?.trim() ?? '';
  return /^[0-9a-f]{40,64}$/.test(legacy) ? { ...state, working_tree_ref: legacy } : state;
}

/** Whole after a crash, whatever its moment. Throws what the file system says. */
export function writeState(logDir: string, state: ExecutionState): void {
  const file = join(logDir, STATE_NAME);
  const temporary = writeTemporary(file, `${JSON.stringify(state, null, 2)}\n`, true, 0o644);
  try {
    renameSync(temporary, file);
  } catch (error) {
    discard(temporary);
    throw error;
  }
  syncDirectory(file);
}

export function removeState(logDir: string): void {
  remove(join(logDir, STATE_NAME));
}

export function removeLegacyRef(logDir: string): void {
  remove(join(logDir, LEGACY_REF_NAME));
}

/** `rmSync` would take longer to load than everything else here takes. */
function remove(file: string): void {
  if (existsSync(file)) unlinkSync(file);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** How a run ended, as far as the session is concerned. */
export interface Ended {
  readonly attempt: Attempt;
  readonly gates: readonly GateResult[];
  readonly status: GauntletStatus;
  readonly iterations: readonly Iteration[];
  /** Passed, and nothing of the session is left open. */
  readonly isOver: boolean;
}

/** Which part of the gates was asked for, in words that are equal for equal parts. */
export function selectionOf(request: { readonly mode: string; readonly select: Selection }): string {
  const { base, gate, commit, uncommitted } = request.select;
  return [
    request.mode,
    ...(base === undefined ? [] : [`-b ${base}`]),
    ...(gate === undefined ? [] : [`-g ${gate}`]),
    ...(commit === undefined ? [] : [`-c ${commit}`]),
    ...(uncommitted ? ['-u'] : []),
  ].join(' ');
}

/** A part of the gates does not end a session that is about more than that part. */
export function endsSession(selection: string, state: ExecutionState | undefined): boolean {
  return !isOpen(state) || selection === ALL || selection === state?.selection;
}

/**
 * What the state says of the session after a run. Attempts are used up by gates that failed, neither by those
 * that could give no answer nor by a part that passes while the rest is still open.
 */
export function sessionAfter(
  state: ExecutionState | undefined,
  selection: string,
  { attempt, gates, status, iterations, isOver }: Ended,
): ExecutionState {
  if (isOver) return { last_status: status, run: 0, ...(selection !== ALL && { selection }) };
  const failed = status === 'failed' || status === 'retry_limit_exceeded';
  const passed = !failed && status !== 'infrastructure_error';
  return {
    last_status: passed ? (state?.last_status ?? status) : status,
    run: failed ? attempt.attempt : attempt.attempt - 1,
    selection: endsSession(selection, state) ? selection : ALL,
    failing: failingAfter(state, gates),
    ...(iterations.length > 0 && { iterations }),
  };
}

function failingAfter(state: ExecutionState | undefined, gates: readonly GateResult[]): readonly string[] {
  const executed = new Set(gates.map(({ id }) => id));
  const before = isOpen(state) ? (state?.failing ?? []) : [];
  return [...before.filter((id) => !executed.has(id)), ...gates.filter(didNotPass).map(({ id }) => id)];
}

/** Which run this is: its number in file names, and which attempt of how many. */
export interface Attempt {
  readonly number: number;
  readonly attempt: number;
  readonly most: number;
}

/**
 * The attempts are counted in the state, where only runs that executed gates are; a state of the older
 * program has no count, so there the files tell. The number is one that no file has.
 */
export function nextAttempt(
  state: ExecutionState | undefined,
  logs: CurrentLogs,
  maxRetries: number,
): Attempt {
  const before = state === undefined ? 0 : (state.run ?? logs.highestOfGates);
  return { number: Math.max(before, logs.highest) + 1, attempt: before + 1, most: maxRetries + 1 };
}

export function isBeyondLimit({ attempt, most }: Attempt): boolean {
  return attempt > most;
}

export function isLast({ attempt, most }: Attempt): boolean {
  return attempt === most;
}

/**
 * Whether a session that has used up its attempts is over: the user has spoken since, and what is to be
 * checked is no longer what it was. Within the same turn only `clean` ends it.
 */
export function mayStartAnew(
  state: ExecutionState,
  now: { readonly turn?: string | undefined; readonly tree: string; readonly commit: string },
): boolean {
  if (now.turn === undefined || now.turn === state.turn) return false;
  return now.tree !== state.working_tree_ref || now.commit !== state.commit;
}
