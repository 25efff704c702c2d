import type { Change } from './document';
import { detailOf, type Failure } from './failure';
import type { Step } from './guard';
import type { GuardName } from './guard-name';
import { heldByError } from './hold-messages';
import type { Json } from './json';
import type { ActiveGuard, Scene } from './scene';
import type { Snapshot } from './snapshot';
import type { Spoken, Verdict } from './verdict';
import { NOTHING } from './verdict';

/** What a guard's effect brought, or how it failed. */
export type EffectOutcome = ({ readonly value: Json } | { readonly failure: Failure }) & {
  /** Whether the journal knows that it began, and so has to hear how it ended. */
  readonly announced?: boolean;
};
export type EffectOutcomes = ReadonlyMap<GuardName, EffectOutcome>;

/** An effect that a guard has asked for. */
export interface Pending {
  readonly guard: GuardName;
  readonly name: string;
  readonly input: Json;
  readonly announce?: string;
}

/** What one guard holds, in a few words. */
export interface Armed {
  readonly guard: GuardName;
  readonly what: string;
}

export interface Evaluation {
  readonly spoken: readonly Spoken[];
  readonly changes: readonly Change[];
  readonly failures: readonly Failure[];
  /** How the guards came to what they say, for people who asked to watch. */
  readonly notes: readonly string[];
  /** What the guards hold from now on, said when a session begins. */
  readonly armed: readonly Armed[];
  /** The effect that must run before the guards after it can speak. */
  readonly pending?: Pending;
}

/** Lets the guards speak in their order. Pure but for what a guard throws, which becomes a failure. */
export function evaluate(scene: Scene, snapshot: Snapshot, effects: EffectOutcomes): Evaluation {
  const spoken: Spoken[] = [];
  const changes: Change[] = [];
  const failures: Failure[] = [];
  const notes: string[] = [];
  const armed: Armed[] = [];
  for (const active of scene.guards) {
    const { name } = active.guard;
    const broken = active.failure && { failure: active.failure };
    const step = broken ?? takeStep(scene, active, snapshot, spoken, effects.get(name));
    if ('failure' in step) {
      failures.push(step.failure);
      spoken.push({ guard: name, verdict: verdictOnError(scene, active, snapshot, step.failure) });
    } else if (step.kind === 'effect') {
      const { kind: _, ...effect } = step;
      return { spoken, changes, failures, notes, armed, pending: { ...effect, guard: name } };
    } else {
      spoken.push({ guard: name, verdict: step.verdict });
      changes.push(...step.changes);
      failures.push(...(step.troubles ?? []));
      notes.push(...(step.notes ?? []));
      if (step.armed !== undefined) armed.push({ guard: name, what: step.armed });
    }
  }
  return { spoken, changes, failures, notes, armed };
}

function takeStep(
  scene: Scene,
  { guard, config }: ActiveGuard,
  snapshot: Snapshot,
  earlier: readonly Spoken[],
  effect: EffectOutcome | undefined,
): Step | { failure: Failure } {
  if (effect !== undefined && 'failure' in effect) return effect;
  const deliberation = {
    earlier,
    rules: scene.rules,
    literal: scene.literal,
    ...(effect !== undefined && { effectResult: effect.value }),
  };
  try {
    const step = guard.decide(scene.event, config, snapshot, deliberation);
    if (step.kind === 'effect' && effect !== undefined) {
      return { failure: { code: 'effect.failed', guard: guard.name, detail: 'asked for a second effect' } };
    }
    return step;
  } catch (error) {
    return { failure: { code: 'guard.threw', guard: guard.name, detail: detailOf(error) } };
  }
}

/**
 * A failed guard lets things pass, unless its config says `on_error: hold`. Even then a stop is
 * held only once for a prompt, so that a broken guard cannot keep a turn alive.
 */
function verdictOnError(scene: Scene, active: ActiveGuard, snapshot: Snapshot, failure: Failure): Verdict {
  if (active.onError === 'allow') return NOTHING;
  const { name } = active.guard;
  const reason = heldByError(name, failure);
  const grounds = [{ rule: 'on_error: hold', fact: `the guard failed: ${failure.code}` }];
  if (scene.event.kind === 'tool.before') return { kind: 'deny', reason, grounds };
  const heldBefore = (snapshot.refusedStops.byGuard[name] ?? 0) > 0;
  const countable = scene.event.kind === 'turn.stop' && scene.event.sessionId !== '';
  if (countable && !heldBefore) return { kind: 'hold', reason, grounds };
  return NOTHING;
}
