import { detailOf } from '../domain/failure';
import type { GuardName } from '../domain/guard-name';
import type { EffectOutcome, Pending } from './evaluate';
import type { Scene } from './scene';

/** Less than the time that the installed hook gives a gate run, so that we answer before the host gives up. */
const EFFECT_MS = 580_000;

/** Runs the effect that a guard asked for. No lock is held meanwhile, however long it takes. */
export async function runEffect(scene: Scene, { guard, name, input }: Pending): Promise<EffectOutcome> {
  try {
    const context = {
      projectRoot: scene.project.root,
      env: scene.env,
      deadline: Date.now() + EFFECT_MS,
    };
    return { value: await scene.chunks.effects(guard)(name, input, context) };
  } catch (error) {
    return failed(guard, detailOf(error));
  }
}

function failed(guard: GuardName, detail: string): EffectOutcome {
  return { failure: { code: 'effect.failed', guard, detail } };
}
