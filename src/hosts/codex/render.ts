import type { Answer, Decision } from '../../core/decision';
import type { Event } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { adviceOf, canCarry, denialOf, lossesOf } from '../losses';
import { joined, say } from '../output';
import { capabilities } from './capabilities';

/**
 * The decision in the words of Codex, which throws a whole answer away for one key too many, and the refusal
 * in it with it. So a refusal stands alone, and what else the agent should know is part of its reason.
 */
export function render(event: Event, decision: Decision): Answer {
  return say(
    {
      ...refusalOf(event, decision),
      hookSpecificOutput: specificWords(event, decision),
      systemMessage: canCarry(capabilities, event, 'advise-person') ? joined(decision.toPerson) : undefined,
    },
    lossesOf(capabilities, event, decision),
  );
}

/** Codex takes a refusal without a word for none. */
function refusalOf(event: Event, decision: Decision): JsonObject | undefined {
  if (event.kind === 'turn.stop' && decision.kind === 'hold') {
    return { decision: 'block', reason: decision.reason.trim() === '' ? 'Held.' : decision.reason };
  }
  const erases = event.kind === 'prompt.submit' && decision.kind === 'deny';
  return erases ? { decision: 'block', reason: joined([decision.reason]) ?? 'Denied.' } : undefined;
}

function specificWords(event: Event, decision: Decision): JsonObject | undefined {
  const words = toolRefusal(event, decision) ?? advice(event, decision);
  return words && { hookEventName: event.hostEvent, ...words };
}

function toolRefusal(event: Event, decision: Decision): JsonObject | undefined {
  const denial = denialOf(capabilities, event, decision);
  if (denial !== undefined) return { permissionDecision: 'deny', permissionDecisionReason: denial };
  if (event.kind !== 'permission.request' || decision.kind !== 'deny') return undefined;
  return { decision: { behavior: 'deny', message: joined([decision.reason]) ?? 'Denied.' } };
}

function advice(event: Event, decision: Decision): JsonObject | undefined {
  const additionalContext = adviceOf(capabilities, event, decision);
  return additionalContext === undefined ? undefined : { additionalContext };
}
