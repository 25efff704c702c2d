import type { PromptOrigin } from '../core/event';
import { isContinuation } from './continuation';

/** Wrappers that hosts write around what nobody typed. Any other tag may be pasted markup. */
const MACHINE =
  /^\s*<(?:system[_-](?:notification|reminder)|subagent_notification|task-notification|turn_aborted|environment_context)[\s>]/;
const HOOK_PROMPT = /^\s*<hook_prompt[\s>]/;

/** Who wrote a prompt, on hosts that say nothing of it. In doubt it is not a person: an approval may rest on it. */
export function originOf(text: string | undefined, inSubagent: boolean): PromptOrigin {
  if (text === undefined) return 'unknown';
  if (HOOK_PROMPT.test(text) || isContinuation(text)) return 'continuation';
  return inSubagent || MACHINE.test(text) ? 'machine' : 'human';
}
