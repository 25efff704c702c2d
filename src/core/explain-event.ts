import { hostCalled } from '../hosts/host-table';
import { compileOnly } from './compile-config';
import type { Answer, Decision } from './decision';
import type { Change } from './document';
import type { Event } from './event';
import type { Failure, Result } from './failure';
import { type FirstLook, firstLook } from './first-look';
import type { GuardName } from './guard-name';
import { judge } from './judge';
import type { LostHooks } from './lost-hooks';
import { setScene } from './set-scene';
import type { Surroundings } from './surroundings';
import type { Spoken } from './verdict';

/** What would be decided for an event, and why. */
export type Explanation =
  | Exclude<FirstLook, { kind: 'watched' | 'settings-changed' }>
  /** The host's settings have changed; `lost` says why that would be refused, if it would. */
  | { readonly kind: 'settings-changed'; readonly lost: LostHooks | undefined }
  | {
      readonly kind: 'watched';
      readonly event: Event;
      readonly root: string;
      /** The configured guards; those the event does not concern were not asked. */
      readonly guards: readonly { readonly name: GuardName; readonly concerned: boolean }[];
      readonly spoken: readonly Spoken[];
      readonly decision: Decision;
      readonly changes: readonly Change[];
      /** The work that a guard would have done first; it was not done. */
      readonly effect?: { readonly guard: GuardName; readonly name: string };
      readonly failures: readonly Failure[];
      readonly answer: Answer;
    };

/** The way of an event without its end: nothing is run, written or kept. */
export function explainEvent(input: Result<string>, surroundings: Surroundings): Explanation {
  const chunks = { ...surroundings.chunks, compileProject: compileOnly };
  const look = firstLook(input, { ...surroundings, chunks });
  if (look.kind === 'settings-changed') return { kind: look.kind, lost: chunks.lostHooks(look) };
  if (look.kind !== 'watched') return look;
  const { scene, failures } = setScene(look, { ...surroundings, chunks });
  const { evaluation, decision, changes } = judge(scene, new Map());
  const { pending } = evaluation;
  return {
    kind: 'watched',
    event: scene.event,
    root: scene.project.root,
    guards: (look.config?.head.guards ?? []).map(({ name }, index) => {
      return { name, concerned: look.concerned.includes(index) };
    }),
    spoken: evaluation.spoken,
    decision,
    changes,
    ...(pending && { effect: { guard: pending.guard, name: pending.name } }),
    failures: [...failures, ...evaluation.failures],
    answer: hostCalled(scene.event.host, chunks.host).render(scene.event, decision),
  };
}
