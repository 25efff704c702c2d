import { appendJournal } from '../state/journal';
import type { EffectOutcome, Pending } from './evaluate';
import { detailOf } from './failure';
import type { GuardName } from './guard-name';
import type { JsonObject } from './json';
import type { Scene } from './scene';
import { isoTime } from './text';

/** Less than the time that a host gives a hook, so that we answer before it gives up. */
const EFFECT_MS = 580_000;
/** A guard's own command stands in settings of the older program, which gives it half of that. */
const LITERAL_MS = 280_000;

/** Runs the effect that a guard asked for. No lock is held meanwhile, however long it takes. */
export async function runEffect(scene: Scene, pending: Pending): Promise<EffectOutcome> {
  const { guard, name, input, announce } = pending;
  if (announce !== undefined) appendJournal(scene.layout, announcement(scene, guard, announce));
  const announced = announce !== undefined;
  try {
    const context = {
      projectRoot: scene.project.root,
      env: scene.env,
      deadline: scene.event.at + (scene.literal ? LITERAL_MS : EFFECT_MS),
    };
    return { value: await scene.chunks.effects(guard)(name, input, context), announced };
  } catch (error) {
    return { failure: { code: 'effect.failed', guard, detail: detailOf(error) }, announced };
  }
}

/** What stands in the journal if we do not live to write more. It has the decision's id, and gives way to it. */
function announcement({ id, event }: Scene, guard: GuardName, words: string): JsonObject {
  const fact = `${words} by process ${process.pid}`;
  return {
    id,
    at: isoTime(Date.now()),
    host: event.host,
    session: event.sessionId,
    event: event.hostEvent,
    decision: 'started',
    verdicts: [{ guard, verdict: 'started', grounds: [{ rule: words, fact }] }],
  };
}
