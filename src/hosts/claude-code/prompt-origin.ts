import type { PromptOrigin } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { nameIn, textIn } from '../loose-fields';

/** Wrappers that the client writes around what no person typed. Any other tag may be pasted markup. */
const MACHINE =
  /^\s*<(?:task-notification|teammate-message|agent-message|cross-session-message|channel|system-reminder|local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr)|user-prompt-submit-hook|hook_prompt)[\s>]/;

const CONTINUATION = /^\s*Stop hook feedback:/;

/** Who wrote a prompt. In doubt it is not a person: an approval may rest on the answer. */
export function promptOrigin(raw: JsonObject): PromptOrigin {
  const source = nameIn(raw, 'source');
  if (source) return source === 'user' ? 'human' : 'machine';
  const text = textIn(raw, 'prompt');
  if (text === undefined) return 'unknown';
  if (MACHINE.test(text)) return 'machine';
  return CONTINUATION.test(text) ? 'continuation' : 'human';
}
