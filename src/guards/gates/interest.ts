import type { Interest } from '../../domain/guard';

/** The end of a turn, and nothing else: a subagent that stops has not ended anything. */
export function interest(): readonly Interest[] {
  return [{ kind: 'turn.stop' }];
}
