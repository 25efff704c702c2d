import { hostNamed } from '../hosts/claude-code/index';
import type { Change } from '../state/documents';
import type { Pause } from '../state/sessions';
import { BY_STRICTNESS } from './combine';
import type { EventContext } from './context';
import { EffectNeeded, EffectRuns, type Judgement, judge } from './decide';
import type { Event } from './event';
import type { Failure, Result } from './failure';
import { type Chunks, type GuardName, OWN_FILES } from './guard';
import { type Invocation, type Routed, routeEvent } from './hook';
import type { LostHooks } from './lost-hooks';
import { openEvent, shadowGuards } from './pipeline';
import { askShadowRules, type ShadowDecisions } from './shadow-rules';
import type { Answer, Decision, GuardVerdict } from './verdict';

/** What would be decided for an event, and why. */
export type Explanation =
  | Exclude<Routed, { kind: 'watched' | 'settings-changed' | 'shadowed' }>
  /** The host's settings have changed; `lost` says why that would be held, if it would. */
  | { readonly kind: 'settings-changed'; readonly lost: LostHooks | undefined }
  | {
      readonly kind: 'watched';
      readonly event: Event;
      readonly root: string;
      /** The configured guards; those that the event does not concern were not asked. */
      readonly guards: readonly { readonly name: GuardName; readonly concerned: boolean }[];
      readonly spoken: readonly GuardVerdict[];
      /** What rules in shadow mode would decide; it has no effect. */
      readonly shadowed: ShadowDecisions['shadowed'];
      readonly decision: Decision;
      readonly pause?: Pause;
      readonly changes: readonly Change[];
      /** The effect that a guard would have run first; it was not run. */
      readonly effect?: { readonly guard: GuardName; readonly name: string };
      readonly failures: readonly Failure[];
      readonly answer: Answer;
    };

/**
 * Decides an event without running, writing or caching anything. Explains the strictest of several projects.
 */
export async function explainEvent(input: Result<string>, invocation: Invocation): Promise<Explanation> {
  const { part } = invocation.chunks;
  const { compileOnly: compileProject } = part('compile-config');
  const chunks: Chunks = {
    ...invocation.chunks,
    part: (name) => ({ ...part(name), ...(name === 'compile-config' && { compileProject }) }),
  };
  const [here, ...elsewhere] = routeEvent(input, { ...invocation, chunks });
  const explained = await explainIn(here, { ...invocation, chunks });
  const others = [];
  for (const look of elsewhere) others.push(await explainIn(look, { ...invocation, chunks }));
  return others.reduce((one, other) => (strictness(other) > strictness(one) ? other : one), explained);
}

function strictness(explanation: Explanation): number {
  return explanation.kind === 'watched' ? BY_STRICTNESS.indexOf(explanation.decision.kind) : -1;
}

async function explainIn(look: Routed, invocation: Invocation): Promise<Explanation> {
  const { chunks } = invocation;
  if (look.kind === 'settings-changed')
    return { kind: look.kind, lost: chunks.part('lost-hooks').lostHooks(look) };
  if (look.kind !== 'watched' && look.kind !== 'shadowed') return look;
  const { context, failures } = openEvent({ ...look, kind: 'watched' }, invocation);
  const { effect, judgement } = await judgeWithoutEffects(context);
  const { decision, changes, pause, world } = judgement;
  // The guard of our own files is not one of the project's disciplines: list it only if it objects.
  const verdicts = judgement.verdicts.filter(
    ({ guard, verdict }) => guard !== OWN_FILES || verdict.kind !== 'nothing',
  );
  const guards = (look.config?.head.guards ?? [])
    .map(({ name }, index) => ({ name, concerned: look.concerned.includes(index) }))
    .filter(({ name }) => name !== OWN_FILES || verdicts.some(({ guard }) => guard === OWN_FILES));
  const { shadowed } =
    pause === undefined
      ? await askShadowRules(
          context,
          shadowGuards(look, context),
          world,
          verdicts,
          new EffectRuns(context).remembered(),
        )
      : { shadowed: [] };
  const isSilent = decision.kind === 'nothing' && changes.length + shadowed.length === 0;
  const isConcerned = guards.some(({ concerned }) => concerned);
  if (isSilent && !isConcerned && (look.kind === 'shadowed' || look.concerned.length > 0))
    return { kind: 'unwatched' };
  return {
    kind: 'watched',
    event: context.event,
    root: context.project.root,
    guards,
    spoken: verdicts,
    shadowed: [...judgement.shadowed, ...shadowed],
    decision,
    changes,
    ...(effect && { effect }),
    ...(pause && { pause }),
    failures: [...failures, ...judgement.failures],
    answer: hostNamed(context.event.host, chunks.host).render(context.event, decision),
  };
}

/** Judges up to the first guard that needs an effect; that guard and those after it are left out. */
async function judgeWithoutEffects(context: EventContext): Promise<{
  readonly judgement: Judgement;
  readonly effect?: { readonly guard: GuardName; readonly name: string };
}> {
  try {
    return { judgement: await judge(context, new EffectRuns(context).remembered()) };
  } catch (error) {
    if (!(error instanceof EffectNeeded)) throw error;
    const { guard, effect } = error;
    const before = context.guards.slice(
      0,
      context.guards.findIndex((active) => active.guard.name === guard),
    );
    const { judgement } = await judgeWithoutEffects({ ...context, guards: before });
    return { judgement, effect: { guard, name: effect.name } };
  }
}
