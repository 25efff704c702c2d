import { Script } from 'node:vm';
import { appendJournal } from '../state/journal';
import { isKept } from '../state/layout';
import { conclude, heldByError } from './combine';
import { type ActiveGuard, type EventContext, openWorld, type World } from './context';
import type { Change } from './document';
import { detailOf, type Failure } from './failure';
import type { Context, EffectRequest } from './guard';
import type { Json } from './json';
import type { GuardName } from './selection';
import { watchSession } from './session-watch';
import { type Decision, NOTHING, type Spoken, type Verdict } from './verdict';

/** Thrown where the work took longer than allowed. */
export class DeadlinePassed extends Error {
  readonly failure = { code: 'deadline.passed', ms: WATCHDOG_MS } as const;
}

export type Watchdog = <T>(work: () => T) => T;

const WATCHDOG_MS = 5000;

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
      return new Script('holdpointWork()').runInThisContext({ timeout: Math.max(1, left) }) as T;
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

/** What one guard holds, in a few words. */
export interface Armed {
  readonly guard: GuardName;
  readonly what: string;
}

/** What one look at the world leads to. Nothing has been written yet. */
export interface Judgement {
  readonly world: World;
  readonly spoken: readonly Spoken[];
  readonly changes: readonly Change[];
  readonly failures: readonly Failure[];
  /** How the guards came to what they say, for people who asked to watch. */
  readonly notes: readonly string[];
  readonly decision: Decision;
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

/** Thrown where this process cannot do what the event needs. By its name, since chunks have classes of their own. */
class LeaveEvent extends Error {
  override readonly name = 'LeaveEvent';
}

/** Less than the time that a host gives a hook, so that we answer before it gives up. */
const EFFECT_MS = 580_000;
/** `gates stop-hook` stands in settings of the older program, which gives it half of that. */
const GAUNTLET_EFFECT_MS = 280_000;

/** Lets the guards speak in their order, and concludes. Repeatable: it changes nothing. */
export async function judge(scene: EventContext, effects: Effects): Promise<Judgement> {
  const world = openWorld(scene);
  const said: Said = { spoken: [], changes: [], failures: [], notes: [], armed: [] };
  // Another process has answered this very stop: both answers reach the host, and one is enough.
  if (world.refusedStops.elsewhere)
    return { world, ...said, decision: { kind: 'nothing', toAgent: [], toPerson: [] } };
  const watchdog = newWatchdog();
  for (const active of scene.guards) {
    const { name } = active.guard;
    const verdict = await verdictOf(scene, active, contextFor(scene, world, name, said, effects), watchdog);
    if ('code' in verdict) said.failures.push(verdict);
    said.spoken.push({
      guard: name,
      verdict: 'code' in verdict ? verdictOnError(scene, active, world, verdict) : verdict,
    });
  }
  const watch = watchSession(scene, world, said);
  const { spoken, failures } = said;
  const { decision, changes } = conclude({
    event: scene.event,
    spoken,
    failures,
    remarks: watch,
    refusedStops: world.refusedStops,
    limit: scene.stopLimit,
    id: scene.id,
  });
  const all = [...said.changes, ...watch.changes, ...changes];
  return {
    world,
    ...said,
    changes: all.filter(({ document }) => isKept(scene.layout, document.base)),
    decision,
  };
}

/** Collects what the guards say. */
interface Said {
  readonly spoken: Spoken[];
  readonly changes: Change[];
  readonly failures: Failure[];
  readonly notes: string[];
  readonly armed: Armed[];
}

function contextFor(
  scene: EventContext,
  world: World,
  guard: GuardName,
  said: Said,
  effects: Effects,
): Context {
  const { event, project, git, stopLimit, rules, gauntletCompat } = scene;
  return {
    ...world,
    now: event.at,
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
    note: (text) => void said.notes.push(text),
  };
}

async function verdictOf(
  { event }: EventContext,
  { guard, config, failure }: ActiveGuard,
  ctx: Context,
  watchdog: Watchdog,
): Promise<Verdict | Failure> {
  if (failure !== undefined) return failure;
  try {
    return await watchdog(() => guard.decide(event, config, ctx));
  } catch (error) {
    if ([EffectNeeded, DeadlinePassed, LeaveEvent].some((kind) => error instanceof kind)) throw error;
    if (error instanceof EffectFailed) return error.failure;
    return { code: 'guard.threw', guard: guard.name, detail: detailOf(error) };
  }
}

/**
 * A failed guard lets things pass, unless its config says `on_error: hold`. Even then a stop is
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
  const grounds = [{ rule: 'on_error: hold', fact: `the guard failed: ${failure.code}` }];
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
  readonly #results = new Map<GuardName, Promise<Json>>();
  announced = false;

  constructor(scene: EventContext) {
    this.#scene = scene;
  }

  run(guard: GuardName, effect: EffectRequest): Promise<Json> {
    const result = this.#results.get(guard) ?? this.#start(guard, effect);
    this.#results.set(guard, result);
    return result;
  }

  /** The same memory, for judging under the lock: what has not been run yet is asked for by an exception. */
  remembered(): Effects {
    return {
      announced: this.announced,
      run: async (guard, effect) => {
        const result = this.#results.get(guard);
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
      return await chunks.effects(guard)(name, input, { projectRoot: project.root, env, deadline, signal });
    } catch (error) {
      throw new EffectFailed(guard, error);
    }
  }
}

/** What stands in the journal if we do not live to write more. It has the decision's id, and gives way to it. */
function announcement({ id, event }: EventContext, guard: GuardName, words: string): Record<string, Json> {
  const fact = `${words} by process ${process.pid}`;
  return {
    id,
    at: new Date().toISOString(),
    host: event.host,
    session: event.sessionId,
    event: event.hostEvent,
    decision: 'started',
    verdicts: [{ guard, verdict: 'started', grounds: [{ rule: words, fact }] }],
  };
}
