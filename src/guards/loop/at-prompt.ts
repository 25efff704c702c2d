import type { EventOf } from '../../core/event';
import { outcome, type Step } from '../../core/old-guard';
import type { Snapshot } from '../../core/snapshot';
import { NOTHING } from '../../core/verdict';
import type { LoopConfig } from './config';
import { findLoop } from './find-loop';
import { frameOf } from './frame';
import { keepState } from './keep';
import { clearedAway } from './leftovers';
import { BEAT_EVERY_MS, beat, lifeOf, silence } from './live';
import { CANCELLED } from './messages';
import { loopDirs } from './own-places';
import { ended } from './stack';
import { freshnessOf, ttlOf } from './staleness';
import { isLive } from './state';

/** Whether a person has typed that the loop shall end. Only the whole prompt counts, never a mention. */
function isCancel(event: EventOf<'prompt.submit'>): boolean {
  const cancel = /^(?:\/(?:[\w.-]+:)?cancel(?:-loop)?|\/[\w.-]+:loop +cancel|(?:holdpoint +)?loop +cancel)$/;
  return event.origin === 'human' && cancel.test(event.text.trim());
}

/** Cancels before the model runs, which might not obey; any other prompt is a sign of life. */
export function atPrompt(event: EventOf<'prompt.submit'>, config: LoopConfig, snapshot: Snapshot): Step {
  const found = findLoop(event, snapshot);
  if (found.kind !== 'loop' || !isLive(found.state)) return outcome(NOTHING);
  const { state, place } = found;
  const { now } = snapshot;
  if (isCancel(event)) {
    const next = ended(state, now, 'ABORT', 'USER_CANCELLED');
    const grounds = [{ rule: 'loop', fact: 'a person typed that it shall be cancelled' }];
    const isPlain = (path: string): boolean => snapshot.files.get(path)?.kind === 'file';
    const changes = [
      keepState(place, next, 'loop USER_CANCELLED'),
      silence(event.sessionId),
      ...clearedAway(state.stack, next, loopDirs(place, snapshot), isPlain),
    ];
    return outcome({ kind: 'advise', ...CANCELLED, grounds }, changes);
  }
  const life = lifeOf(snapshot, event.sessionId);
  if (life === undefined || now - life.heartbeat < BEAT_EVERY_MS) return outcome(NOTHING);
  const top = frameOf(state.stack.at(-1), config.maxIterations);
  const isStale = freshnessOf(state, ttlOf(top, config), now, life.heartbeat).kind === 'stale';
  return outcome(NOTHING, isStale ? [] : [beat(event.sessionId, now)]);
}
