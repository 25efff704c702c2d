import { hostCalled } from '../hosts/claude-code/index';
import type { Change } from '../state/documents';
import type { Pause } from '../state/sessions';
import { BY_STRICTNESS } from './combine';
import type { EventContext } from './context';
import { EffectNeeded, EffectRuns, type Judgement, judge } from './decide';
import type { Event } from './event';
import type { Failure, Result } from './failure';
import { type Routed, routeEvent, type Surroundings } from './hook';
import type { LostHooks } from './lost-hooks';
import { guardsInShadow, openEvent } from './pipeline';
import { askInShadow, type Rehearsal } from './rehearse';
import { type GuardName, OWN_FILES } from './selection';
import type { Answer, Decision, Spoken } from './verdict';

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
      readonly spoken: readonly Spoken[];
      /** What rules in shadow mode would decide; it has no effect. */
      readonly shadowed: Rehearsal['shadowed'];
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
export async function explainEvent(input: Result<string>, surroundings: Surroundings): Promise<Explanation> {
  const { compileOnly } = surroundings.chunks.configCompiler();
  const chunks = { ...surroundings.chunks, compileProject: compileOnly };
  const [here, ...elsewhere] = routeEvent(input, { ...surroundings, chunks });
  const explained = await explainIn(here, { ...surroundings, chunks });
  const others = [];
  for (const look of elsewhere) others.push(await explainIn(look, { ...surroundings, chunks }));
  return others.reduce((one, other) => (strictness(other) > strictness(one) ? other : one), explained);
}

function strictness(explanation: Explanation): number {
  return explanation.kind === 'watched' ? BY_STRICTNESS.indexOf(explanation.decision.kind) : -1;
}

async function explainIn(look: Routed, surroundings: Surroundings): Promise<Explanation> {
  const { chunks } = surroundings;
  if (look.kind === 'settings-changed') return { kind: look.kind, lost: chunks.lostHooks(look) };
  if (look.kind !== 'watched' && look.kind !== 'shadowed') return look;
  const { scene, failures } = openEvent({ ...look, kind: 'watched' }, surroundings);
  const { effect, judgement } = await judgeWithoutEffects(scene);
  const { decision, changes, pause, world } = judgement;
  // The guard of our own files is not one of the project's disciplines: list it only if it objects.
  const spoken = judgement.spoken.filter(
    ({ guard, verdict }) => guard !== OWN_FILES || verdict.kind !== 'nothing',
  );
  const guards = (look.config?.head.guards ?? [])
    .map(({ name }, index) => ({ name, concerned: look.concerned.includes(index) }))
    .filter(({ name }) => name !== OWN_FILES || spoken.some(({ guard }) => guard === OWN_FILES));
  const { shadowed } =
    pause === undefined
      ? await askInShadow(
          scene,
          guardsInShadow(look, scene),
          world,
          spoken,
          new EffectRuns(scene).remembered(),
        )
      : { shadowed: [] };
  const isSilent = decision.kind === 'nothing' && changes.length + shadowed.length === 0;
  const isConcerned = guards.some(({ concerned }) => concerned);
  if (isSilent && !isConcerned && (look.kind === 'shadowed' || look.concerned.length > 0))
    return { kind: 'unwatched' };
  return {
    kind: 'watched',
    event: scene.event,
    root: scene.project.root,
    guards,
    spoken,
    shadowed: [...judgement.shadowed, ...shadowed],
    decision,
    changes,
    ...(effect && { effect }),
    ...(pause && { pause }),
    failures: [...failures, ...judgement.failures],
    answer: hostCalled(scene.event.host, chunks.host).render(scene.event, decision),
  };
}

/** Judges up to the first guard that needs an effect; that guard and those after it are left out. */
async function judgeWithoutEffects(scene: EventContext): Promise<{
  readonly judgement: Judgement;
  readonly effect?: { readonly guard: GuardName; readonly name: string };
}> {
  try {
    return { judgement: await judge(scene, new EffectRuns(scene).remembered()) };
  } catch (error) {
    if (!(error instanceof EffectNeeded)) throw error;
    const { guard, effect } = error;
    const before = scene.guards.slice(
      0,
      scene.guards.findIndex((active) => active.guard.name === guard),
    );
    const { judgement } = await judgeWithoutEffects({ ...scene, guards: before });
    return { judgement, effect: { guard, name: effect.name } };
  }
}
