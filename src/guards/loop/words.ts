import type { EventOf } from '../../core/event';
import { digest } from '../../core/hash';
import { isJsonObject, type JsonObject } from '../../core/json';
import type { Snapshot } from '../../core/snapshot';
import type { LoopState } from './state';

/** The agent's last words, and how we know them. */
export interface Words {
  readonly text: string;
  /** Words from the transcript may be those of an earlier turn: the newest may not have been written yet. */
  readonly source: 'event' | 'transcript' | 'none';
}

/** The event's own words are the newest there are; the transcript is asked only where it has none. */
export function lastWords(event: EventOf<'turn.stop'>, { transcript }: Snapshot): Words {
  if (event.lastMessage) return { text: event.lastMessage, source: 'event' };
  const last = transcript?.lastText;
  return last?.kind === 'text' ? { text: last.text, source: 'transcript' } : { text: '', source: 'none' };
}

/** What is remembered of words that were acted on. The words themselves are not kept. */
export function markOf({ text }: Words, event: EventOf<'turn.stop'>): JsonObject {
  return { hash: digest(text), prompt_id: event.promptId ?? null };
}

/** Whether these words were acted on before. A new prompt makes the same words new, unless they may be old ones. */
export function isConsumed({ envelope }: LoopState, words: Words, event: EventOf<'turn.stop'>): boolean {
  const last = envelope['last_signal'];
  if (!isJsonObject(last) || last['hash'] !== digest(words.text)) return false;
  return words.source === 'transcript' || (last['prompt_id'] ?? null) === (event.promptId ?? null);
}
