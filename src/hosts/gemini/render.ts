import type { Answer, Decision } from '../../domain/decision';
import type { Event } from '../../domain/event';
import type { JsonObject } from '../../domain/json';
import { asContinuation } from '../continuation';
import { canCarry, lossesOf } from '../losses';
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
    lossesOf(capabilities, event, foldsAdvice(event, decision) ? { ...decision, toAgent: [] } : decision),
  );
}

/** What the agent should know beside a denied call is part of its reason. */
function foldsAdvice(event: Event, decision: Decision): boolean {
  return event.kind === 'tool.before' && decision.kind === 'deny';
}

function refusalOf(event: Event, decision: Decision): JsonObject | undefined {
  const reason = reasonOf(event, decision);
  return reason === undefined
    ? undefined
    : { decision: decision.kind === 'ask' ? 'ask' : 'deny', reason: cut(reason) };
}

function reasonOf(event: Event, decision: Decision): string | undefined {
  switch (decision.kind) {
    case 'deny':
      if (event.kind === 'tool.before') return joined([decision.reason, ...decision.toAgent]) ?? 'Denied.';
      return event.kind === 'prompt.submit' ? decision.reason : undefined;
    case 'ask':
      return event.kind === 'tool.before' ? decision.reason : undefined;
    case 'hold':
      return event.kind === 'turn.stop' ? asContinuation(decision.reason) : undefined;
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
  if (decision.kind === 'deny' || !canCarry(capabilities, event, 'advise-agent')) return undefined;
  const additionalContext = joined(decision.toAgent);
  return additionalContext === undefined ? undefined : { hookEventName: event.hostEvent, additionalContext };
}

/** A question shows these words and not its reason. */
function wordsForPerson(event: Event, decision: Decision): string | undefined {
  if (!canCarry(capabilities, event, 'advise-person')) return undefined;
  const asks = event.kind === 'tool.before' && decision.kind === 'ask';
  return joined(asks ? [decision.reason, ...decision.toPerson] : decision.toPerson);
}
