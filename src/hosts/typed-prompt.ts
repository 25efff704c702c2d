import type { PromptOrigin } from '../domain/event';
import { isContinuation } from './continuation';

/** Who wrote a prompt, on hosts that say nothing of it. In doubt it is not a person: an approval may rest on it. */
export function originOf(text: string | undefined, inSubagent: boolean): PromptOrigin {
  if (text === undefined) return 'unknown';
  if (isContinuation(text)) return 'continuation';
  return inSubagent ? 'machine' : 'human';
}
