import type { Change } from '../../core/document';
import type { JsonObject } from '../../core/json';
import { topicIn } from './documents';
import { rewriteFallback } from './fallback-file';
import type { Place } from './find-loop';

/**
 * Writes the next state to where the last one was found. If that is gone meanwhile it fails: a count
 * that nobody keeps would hold the turn for ever.
 */
export function keepState({ ref }: Place, next: JsonObject, what: string): Change {
  if (ref.format === 'text') {
    return {
      document: ref,
      what,
      apply: (current) => {
        if (typeof current !== 'string') throw new Error('the loop file is gone');
        return rewriteFallback(current, next);
      },
    };
  }
  const body = JSON.stringify(next);
  return {
    document: ref,
    what,
    apply: (current) => {
      const topic = topicIn(current);
      if (topic === undefined) throw new Error('the message file is gone');
      if (topic.messages.at(-1)?.body === body) return topic;
      return { ...topic, messages: [...topic.messages, { body }] };
    },
  };
}
