import type { Interest } from '../../core/guard';

/** The end of a turn: a subagent that stops has not ended anything. When a session begins it is told what awaits it. */
export function interest(): readonly Interest[] {
  return [{ kind: 'turn.stop' }, { kind: 'session.start' }];
}
