import { type Change, isKept } from '../state/documents';
import type { Who } from './actor';
import type { ActiveGuard, EventContext, World } from './context';
import { contextFor, EffectRuns, newWatchdog, nothingSaid, type Said, writeBeside } from './decide';
import type { Context, RefusedStops } from './guard';
import { GUARD_NAMES, type GuardName } from './selection';
import type { Shadowed, Spoken, Verdict } from './verdict';

/** What rules in shadow mode would have said to an event. */
export interface Rehearsal {
  readonly shadowed: Said['shadowed'];
  readonly asked: readonly string[];
  /** What became of their own state, in words, and who made it so, where that is told. */
  readonly changed: readonly string[];
  readonly by: Who | undefined;
}

export const NO_REHEARSAL: Rehearsal = { shadowed: [], asked: [], changed: [], by: undefined };

/** Nobody waits for long on behalf of a rule that nobody is to notice. */
const LOCK_MS = 500;
const MOST_MS = 1000;
/** They refuse no stop, so none was refused on their account. */
const NONE_REFUSED: RefusedStops = { byGuard: {}, inRow: 0 };

/** Lets the rules in shadow mode decide, once the answer to the event is settled, and keeps what they want to keep. */
export async function rehearse(
  scene: EventContext,
  guards: readonly ActiveGuard[],
  world: World,
  spoken: readonly Spoken[],
): Promise<Rehearsal> {
  const { changes, ...said } = await askInShadow(scene, guards, world, spoken, new EffectRuns(scene));
  return { ...said, ...(await writeBeside(scene, changes, LOCK_MS)) };
}

/**
 * What rules in shadow mode say. Whatever they do or fail to do stays here: a rule that throws, or takes too long, has
 * simply not spoken.
 */
export async function askInShadow(
  scene: EventContext,
  guards: readonly ActiveGuard[],
  world: World,
  spoken: readonly Spoken[],
  effects: Pick<EffectRuns, 'run'>,
): Promise<Pick<Rehearsal, 'shadowed' | 'asked'> & { readonly changes: readonly Change[] }> {
  const said = nothingSaid();
  const seen = { ...world, refusedStops: NONE_REFUSED };
  const watchdog = newWatchdog(MOST_MS);
  for (const { guard, config } of guards) {
    const { name, shadow } = guard;
    if (shadow === undefined) continue;
    const own: Change[] = [];
    const ctx: Context = {
      ...contextFor(scene, seen, name, { ...said, changes: own }, effects),
      earlier: spoken.filter((one) => placeOf(one.guard) < placeOf(name)),
      // Without `announce`: nobody waits to read how it ends.
      run: ({ name: effect, input, run }) =>
        effects.run(name, { name: effect, input, ...(run !== undefined && { run }) }),
    };
    try {
      const verdict = await watchdog(() => shadow.decide(scene.event, config, ctx));
      said.shadowed.push(...inShadow(verdict).map((one) => ({ ...one, guard: name })));
      said.changes.push(...own);
    } catch {
      // It has not spoken.
    }
  }
  const { shadowed, asked } = said;
  const changes = said.changes.filter(({ document }) => isKept(scene.layout, document.base));
  return { shadowed, asked, changes };
}

/** The guard of our own files, which is none of these, speaks first. */
function placeOf(name: GuardName): number {
  return (GUARD_NAMES as readonly GuardName[]).indexOf(name);
}

/** A verdict as it is recorded, where it says anything about a rule. */
function inShadow(verdict: Verdict): Shadowed[] {
  if (verdict.kind === 'nothing' || verdict.grounds.length === 0) return [];
  return [{ would: verdict.kind, grounds: verdict.grounds }];
}
