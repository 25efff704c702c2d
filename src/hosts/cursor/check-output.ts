import type { Answer } from '../../core/decision';
import type { Event } from '../../core/event';
import { isJsonObject, jsonIn } from '../../core/json';
import { canCarry } from '../losses';
import { type Fields, oneOf, text, wrongField } from '../output-fields';
import { capabilitiesAt } from './render';

/** What is wrong with our own answer, before it is printed; nothing when it is sound. */
export function checkOutput(event: Event, { stdout, exitCode }: Answer): string | undefined {
  if (exitCode !== 0) return 'an exit code other than 0 has no reason with it';
  if (stdout === '') return undefined;
  const output = jsonIn(stdout);
  return isJsonObject(output) ? wrongField(output, fieldsOf(event)) : 'stdout is not one JSON object';
}

function fieldsOf(event: Event): Fields {
  const tool = event.kind === 'tool.before';
  const prompt = event.kind === 'prompt.submit';
  return {
    permission: tool && oneOf(['deny']),
    agent_message: tool && text,
    updated_input: tool && isJsonObject,
    user_message: (tool || prompt) && text,
    continue: prompt && oneOf([false]),
    followup_message: event.kind === 'turn.stop' && text,
    additional_context: canCarry(capabilitiesAt(event), event, 'advise-agent') && text,
  };
}
