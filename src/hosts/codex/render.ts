import type { Answer, Decision } from '../../domain/decision';
import type { Event } from '../../domain/event';
import type { JsonObject } from '../../domain/json';
import type { Power } from '../host';
import { asksByDenial, canCarry, deniedQuestion, lossesOf } from '../losses';
import { cut, joined, say } from '../output';
import { capabilities } from './capabilities';

/**
 * The decision in the words of Codex, which throws a whole answer away for one key too many, and the refusal
 * in it with it. So a refusal stands alone, and what else the agent should know is part of its reason.
 */
export function render(event: Event, decision: Decision): Answer {
  const can = (power: Power): boolean => canCarry(capabilities, event, power);
  return say(
    {
      ...refusalOf(event, decision),
      hookSpecificOutput: specificWords(event, decision),
      systemMessage: can('advise-person') ? joined(decision.toPerson) : undefined,
    },
    lossesOf(capabilities, event, decision),
  );
}

function refusalOf(event: Event, decision: Decision): JsonObject | undefined {
  const stops = event.kind === 'turn.stop' && decision.kind === 'hold';
  const erases = event.kind === 'prompt.submit' && decision.kind === 'deny';
  return stops || erases ? { decision: 'block', reason: cut(decision.reason) } : undefined;
}

function specificWords(event: Event, decision: Decision): JsonObject | undefined {
  const refusal = toolRefusal(event, decision);
  if (refusal !== undefined) return { hookEventName: event.hostEvent, ...refusal };
  if (decision.kind === 'deny' || !canCarry(capabilities, event, 'advise-agent')) return undefined;
  const additionalContext = joined(decision.toAgent);
  return additionalContext === undefined ? undefined : { hookEventName: event.hostEvent, additionalContext };
}

function toolRefusal(event: Event, decision: Decision): JsonObject | undefined {
  const asks = asksByDenial(capabilities, event, decision);
  if (decision.kind !== 'deny' && !(decision.kind === 'ask' && asks)) return undefined;
  const reason = asks ? deniedQuestion(decision.reason) : decision.reason;
  const whole = joined([reason, ...decision.toAgent]) ?? 'Denied.';
  if (event.kind === 'tool.before') return { permissionDecision: 'deny', permissionDecisionReason: whole };
  const denied = { behavior: 'deny', message: cut(reason) };
  return event.kind === 'permission.request' ? { decision: denied } : undefined;
}
