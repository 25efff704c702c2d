import type { Answer } from '../../core/decision';
import type { Event } from '../../core/event';
import { isJsonObject, jsonIn } from '../../core/json';
import type { Power } from '../host';
import { canCarry } from '../losses';
import { isMade, oneOf, text, wrongField } from '../output-fields';
import { capabilities } from './capabilities';

/**
 * What is wrong with our own answer, before it is printed; nothing when it is sound. What the client does not
 * understand it passes over without a word, a refusal as well.
 */
export function checkOutput(event: Event, { stdout, stderr, exitCode }: Answer): string | undefined {
  if (exitCode === 2 && stderr.trim() === '') return 'exit code 2 without a reason';
  if (stdout === '') return undefined;
  const output = jsonIn(stdout);
  if (!isJsonObject(output)) return 'stdout is not one JSON object';
  if ('decision' in output !== 'reason' in output) return 'decision and reason go together';
  const can = (power: Power): boolean => canCarry(capabilities, event, power);
  const words = ['deny', 'ask'].filter((word) =>
    can(word === 'deny' && can('hold') ? 'hold' : (word as Power)),
  );
  return wrongField(output, {
    decision: words.length > 0 && oneOf(words),
    reason: words.length > 0 && text,
    systemMessage: can('advise-person') && text,
    hookSpecificOutput: (value) =>
      isMade(value, 'hookEventName', {
        hookEventName: oneOf([event.hostEvent]),
        additionalContext: can('advise-agent') && text,
        tool_input: can('change-input') && isJsonObject,
      }),
  });
}
