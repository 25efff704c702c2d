import type { Answer } from '../../core/decision';
import type { Event } from '../../core/event';
import { isJsonObject, jsonIn } from '../../core/json';
import type { Power } from '../host';
import { canCarry } from '../losses';
import { isMade, oneOf, type Test, text, wrongField } from '../output-fields';
import { capabilities } from './capabilities';

const words: Test = (value) => typeof value === 'string' && value.trim() !== '';

/**
 * What is wrong with our own answer, before it is printed; nothing when it is sound. Codex takes a
 * refusal without a reason for a broken answer and lets the call run.
 */
export function checkOutput(event: Event, { stdout, stderr, exitCode }: Answer): string | undefined {
  if (exitCode === 2 && stderr.trim() === '') return 'exit code 2 without a reason';
  if (stdout === '') return undefined;
  const output = jsonIn(stdout);
  if (!isJsonObject(output)) return 'stdout is not one JSON object';
  if ('decision' in output !== 'reason' in output) return 'block and reason go together';
  const can = (power: Power): boolean => canCarry(capabilities, event, power);
  const blocks = event.kind === 'turn.stop' || event.kind === 'prompt.submit';
  const speaks = event.kind === 'permission.request' || can('advise-agent');
  return wrongField(output, {
    systemMessage: can('advise-person') && words,
    decision: blocks && oneOf(['block']),
    reason: blocks && words,
    hookSpecificOutput: speaks && ((value) => isSpecific(event, value)),
  });
}

function isSpecific(event: Event, value: unknown): boolean {
  const tool = event.kind === 'tool.before';
  if (isJsonObject(value) && 'permissionDecision' in value !== 'permissionDecisionReason' in value)
    return false;
  return isMade(value, 'hookEventName', {
    hookEventName: oneOf([event.hostEvent]),
    additionalContext: canCarry(capabilities, event, 'advise-agent') && text,
    permissionDecision: tool && oneOf(['deny']),
    permissionDecisionReason: tool && words,
    decision: event.kind === 'permission.request' && isDenial,
  });
}

const isDenial: Test = (value) => isMade(value, 'behavior', { behavior: oneOf(['deny']), message: words });
