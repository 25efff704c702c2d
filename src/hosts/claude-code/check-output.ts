import type { Answer } from '../../core/decision';
import type { Event } from '../../core/event';
import { isJsonObject, jsonIn } from '../../core/json';
import { type Fields, isMade, oneOf, type Test, text, wrongField } from '../output-fields';
import { can } from './capabilities';

/** The client hands on a file name instead of a longer text. */
const short: Test = (value) => typeof value === 'string' && value.length <= 10_000;

/**
 * What is wrong with our own answer, before it is printed; nothing when it is sound.
 * The client drops a whole answer for one wrong word, and the refusal in it with it.
 */
export function checkOutput(event: Event, { stdout, stderr, exitCode }: Answer): string | undefined {
  if (exitCode === 2 && !(can(event, 'hold') && stderr.trim())) return 'exit code 2 without place or reason';
  if (stdout === '') return undefined;
  const output = jsonIn(stdout);
  if (!isJsonObject(output)) return 'stdout is not one JSON object';
  if ((output['decision'] === 'block') !== 'reason' in output) return 'block and reason go together';
  return wrongField(output, outputFields(event));
}

function outputFields(event: Event): Fields {
  const stop = event.kind === 'turn.stop' && text;
  const prompt = event.kind.startsWith('prompt.') && text;
  const permission = event.kind === 'permission.request';
  return {
    systemMessage: can(event, 'advise-person') && short,
    hookSpecificOutput: (permission || can(event, 'advise-agent')) && ((value) => isSpecific(event, value)),
    decision: stop ? oneOf(['approve', 'block']) : prompt && oneOf(['block']),
    reason: stop || prompt,
    status: stop,
    message: stop,
    stopReason: stop,
  };
}

function isSpecific(event: Event, value: unknown): boolean {
  const tool = event.kind === 'tool.before';
  return isMade(value, 'hookEventName', {
    hookEventName: oneOf([event.hostEvent]),
    additionalContext: can(event, 'advise-agent') && short,
    permissionDecision: tool && oneOf(['deny', 'ask']),
    permissionDecisionReason: tool && short,
    updatedInput: tool && isJsonObject,
    decision: event.kind === 'permission.request' && isDenial,
  });
}

const isDenial: Test = (value) => isMade(value, 'behavior', { behavior: oneOf(['deny']), message: short });
