import { type Change, isKept } from '../state/documents';
import type { Who } from './actor';
import type { ActiveGuard, EventContext, World } from './context';
import { contextFor, EffectRuns, type GuardResults, newResults, writeSideChanges } from './decide';
import { newWatchdog } from './failure';
import { type Context, GUARD_NAMES, type GuardName, type RefusedStops } from './guard';
import type { GuardVerdict, ShadowVerdict, Verdict } from './verdict';

/** What rules in shadow mode would have decided on an event. */
export interface ShadowDecisions {
  readonly shadowed: GuardResults['shadowed'];
  readonly asked: readonly string[];
  /** Changes of their own state, in words, and who made them, if known. */
  readonly changed: readonly string[];
  readonly by: Who | undefined;
}

export const NO_SHADOW_DECISIONS: ShadowDecisions = { shadowed: [], asked: [], changed: [], by: undefined };

/** Never wait long for rules that nobody is to notice. */
const LOCK_MS = 500;
const MOST_MS = 1000;
/** They hold no stop, so none was held because of them. */
const NONE_REFUSED: RefusedStops = { byGuard: {}, inRow: 0 };

/** Lets the shadow rules decide once the answer is settled, and writes their state. */
export async function decideShadowRules(
  context: EventContext,
  guards: readonly ActiveGuard[],
  world: World,
  verdicts: readonly GuardVerdict[],
): Promise<ShadowDecisions> {
  const effects = new EffectRuns(context);
  const { changes, ...said } = await askShadowRules(context, guards, world, verdicts, effects);
  return { ...said, ...(await writeSideChanges(context, changes, LOCK_MS)) };
}

/**
 * What rules in shadow mode decide. Nothing they do leaves this function: a rule that throws, or takes too
 * long, has simply not decided.
 */
export async function askShadowRules(
  context: EventContext,
  guards: readonly ActiveGuard[],
  world: World,
  verdicts: readonly GuardVerdict[],
  effects: Pick<EffectRuns, 'run'>,
): Promise<Pick<ShadowDecisions, 'shadowed' | 'asked'> & { readonly changes: readonly Change[] }> {
  const results = newResults();
  const seen = { ...world, refusedStops: NONE_REFUSED };
  const soon = newWatchdog(MOST_MS);
  for (const { guard, config } of guards) {
    const { name, shadow } = guard;
    if (shadow === undefined) continue;
    const own: Change[] = [];
    const ctx: Context = {
      ...contextFor(context, seen, name, { ...results, changes: own }, effects),
      earlier: verdicts.filter((one) => placeOf(one.guard) < placeOf(name)),
      // Without `announce`: nobody waits to read how it ended.
      run: ({ name: effect, input, run }) =>
        effects.run(name, { name: effect, input, ...(run !== undefined && { run }) }),
    };
    // The user's own rules have limits of their own: one that hangs must not silence the others.
    const watchdog = guard.isQuick?.(config) === true ? newWatchdog() : soon;
    try {
      const verdict = await watchdog(() => shadow.decide(context.event, config, ctx));
      results.shadowed.push(...shadowVerdicts(verdict).map((one) => ({ ...one, guard: name })));
      results.changes.push(...own);
    } catch {
      // The rule has not decided.
    }
  }
  const { shadowed, asked } = results;
  const changes = results.changes.filter(({ document }) => isKept(context.layout, document.base));
  return { shadowed, asked, changes };
}

/** -1 for the guard of our own files, which is asked first. */
function placeOf(name: GuardName): number {
  return (GUARD_NAMES as readonly GuardName[]).indexOf(name);
}

/** A verdict for the journal; empty if it is not about a rule. */
function shadowVerdicts(verdict: Verdict): ShadowVerdict[] {
  if (verdict.kind === 'nothing' || verdict.grounds.length === 0) return [];
  return [{ would: verdict.kind, grounds: verdict.grounds }];
}
