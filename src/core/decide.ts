import { existsSync } from 'node:fs';
import { Script } from 'node:vm';
import { disabledReport } from '../guards/gates/report';
import { type Change, documentFile, isKept } from '../state/documents';
import { appendJournal } from '../state/journal';
import { applyChanges, lockProject, updateDocuments, type WriteReport } from '../state/update';
import { type Who, whoCaused } from './actor';
import { afterFailedWrite, combine, conclude, heldByError } from './combine';
import { type ActiveGuard, type EventContext, openWorld, type World } from './context';
import type { Event } from './event';
import { LeaveEvent, UnknownFact } from './facts';
import { detailOf, type Failure } from './failure';
import type { Context, EffectRequest } from './guard';
import type { Json } from './json';
import { entryHead } from './note-decision';
import type { GuardName } from './selection';
import { type Pause, pauseOf, SESSION_FILES } from './session-files';
import { NO_REMARKS, watchSession } from './session-watch';
import { sessionKeys } from './text';
import { type Decision, NOTHING, type Shadowed, type Spoken, type Verdict } from './verdict';

/** Thrown where the work took longer than allowed. */
export class DeadlinePassed extends Error {
  readonly failure = { code: 'deadline.passed', ms: WATCHDOG_MS } as const;
}

export type Watchdog = <T>(work: () => T) => T;

const WATCHDOG_MS = 5000;

let watched: Script | undefined;

/**
 * Ends work that takes too long, even in the middle of a regular expression that never comes back: no timer could
 * fire there, but V8's own watchdog can. Nothing inside runs after that, not even `finally`, so locks are released
 * outside. What follows an `await` inside is not watched. The time is for all calls together.
 */
export function newWatchdog(leftMs = WATCHDOG_MS): Watchdog {
  let left = leftMs;
  return <T>(work: () => T): T => {
    const slot = globalThis as { holdpointWork?: () => T };
    const begun = Date.now();
    slot.holdpointWork = work;
    try {
      watched ??= new Script('holdpointWork()');
      return watched.runInThisContext({ timeout: Math.max(1, left) }) as T;
    } catch (error) {
      const isTimeout =
        error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
      throw isTimeout ? new DeadlinePassed() : error;
    } finally {
      delete slot.holdpointWork;
      left -= Date.now() - begun;
    }
  };
}

/**
 * V8's watchdog costs more than most judgements. Of a session that is played afterwards nobody waits for an answer; of a
 * server that is silent its clients do not wait either: they decide by themselves, and have it replaced.
 */
function watchdogFor({ past, isServed }: EventContext): Watchdog {
  return past === undefined && !isServed ? newWatchdog() : unwatched;
}

function unwatched<T>(work: () => T): T {
  return work();
}

function isQuick({ guard, config }: ActiveGuard): boolean {
  return guard.isQuick?.(config) === true;
}

/** What one guard holds, in a few words. */
export interface Armed {
  readonly guard: GuardName;
  readonly what: string;
}

/** A rule that could not be judged. */
export interface OpenRule {
  readonly guard: GuardName;
  readonly rule: string;
}

/** What the guards have said. */
export interface Said {
  readonly spoken: readonly Spoken[];
  readonly changes: readonly Change[];
  readonly failures: readonly Failure[];
  /** How the guards came to what they say, for people who asked to watch. */
  readonly notes: readonly string[];
  readonly armed: readonly Armed[];
  /** The rules that were consulted. */
  readonly asked: readonly string[];
  /** What rules in shadow mode would have said. */
  readonly shadowed: readonly (Shadowed & { readonly guard: GuardName })[];
  /** The rules of which nobody can tell what they would have said. */
  readonly unknown: readonly OpenRule[];
}

/** What one look at the world leads to. Nothing has been written yet. */
export interface Judgement extends Said {
  readonly world: World;
  readonly decision: Decision;
  /** Why nothing is held, where a person has paused the session. */
  readonly pause?: Pause;
}

/** How the guards' effects are run, or why not. Remembers what each returned, so that none runs twice for an event. */
export interface Effects {
  run(guard: GuardName, effect: EffectRequest): Promise<Json>;
  /** Whether the journal knows that one began, and so has to hear how it ended. */
  readonly announced: boolean;
}

/** Thrown to a guard that asks for an effect where none may run; judging ends there. */
export class EffectNeeded extends Error {
  readonly guard: GuardName;
  readonly effect: EffectRequest;

  constructor(guard: GuardName, effect: EffectRequest) {
    super(`${guard} needs ${effect.name}`);
    this.guard = guard;
    this.effect = effect;
  }
}

/** Less than the time that a host gives a hook, so that we answer before it gives up. */
const EFFECT_MS = 580_000;
/** `gates stop-hook` stands in settings of the older program, which gives it half of that. */
const GAUNTLET_EFFECT_MS = 280_000;

/** Lets the guards speak in their order, and concludes. Repeatable: it changes nothing. */
export async function judge(scene: EventContext, effects: Effects): Promise<Judgement> {
  const world = worldOf(scene);
  const said = nothingSaid();
  // Another process has answered this very stop: both answers reach the host, and one is enough.
  if (world.refusedStops.elsewhere)
    return { world, ...said, decision: { kind: 'nothing', toAgent: [], toPerson: [] } };
  const watchdog = watchdogFor(scene);
  const pause = pauseIn(scene, world);
  for (const active of pause !== undefined && canHold(scene.event) ? [] : scene.guards) {
    const { name } = active.guard;
    const known = said.failures.length;
    const verdict = await verdictOf(scene, active, contextFor(scene, world, name, said, effects), watchdog);
    if ('code' in verdict) said.failures.push(verdict);
    // While a person has paused the session, guards only keep their books.
    if (pause !== undefined) continue;
    const failed = 'code' in verdict ? verdict : said.failures.slice(known).find(isRuleThatHolds);
    said.spoken.push({ guard: name, verdict: heardFrom(scene, active, world, verdict, failed) });
  }
  // A tool call begins and ends no session.
  const watch = 'call' in scene.event ? NO_REMARKS : watchSession(scene, world, said);
  const { spoken, failures } = said;
  const { decision, changes } = conclude({
    event: scene.event,
    spoken,
    failures,
    remarks: { ...watch, toPerson: [...watch.toPerson, ...scene.news] },
    refusedStops: world.refusedStops,
    limit: scene.stopLimit,
    id: scene.id,
  });
  const all = [...said.changes, ...watch.changes, ...changes];
  return {
    world,
    ...said,
    changes: all.filter(({ document }) => isKept(scene.layout, document.base)),
    // The gates' own command always gives an answer.
    decision:
      pause !== undefined && decision.kind === 'nothing' && scene.gauntletCompat
        ? { ...decision, report: disabledReport('`holdpoint pause`') }
        : decision,
    ...(pause && { pause }),
  };
}

function worldOf(scene: EventContext): World {
  return scene.tape === undefined ? openWorld(scene) : scene.tape.look(() => openWorld(scene));
}

/** Of many rules one has failed, or what it needs to know: the others have decided, and `on_error` speaks for this one. */
function isRuleThatHolds(failure: Failure): boolean {
  if (failure.code === 'effect.failed') return failure.isPast !== true;
  return failure.code === 'rule.failed' && failure.mode === 'hold';
}

function heardFrom(
  scene: EventContext,
  active: ActiveGuard,
  world: World,
  verdict: Verdict | Failure,
  failed: Failure | undefined,
): Verdict {
  if ('code' in verdict) return verdictOnError(scene, active, world, verdict);
  const isHeld = 'reason' in verdict;
  return failed === undefined || isHeld || active.onError === 'allow'
    ? verdict
    : verdictOnError(scene, active, world, failed);
}

/** The pause of the session that the event is from. Mostly there is no file that could be one. */
export function pauseIn(
  { event, layout, guards, tape, past }: EventContext,
  world: World,
): Pause | undefined {
  // Whoever replays it has no such files.
  const isMarked = (key: string): boolean =>
    tape !== undefined || existsSync(`${layout.git}/${SESSION_FILES}/${key}.paused`);
  if (guards.length === 0 || past !== undefined || event.sessionId === '') return undefined;
  if (!sessionKeys(event.sessionId).some(isMarked)) return undefined;
  return pauseOf(event.sessionId, world.document, event.at);
}

function canHold({ kind }: Event): boolean {
  return kind === 'tool.before' || kind === 'turn.stop';
}

/** Collects what the guards say. */
type Collected = { readonly [Part in keyof Said]: Said[Part][number][] };

export function nothingSaid(): Collected {
  return {
    ...{ spoken: [], changes: [], failures: [], notes: [] },
    ...{ armed: [], asked: [], shadowed: [], unknown: [] },
  };
}

export function contextFor(
  scene: EventContext,
  world: World,
  guard: GuardName,
  said: Collected,
  effects: Pick<Effects, 'run'>,
): Context {
  const { event, project, git, stopLimit, rules, gauntletCompat } = scene;
  return {
    ...world,
    now: event.at,
    decisionId: scene.id,
    projectRoot: project.root,
    home: project.home,
    git,
    pid: process.pid,
    stopLimit,
    earlier: [...said.spoken],
    rules,
    gauntletCompat,
    run: (effect) => effects.run(guard, effect),
    change: (change) => void said.changes.push(change),
    trouble: (failure) => void said.failures.push(failure),
    armed: (what) => void said.armed.push({ guard, what }),
    asked: (rules) => void said.asked.push(...rules),
    shadow: (one) => void said.shadowed.push({ ...one, guard }),
    unknown: (rules) => void said.unknown.push(...rules.map((rule) => ({ guard, rule }))),
    note: (text) => void said.notes.push(text),
  };
}

async function verdictOf(
  scene: EventContext,
  active: ActiveGuard,
  ctx: Context,
  watchdog: Watchdog,
): Promise<Verdict | Failure> {
  const { guard, config, failure } = active;
  if (failure !== undefined) return failure;
  try {
    const decide = (): Promise<Verdict> => guard.decide(scene.event, config, ctx);
    const hasCommand = 'call' in scene.event && scene.event.call.command !== undefined;
    return await (!hasCommand && isQuick(active) ? decide() : watchdog(decide));
  } catch (error) {
    if ([EffectNeeded, DeadlinePassed, LeaveEvent].some((kind) => error instanceof kind)) throw error;
    if (error instanceof EffectFailed) return error.failure;
    if (error instanceof UnknownFact) return NOTHING;
    return { code: 'guard.threw', guard: guard.name, detail: detailOf(error) };
  }
}

/**
 * A failed guard allows the event, unless its config says `on_error: hold`. Even then a stop is
 * held only once for a prompt, so that a broken guard cannot keep a turn alive.
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

/** An effect that threw; the guard that asked for it has failed. */
class EffectFailed extends Error {
  readonly failure: Failure;

  constructor(guard: GuardName, error: unknown) {
    super(detailOf(error));
    this.failure = { code: 'effect.failed', guard, detail: detailOf(error) };
  }
}

/** Runs effects for one event. No lock is held meanwhile, however long they take. */
export class EffectRuns implements Effects {
  readonly #scene: EventContext;
  /** By guard and effect. */
  readonly #results = new Map<string, Promise<Json>>();
  announced = false;

  constructor(scene: EventContext) {
    this.#scene = scene;
  }

  run(guard: GuardName, effect: EffectRequest): Promise<Json> {
    const key = runKey(guard, effect);
    const result = this.#results.get(key) ?? this.#start(guard, effect);
    this.#results.set(key, result);
    return result;
  }

  /** The same memory, for judging under the lock: what has not been run yet is asked for by an exception. */
  remembered(): Effects {
    return {
      announced: this.announced,
      run: async (guard, effect) => {
        const result = this.#results.get(runKey(guard, effect));
        if (result === undefined) throw new EffectNeeded(guard, effect);
        return result;
      },
    };
  }

  async #start(guard: GuardName, { name, input, announce }: EffectRequest): Promise<Json> {
    const { layout, project, event, gauntletCompat, chunks, signal } = this.#scene;
    const env = this.#scene.effectEnv();
    if (env === undefined) throw new LeaveEvent('the environment of what would be run is not known');
    if (announce !== undefined) {
      appendJournal(layout, announcement(this.#scene, guard, announce));
      this.announced = true;
    }
    const deadline = event.at + (gauntletCompat ? GAUNTLET_EFFECT_MS : EFFECT_MS);
    try {
      const context = { projectRoot: project.root, env, deadline, signal };
      const result = await chunks.effects(guard)(name, input, context);
      this.#scene.tape?.ran?.(guard, name, result);
      return result;
    } catch (error) {
      throw new EffectFailed(guard, error);
    }
  }
}

function runKey(guard: GuardName, { name, run = '' }: EffectRequest): string {
  return `${guard} ${name} ${run}`;
}

/** The journal entry in case this process is killed. It has the decision's id, and is replaced by it. */
function announcement({ id, event }: EventContext, guard: GuardName, words: string): Record<string, Json> {
  const fact = `${words} by process ${process.pid}`;
  return {
    ...entryHead(id, event),
    ...whoCaused(event),
    decision: 'started',
    verdicts: [{ guard, verdict: 'started', grounds: [{ rule: words, fact }] }],
  };
}

/** A judgement whose changes are on disk, as far as they could be brought there. */
export interface Committed {
  readonly judgement: Judgement;
  readonly decision: Decision;
  readonly written: readonly string[];
  /** What the changes were, in words, without counters. */
  readonly changed: readonly string[];
  /** Who made them, where they say so. */
  readonly by: Who | undefined;
  readonly setAside: readonly string[];
  readonly failures: readonly Failure[];
  /** Those of them that the session's record does not know, since it was written together with what failed. */
  readonly untold: readonly Failure[];
}

const PROJECT_PATIENCE = { ownerMs: 3000, mostMs: 20_000 };
/** For the registry of all projects. An event that does not get it tells the next one, but a session begins only once. */
const HOME_PATIENCE = { ownerMs: 500, mostMs: 3000 };

/** In a server several events are under way; only one of them at a time may hold the project's lock. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Writes first, so that what is printed is true. Under the lock the documents are looked at once more; if one has
 * moved since, the guards decide again on what is there now. Where that makes one of them ask for an effect,
 * nothing is written, and judging begins anew once the effect has run without the lock.
 */
export async function commit(scene: EventContext, effects: EffectRuns, first: Judgement): Promise<Committed> {
  // The registry first: the project's counts say that it is written, and whoever is killed in between must not leave that.
  const home = writeHome(
    scene,
    first.changes.filter((change) => !isProjectChange(change)),
  );
  const project = first.changes.some(isProjectChange)
    ? await commitProject(scene, effects, first)
    : { judgement: first, reports: [], failures: [] };
  return conclusionOf(scene, project.judgement, [...project.reports, ...home], project.failures);
}

function writeHome(scene: EventContext, changes: readonly Change[]): WriteReport[] {
  if (changes.length === 0) return [];
  const mistakes: Mistakes = [];
  const patience = scene.event.kind === 'session.start' ? PROJECT_PATIENCE : HOME_PATIENCE;
  const report = updateDocuments(scene.layout, tolerant(scene, changes, mistakes), patience);
  return [...(report.ok ? [report.value] : []), reportOf(mistakes)];
}

/** What writing beside a decision came to: for changes on which nothing rests. */
export async function writeBeside(
  scene: EventContext,
  changes: readonly Change[],
  patienceMs: number,
): Promise<Pick<Committed, 'changed' | 'by'>> {
  if (changes.length === 0) return { changed: [], by: undefined };
  const mine = turn.then(() => updateDocuments(scene.layout, tolerant(scene, changes, []), patienceMs));
  turn = mine.catch(() => undefined);
  const report = await mine.catch(() => undefined);
  const written = new Set(report?.ok ? report.value.written : []);
  return withoutCounters(scene, { changes }, written);
}

interface ProjectCommit {
  readonly judgement: Judgement;
  readonly reports: readonly WriteReport[];
  readonly failures: readonly Failure[];
}

async function commitProject(
  scene: EventContext,
  effects: EffectRuns,
  first: Judgement,
): Promise<ProjectCommit> {
  const mine = turn.then(() => commitInTurn(scene, effects, first));
  turn = mine.catch(() => undefined);
  const done = await mine;
  if (!(done instanceof EffectNeeded)) return done;
  // How it ends is for the guard that asked for it, which is asked again below.
  await effects.run(done.guard, done.effect).catch(() => undefined);
  return commitProject(scene, effects, await judge(scene, effects));
}

async function commitInTurn(
  scene: EventContext,
  effects: EffectRuns,
  first: Judgement,
): Promise<ProjectCommit | EffectNeeded> {
  const lock = lockProject(scene.layout, PROJECT_PATIENCE);
  if (!lock.ok) return { judgement: first, reports: [], failures: [lock.failure] };
  try {
    const fresh = restsOnState(first) ? first.world.unmoved() : new Map();
    const judgement = fresh === undefined ? await judge(scene, effects.remembered()) : first;
    const mistakes: Mistakes = [];
    const changes = tolerant(scene, judgement.changes.filter(isProjectChange), mistakes);
    const watchdog = scene.guards.every(isQuick) ? unwatched : watchdogFor(scene);
    const report = watchdog(() => applyChanges(scene.layout, lock.value, changes, fresh));
    return { judgement, reports: [report, reportOf(mistakes)], failures: [] };
  } catch (error) {
    if (error instanceof EffectNeeded) return error;
    throw error;
  } finally {
    lock.value.release();
  }
}

/**
 * Where only counters are written there is nothing to judge again: they add up on whatever is there,
 * and the verdict is no older than that of an event that writes nothing.
 */
function restsOnState({ changes }: Judgement): boolean {
  return changes.some(({ document }) => document.keeping !== 'bookkeeping');
}

function isProjectChange(change: Change): boolean {
  return change.document.base !== 'home';
}

type Mistakes = WriteReport['failures'][number][];

/** A change that throws on what it finds fails by itself: the other guards' changes and verdicts stand. */
function tolerant({ layout }: EventContext, changes: readonly Change[], mistakes: Mistakes): Change[] {
  return changes.map((change) => ({
    ...change,
    apply: (current) => {
      try {
        return change.apply(current);
      } catch (error) {
        const { document } = change;
        const file = documentFile(layout, document);
        const failure = { code: 'state.write-failed', file, detail: detailOf(error) } as const;
        mistakes.push({ keeping: document.keeping, failure });
        return current;
      }
    },
  }));
}

function reportOf(failures: Mistakes): WriteReport {
  return { written: [], setAside: [], failures };
}

/** Failed bookkeeping changes no decision; a hold that could not be counted does not stand. */
function conclusionOf(
  scene: EventContext,
  judgement: Judgement,
  reports: readonly WriteReport[],
  lockFailures: readonly Failure[],
): Committed {
  const written = new Set(reports.flatMap((report) => report.written));
  const setAside = reports.flatMap((report) => report.setAside);
  const mistakes = reports.flatMap((report) => report.failures);
  const counted = mistakes.filter(({ keeping }) => keeping !== 'bookkeeping');
  const failed = [...lockFailures, ...mistakes.map(({ failure }) => failure)];
  const serious = [...lockFailures, ...counted.map(({ failure }) => failure)];
  const { changed, by } = withoutCounters(scene, judgement, written);
  const [failure] = serious;
  const decision = failure === undefined ? judgement.decision : withoutWrite(scene, judgement, failure);
  return {
    judgement,
    decision,
    untold:
      serious.length + setAside.length > 0
        ? [...judgement.failures, ...serious, ...setAside.map(keptAside)]
        : [],
    written: [...written],
    changed,
    by,
    setAside,
    failures: [...judgement.failures, ...failed, ...setAside.map(keptAside)],
  };
}

/** What is left of a decision. What was allowed by something that had to be used up is not allowed without that. */
function withoutWrite(
  { event, id }: EventContext,
  { decision, changes }: Judgement,
  failure: Failure,
): Decision {
  const left = afterFailedWrite(event, decision, failure, id);
  const reason = changes.find(({ orElse }) => orElse !== undefined)?.orElse;
  if (reason === undefined || event.kind !== 'tool.before' || left.kind === 'deny') return left;
  const grounds = [{ rule: 'single_use', fact: `its use could not be written: ${failure.code}` }];
  return combine([{ guard: 'requirements', verdict: { kind: 'deny', reason, grounds } }], left, id);
}

/** Takes out the files of counters, which move at every call; what else was changed, in words, and by whom. */
function withoutCounters(
  { layout }: EventContext,
  { changes }: Pick<Judgement, 'changes'>,
  written: Set<string>,
) {
  const changed = new Set<string>();
  let who: Who | undefined;
  for (const { document, what, by } of changes) {
    const file = documentFile(layout, document);
    if (document.keeping === 'bookkeeping') written.delete(file);
    else if (document.keeping === 'durable' && written.has(file)) {
      changed.add(what);
      who ??= by;
    }
  }
  return { changed: [...changed], by: who };
}

/** What a broken file contained no longer counts, so its place is reported. */
function keptAside(file: string): Failure {
  return { code: 'state.set-aside', file };
}
