import type { Answer } from '../../core/decision';
import type { Event } from '../../core/event';
import { isJsonObject, jsonIn } from '../../core/json';
import { canCarry } from '../losses';
import { type Fields, isMade, oneOf, text, wrongField } from '../output-fields';
import { capabilitiesAt } from './render';
import { isOfVsCode } from './vs-code';

/** What is wrong with our own answer, before it is printed; nothing when it is sound. */
export function checkOutput(event: Event, { stdout, exitCode }: Answer): string | undefined {
  if (exitCode !== 0) return 'an exit code other than 0 denies whatever it is about';
  if (stdout === '') return undefined;
  const output = jsonIn(stdout);
  if (!isJsonObject(output)) return 'stdout is not one JSON object';
  if (isOfVsCode(event.raw)) return wrongField(output, vsCodeFields(event));
  if ((output['decision'] === 'block') !== 'reason' in output) return 'block and reason go together';
  return wrongField(output, {
    ...fieldsOf(event),
    modifiedArgs: event.kind === 'tool.before' && isJsonObject,
  });
}

function vsCodeFields(event: Event): Fields {
  return {
    systemMessage: canCarry(capabilitiesAt(event), event, 'advise-person') && text,
    hookSpecificOutput: (value) =>
      isMade(value, 'hookEventName', {
        ...fieldsOf(event),
        hookEventName: oneOf([event.hostEvent]),
        updatedInput: event.kind === 'tool.before' && isJsonObject,
      }),
  };
}

function fieldsOf(event: Event): Fields {
  const tool = event.kind === 'tool.before';
  const permission = event.kind === 'permission.request';
  const blocked = event.kind === 'turn.stop' || event.kind === 'prompt.submit';
  return {
    permissionDecision: tool && oneOf(['deny', 'ask']),
    permissionDecisionReason: tool && text,
    behavior: permission && oneOf(['deny']),
    message: permission && text,
    decision: blocked && oneOf(['block']),
    reason: blocked && text,
    additionalContext: canCarry(capabilitiesAt(event), event, 'advise-agent') && text,
  };
}
