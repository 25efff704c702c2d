import { existsSync } from 'node:fs';
import { disabledReport } from '../guards/gates/report';
import { type Change, documentFile, isKept } from '../state/documents';
import { appendJournal } from '../state/journal';
import { isHeartbeatDue, type Pause, pauseOf, SESSION_FILES } from '../state/sessions';
import { applyChanges, lockProject, updateDocuments, type WriteReport } from '../state/update';
import type { Who } from './actor';
import { afterFailedWrite, combine, conclude, entryHead, heldByError, heldForLength } from './combine';
import {
  type ActiveGuard,
  CannotHandleHere,
  type EventContext,
  openWorld,
  UnknownFact,
  type World,
} from './context';
import { mayBeHeld, whoCaused } from './event';
import { DeadlinePassed, detailOf, type Failure, newWatchdog, type Watchdog } from './failure';
import type { Context, EffectRequest, GuardName } from './guard';
import type { Json } from './json';
import { recordFrom } from './refused-stops';
import { sessionKey, sessionKeys, sessionRecordRef } from './text';
import {
  type Decision,
  type GuardVerdict,
  NO_REMARKS,
  NOTHING,
  type ShadowVerdict,
  type Verdict,
} from './verdict';

/**
 * V8's watchdog costs more than most judgements. Nobody waits for the answer when we replay a past session,
 * and clients of a server that hangs do not wait either: they decide by themselves and have it replaced.
 */
function watchdogFor({ past, isServed }: EventContext): Watchdog {
  return past === undefined && !isServed ? newWatchdog() : unwatched;
}

const unwatched: Watchdog = (work) => work();

function isQuick({ guard, config }: ActiveGuard): boolean {
  return guard.isQuick?.(config) === true;
}

/** What one guard holds from now on, in a few words. */
export interface ActiveRules {
  readonly guard: GuardName;
  readonly what: string;
}

/** A rule that cannot be judged. */
export interface UnjudgedRule {
  readonly guard: GuardName;
  readonly rule: string;
}

export interface GuardResults {
  readonly verdicts: readonly GuardVerdict[];
  readonly changes: readonly Change[];
  readonly failures: readonly Failure[];
  /** How the guards came to their verdicts, for people who asked for debug output. */
  readonly notes: readonly string[];
  readonly armed: readonly ActiveRules[];
  /** The rules that were consulted. */
  readonly asked: readonly string[];
  /** What rules in shadow mode would have decided. */
  readonly shadowed: readonly (ShadowVerdict & { readonly guard: GuardName })[];
  /** Rules that cannot be judged, for lack of facts. */
  readonly unknown: readonly UnjudgedRule[];
}

/** The result of judging one view of the world. Nothing has been written yet. */
export interface Judgement extends GuardResults {
  readonly world: World;
  readonly decision: Decision;
  /** Set if a person has paused the session, so that nothing is held. */
  readonly pause?: Pause;
}

/** Runs the guards' effects, or refuses to. Caches their results, so that none runs twice for an event. */
export interface EffectSource {
  run(guard: GuardName, effect: EffectRequest): Promise<Json>;
}

/** Thrown to a guard that asks for an effect where none may run; judging stops there. */
export class EffectNeeded extends Error {
  readonly guard: GuardName;
  readonly effect: EffectRequest;

  constructor(guard: GuardName, effect: EffectRequest) {
    super(`${guard} needs ${effect.name}`);
    this.guard = guard;
    this.effect = effect;
  }
}

/** Less than a host's hook timeout, so that we answer before it gives up. */
const EFFECT_MS = 580_000;
/** Settings of the older program give `gates stop-hook` half of that. */
const GAUNTLET_EFFECT_MS = 280_000;

/** Asks the guards in their order and combines their verdicts. Changes nothing, so it can be repeated. */
export async function judge(context: EventContext, effects: EffectSource): Promise<Judgement> {
  const world = worldOf(context);
  const results = newResults();
  // Another process answers this same stop. Both answers reach the host, and one is enough.
  if (world.refusedStops.elsewhere)
    return { world, ...results, decision: { kind: 'nothing', toAgent: [], toPerson: [] } };
  const pause = pauseIn(context, world);
  await askGuards(context, world, results, effects, pause !== undefined);
  const watch = concernsSession(context, world)
    ? context.chunks.part('session').watchSession(context, world, results)
    : NO_REMARKS;
  const { verdicts, failures } = results;
  const { decision, changes } = conclude({
    event: context.event,
    verdicts,
    failures,
    remarks: { ...watch, toPerson: [...watch.toPerson, ...context.news] },
    refusedStops: world.refusedStops,
    limit: context.stopLimit,
    id: context.id,
  });
  const all = [...results.changes, ...watch.changes, ...changes];
  return {
    world,
    ...results,
    changes: all.filter(({ document }) => isKept(context.layout, document.base)),
    // The gates' own command must always give an answer.
    decision:
      pause !== undefined && decision.kind === 'nothing' && context.gauntletCompat
        ? { ...decision, report: disabledReport('`holdpoint pause`') }
        : decision,
    ...(pause && { pause }),
  };
}

/** Whether the core itself may have something to say or write, as when a session starts or ends. */
function concernsSession({ event, layout, past, tape }: EventContext, world: World): boolean {
  const { kind, sessionId, at } = event;
  // A past session that we replay must not be registered as a live one.
  if (sessionKey(sessionId) === undefined || past !== undefined) return false;
  if (tape?.isReplay) return kind === 'session.end';
  if (kind === 'prompt.submit') return isHeartbeatDue(layout, sessionId, at);
  if (kind !== 'turn.stop') return kind === 'session.start' || kind === 'session.end';
  const record = world.document(sessionRecordRef(sessionId));
  return record.kind === 'present' && recordFrom(record.value, sessionId).degraded.some(({ told }) => !told);
}

/** Adds what each guard says to `results`. In a paused session nothing is held; guards only update their state. */
async function askGuards(
  context: EventContext,
  world: World,
  results: CollectedResults,
  effects: EffectSource,
  isPaused: boolean,
): Promise<void> {
  const watchdog = watchdogFor(context);
  for (const active of isPaused && mayBeHeld(context.event) ? [] : context.guards) {
    const { name } = active.guard;
    const known = results.failures.length;
    const ctx = contextFor(context, world, name, results, effects);
    const said = await verdictOf(context, active, ctx, watchdog);
    const isLate = 'code' in said && said.code === 'deadline.passed';
    const verdict = isLate ? (heldForLength(context.event) ?? said) : said;
    if ('code' in verdict) results.failures.push(verdict);
    const failed = results.failures.slice(known).find(isRuleFailure);
    if (!isPaused)
      results.verdicts.push({ guard: name, verdict: finalVerdict(context, active, world, verdict, failed) });
    // No time is left for the other guards; what was held before stays held.
    if (isLate) return;
  }
}

function worldOf(context: EventContext): World {
  return context.tape === undefined ? openWorld(context) : context.tape.wrapWorld(() => openWorld(context));
}

/** One rule failed, or an effect it needs: the others have decided, and `on_error` applies to this one. */
function isRuleFailure(failure: Failure): boolean {
  if (failure.code === 'effect.failed') return failure.isPast !== true;
  return failure.code === 'rule.failed' && failure.mode === 'hold';
}

function finalVerdict(
  context: EventContext,
  active: ActiveGuard,
  world: World,
  verdict: Verdict | Failure,
  failed: Failure | undefined,
): Verdict {
  if ('code' in verdict) return verdictOnError(context, active, world, verdict);
  const isHeld = 'reason' in verdict;
  return failed === undefined || isHeld || active.onError === 'allow'
    ? verdict
    : verdictOnError(context, active, world, failed);
}

/** The event's pause. Most sessions have no such file, so look for one before reading documents. */
export function pauseIn(
  { event, layout, guards, tape, past }: EventContext,
  world: World,
): Pause | undefined {
  // A replay does not have these files: with a tape, always read the documents.
  const isMarked = (key: string): boolean =>
    tape !== undefined || existsSync(`${layout.git}/${SESSION_FILES}/${key}.paused`);
  if (guards.length === 0 || past !== undefined || event.sessionId === '') return undefined;
  if (!sessionKeys(event.sessionId).some(isMarked)) return undefined;
  return pauseOf(event.sessionId, world.document, event.at);
}

type CollectedResults = { readonly [Part in keyof GuardResults]: GuardResults[Part][number][] };

export function newResults(): CollectedResults {
  return {
    ...{ verdicts: [], changes: [], failures: [], notes: [] },
    ...{ armed: [], asked: [], shadowed: [], unknown: [] },
  };
}

export function contextFor(
  context: EventContext,
  world: World,
  guard: GuardName,
  results: CollectedResults,
  effects: EffectSource,
): Context {
  const { event, project, git, stopLimit, rules, gauntletCompat } = context;
  return {
    ...world,
    now: event.at,
    decisionId: context.id,
    projectRoot: project.root,
    home: project.home,
    git,
    pid: process.pid,
    stopLimit,
    earlier: [...results.verdicts],
    rules,
    gauntletCompat,
    run: (effect) => effects.run(guard, effect),
    change: (change) => void results.changes.push(change),
    trouble: (failure) => void results.failures.push(failure),
    armed: (what) => void results.armed.push({ guard, what }),
    asked: (rules) => void results.asked.push(...rules),
    shadow: (one) => void results.shadowed.push({ ...one, guard }),
    unknown: (rules) => void results.unknown.push(...rules.map((rule) => ({ guard, rule }))),
    note: (text) => void results.notes.push(text),
  };
}

async function verdictOf(
  context: EventContext,
  active: ActiveGuard,
  ctx: Context,
  watchdog: Watchdog,
): Promise<Verdict | Failure> {
  const { guard, config, failure } = active;
  if (failure !== undefined) return failure;
  try {
    const decide = (): Promise<Verdict> => guard.decide(context.event, config, ctx);
    const hasCommand = 'call' in context.event && context.event.call.command !== undefined;
    return await (!hasCommand && isQuick(active) ? decide() : watchdog(decide));
  } catch (error) {
    if (error instanceof EffectNeeded || error instanceof CannotHandleHere) throw error;
    if (error instanceof EffectFailed || error instanceof DeadlinePassed) return error.failure;
    if (error instanceof UnknownFact) return NOTHING;
    return { code: 'guard.threw', guard: guard.name, detail: detailOf(error) };
  }
}

/**
 * A failed guard allows the event unless its config says `on_error: hold`. Even then it holds only one stop
 * of a prompt, so that a broken guard cannot keep a turn alive.
 */
function verdictOnError(
  { event }: EventContext,
  active: ActiveGuard,
  world: World,
  failure: Failure,
): Verdict {
  if (active.onError === 'allow') return NOTHING;
  const { name } = active.guard;
  const reason = heldByError(name, failure);
  const grounds = [{ rule: 'on_error: hold', fact: `${name} failed: ${failure.code}` }];
  if (event.kind === 'tool.before') return { kind: 'deny', reason, grounds };
  const heldBefore = (world.refusedStops.byGuard[name] ?? 0) > 0;
  const countable = event.kind === 'turn.stop' && event.sessionId !== '';
  return countable && !heldBefore ? { kind: 'hold', reason, grounds } : NOTHING;
}

/** An effect that threw; counts as a failure of the guard that asked for it. */
class EffectFailed extends Error {
  readonly failure: Failure;

  constructor(guard: GuardName, error: unknown) {
    super(detailOf(error));
    this.failure = { code: 'effect.failed', guard, detail: detailOf(error) };
  }
}

/** Runs effects for one event. No lock is held in the meantime, however long they take. */
export class EffectRuns implements EffectSource {
  readonly #context: EventContext;
  /** Keyed by guard and effect. */
  readonly #results = new Map<string, Promise<Json>>();
  /** Whether the journal has an entry for the start of an effect, and so needs one for its end. */
  announced = false;

  constructor(context: EventContext) {
    this.#context = context;
  }

  run(guard: GuardName, effect: EffectRequest): Promise<Json> {
    const key = runKey(guard, effect);
    const result = this.#results.get(key) ?? this.#start(guard, effect);
    this.#results.set(key, result);
    return result;
  }

  /** The cached results, for judging under the lock: an effect that has not run yet throws `EffectNeeded`. */
  remembered(): EffectSource {
    return {
      run: async (guard, effect) => {
        const result = this.#results.get(runKey(guard, effect));
        if (result === undefined) throw new EffectNeeded(guard, effect);
        return result;
      },
    };
  }

  async #start(guard: GuardName, effect: EffectRequest): Promise<Json> {
    const { name, input, announce } = effect;
    const { layout, project, event, gauntletCompat, chunks, signal } = this.#context;
    const env = this.#context.effectEnv();
    if (env === undefined) throw new CannotHandleHere('the environment of what would be run is not known');
    if (announce !== undefined) {
      appendJournal(layout, announcement(this.#context, guard, announce));
      this.announced = true;
    }
    const deadline = event.at + (gauntletCompat ? GAUNTLET_EFFECT_MS : EFFECT_MS);
    try {
      const context = { projectRoot: project.root, env, deadline, signal };
      const result = await chunks.effects(guard)(name, input, context);
      this.#context.tape?.ran?.(runKey(guard, effect), result);
      return result;
    } catch (error) {
      throw new EffectFailed(guard, error);
    }
  }
}

/** Identifies a run within an event; an effect may run more than once, told apart by `run`. */
export function runKey(guard: GuardName, { name, run }: EffectRequest): string {
  return run === undefined ? `${guard} ${name}` : `${guard} ${name} ${run}`;
}

/** Written in case this process is killed. The decision has the same id and replaces it. */
function announcement({ id, event }: EventContext, guard: GuardName, words: string): Record<string, Json> {
  const fact = `${words} by process ${process.pid}`;
  return {
    ...entryHead(id, event),
    ...whoCaused(event),
    decision: 'started',
    verdicts: [{ guard, verdict: 'started', grounds: [{ rule: words, fact }] }],
  };
}

/** A judgement after its changes were written, as far as that was possible. */
export interface Committed {
  readonly judgement: Judgement;
  readonly decision: Decision;
  readonly written: readonly string[];
  /** What was changed, in words, without counters. */
  readonly changed: readonly string[];
  /** Who made the changes, if they say so. */
  readonly by: Who | undefined;
  readonly setAside: readonly string[];
  readonly failures: readonly Failure[];
  /** Failures missing in the session's record, because it is written together with what failed. */
  readonly unrecorded: readonly Failure[];
}

const PROJECT_PATIENCE = { ownerMs: 3000, mostMs: 20_000 };
/** For the registry all projects share. The next event can make up for it, but not for a session start. */
const HOME_PATIENCE = { ownerMs: 500, mostMs: 3000 };

/** A server handles several events at once; only one of them at a time may take the project's lock. */
let lockQueue: Promise<unknown> = Promise.resolve();

/**
 * Writes before answering, so that the answer is true. Under the lock the documents are checked again; if one
 * has changed, the guards decide again. If a guard then needs an effect, nothing is written, and judging
 * starts over once the effect has run without the lock.
 */
export async function commit(
  context: EventContext,
  effects: EffectRuns,
  first: Judgement,
): Promise<Committed> {
  // Registry first: the project's state claims that it is written, so a kill in between must not skip it.
  const home = writeHome(
    context,
    first.changes.filter((change) => !isProjectChange(change)),
  );
  const project = first.changes.some(isProjectChange)
    ? await commitProject(context, effects, first)
    : { judgement: first, reports: [], failures: [] };
  return conclusionOf(context, project.judgement, [...project.reports, ...home], project.failures);
}

function writeHome(context: EventContext, changes: readonly Change[]): WriteReport[] {
  if (changes.length === 0) return [];
  const patience = context.event.kind === 'session.start' ? PROJECT_PATIENCE : HOME_PATIENCE;
  const report = updateDocuments(context.layout, changes, patience);
  return report.ok ? [report.value] : [];
}

/** Writes changes that no decision depends on. Returns what was changed. */
export async function writeSideChanges(
  context: EventContext,
  changes: readonly Change[],
  patienceMs: number,
): Promise<Pick<Committed, 'changed' | 'by'>> {
  if (changes.length === 0) return { changed: [], by: undefined };
  const mine = lockQueue.then(() => updateDocuments(context.layout, changes, patienceMs));
  lockQueue = mine.catch(() => undefined);
  const report = await mine.catch(() => undefined);
  const written = new Set(report?.ok ? report.value.written : []);
  return withoutCounters(context, { changes }, written);
}

interface ProjectCommit {
  readonly judgement: Judgement;
  readonly reports: readonly WriteReport[];
  readonly failures: readonly Failure[];
}

async function commitProject(
  context: EventContext,
  effects: EffectRuns,
  first: Judgement,
): Promise<ProjectCommit> {
  const mine = lockQueue.then(() => commitUnderLock(context, effects, first));
  lockQueue = mine.catch(() => undefined);
  const done = await mine;
  if (!(done instanceof EffectNeeded)) return done;
  // The guard that asked for it handles its failure: it is asked again below.
  await effects.run(done.guard, done.effect).catch(() => undefined);
  return commitProject(context, effects, await judge(context, effects));
}

async function commitUnderLock(
  context: EventContext,
  effects: EffectRuns,
  first: Judgement,
): Promise<ProjectCommit | EffectNeeded> {
  const lock = lockProject(context.layout, PROJECT_PATIENCE);
  if (!lock.ok) return { judgement: first, reports: [], failures: [lock.failure] };
  try {
    const fresh = dependsOnState(first) ? first.world.unchanged() : new Map();
    const judgement = fresh === undefined ? await judge(context, effects.remembered()) : first;
    const changes = judgement.changes.filter(isProjectChange);
    const watchdog = context.guards.every(isQuick) ? unwatched : watchdogFor(context);
    const report = watchdog(() => applyChanges(context.layout, lock.value, changes, fresh));
    return { judgement, reports: [report], failures: [] };
  } catch (error) {
    if (error instanceof EffectNeeded) return error;
    if (!(error instanceof DeadlinePassed)) throw error;
    return { judgement: first, reports: [], failures: [error.failure] };
  } finally {
    lock.value.release();
  }
}

/**
 * If only counters change there is no need to judge again: they can be added to any version of the document,
 * and the verdict is as fresh as that of an event that writes nothing.
 */
function dependsOnState({ changes }: Judgement): boolean {
  return changes.some(({ document }) => document.durability !== 'bookkeeping');
}

function isProjectChange(change: Change): boolean {
  return change.document.base !== 'home';
}

/** Failed bookkeeping changes no decision; a hold that could not be counted is released. */
function conclusionOf(
  context: EventContext,
  judgement: Judgement,
  reports: readonly WriteReport[],
  lockFailures: readonly Failure[],
): Committed {
  const written = new Set(reports.flatMap((report) => report.written));
  const setAside = reports.flatMap((report) => report.setAside);
  const mistakes = reports.flatMap((report) => report.failures);
  const counted = mistakes.filter(({ durability }) => durability !== 'bookkeeping');
  const failed = [...lockFailures, ...mistakes.map(({ failure }) => failure)];
  const serious = [...lockFailures, ...counted.map(({ failure }) => failure)];
  const { changed, by } = withoutCounters(context, judgement, written);
  const [failure] = serious;
  const isDone = (file: string): boolean =>
    written.has(file) && !failed.some((one) => 'file' in one && one.file === file);
  const decision =
    failure === undefined ? judgement.decision : withoutWrite(context, judgement, failure, isDone);
  return {
    judgement,
    decision,
    unrecorded:
      serious.length + setAside.length > 0
        ? [...judgement.failures, ...serious, ...setAside.map(setAsideFailure)]
        : [],
    written: [...written],
    changed,
    by,
    setAside,
    failures: [...judgement.failures, ...failed, ...setAside.map(setAsideFailure)],
  };
}

/** The decision after a failed write. A single-use approval does not count if its use is not recorded. */
function withoutWrite(
  { event, id, layout }: EventContext,
  { decision, changes }: Judgement,
  failure: Failure,
  isDone: (file: string) => boolean,
): Decision {
  const left = afterFailedWrite(event, decision, failure, id);
  const unwritten = changes.filter(({ document }) => !isDone(documentFile(layout, document)));
  const reason = unwritten.find(({ holdIfUnwritten }) => holdIfUnwritten !== undefined)?.holdIfUnwritten;
  if (reason === undefined || event.kind !== 'tool.before' || left.kind === 'deny') return left;
  const grounds = [{ rule: 'single_use', fact: `its use could not be written: ${failure.code}` }];
  return combine([{ guard: 'requirements', verdict: { kind: 'deny', reason, grounds } }], left, id);
}

/** Drops counter files, which change with every call, from `written`; returns the other changes in words. */
function withoutCounters(
  { layout }: EventContext,
  { changes }: Pick<Judgement, 'changes'>,
  written: Set<string>,
) {
  const changed = new Set<string>();
  let who: Who | undefined;
  for (const { document, what, by } of changes) {
    const file = documentFile(layout, document);
    if (document.durability === 'bookkeeping') written.delete(file);
    else if (document.durability === 'durable' && written.has(file)) {
      changed.add(what);
      who ??= by;
    }
  }
  return { changed: [...changed], by: who };
}

/** The content of a broken file no longer counts, so we report where it is. */
function setAsideFailure(file: string): Failure {
  return { code: 'state.set-aside', file };
}
