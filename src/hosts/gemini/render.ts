import type { Answer, Decision } from '../../core/decision';
import type { Event } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { asContinuation } from '../continuation';
import { adviceOf, canCarry, denialOf, lossesOf } from '../losses';
import { cut, joined, say } from '../output';
import { capabilities } from './capabilities';

/** The decision in the words of Gemini CLI. Silence is permission: `allow` is never said. */
export function render(event: Event, decision: Decision): Answer {
  return say(
    {
      ...refusalOf(event, decision),
      hookSpecificOutput: specificWords(event, decision),
      systemMessage: wordsForPerson(event, decision),
    },
    lossesOf(capabilities, event, decision),
  );
}

function refusalOf(event: Event, decision: Decision): JsonObject | undefined {
  const denial = denialOf(capabilities, event, decision);
  if (denial !== undefined) return { decision: 'deny', reason: denial };
  switch (decision.kind) {
    case 'deny':
      return event.kind === 'prompt.submit' ? { decision: 'deny', reason: cut(decision.reason) } : undefined;
    case 'ask':
      return event.kind === 'tool.before' ? { decision: 'ask', reason: cut(decision.reason) } : undefined;
    case 'hold':
      return event.kind === 'turn.stop'
        ? { decision: 'deny', reason: asContinuation(decision.reason) }
        : undefined;
    case 'advise':
    case 'nothing':
      return undefined;
  }
}

function specificWords(event: Event, decision: Decision): JsonObject | undefined {
  const { updatedInput } = decision.kind === 'advise' ? decision : {};
  if (event.kind === 'tool.before') {
    return updatedInput && { hookEventName: event.hostEvent, tool_input: updatedInput };
  }
  const additionalContext = adviceOf(capabilities, event, decision);
  return additionalContext === undefined ? undefined : { hookEventName: event.hostEvent, additionalContext };
}

/** A question shows these words and not its reason. */
function wordsForPerson(event: Event, decision: Decision): string | undefined {
  if (!canCarry(capabilities, event, 'advise-person')) return undefined;
  const asks = event.kind === 'tool.before' && decision.kind === 'ask';
  return joined(asks ? [decision.reason, ...decision.toPerson] : decision.toPerson);
}
