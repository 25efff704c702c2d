import type { Answer, Decision } from '../../domain/decision';
import type { Event } from '../../domain/event';
import type { JsonObject } from '../../domain/json';
import { asContinuation } from '../continuation';
import { canCarry, lossesOf } from '../losses';
import { cut, joined, say } from '../output';
import { capabilities } from './capabilities';

/**
 * The decision in the words of Copilot CLI: every member at the top level, which it reads from its own
 * settings and from Claude Code's alike. The exit code is always 0, since any other denies the call.
 */
export function render(event: Event, decision: Decision): Answer {
  const advised = canCarry(capabilities, event, 'advise-agent') && !isErased(event, decision);
  return say(
    { ...refusal(event, decision), additionalContext: advised ? joined(decision.toAgent) : undefined },
    lossesIn(event, decision),
  );
}

/** A refused prompt takes with it what was to be said beside it. */
function isErased(event: Event, decision: Decision): boolean {
  return event.kind === 'prompt.submit' && decision.kind === 'deny';
}

function lossesIn(event: Event, decision: Decision): string[] {
  const losses = lossesOf(capabilities, event, decision);
  const erased = isErased(event, decision) && decision.toAgent.some(Boolean);
  return erased ? [...losses, `${event.hostEvent} cannot carry the advice to the agent.`] : losses;
}

function refusal(event: Event, decision: Decision): JsonObject {
  if (decision.kind === 'nothing') return {};
  if (decision.kind === 'advise') {
    const changed = event.kind === 'tool.before' ? decision.updatedInput : undefined;
    return changed === undefined ? {} : { modifiedArgs: changed };
  }
  if (!canCarry(capabilities, event, decision.kind)) return {};
  const reason = cut(decision.reason);
  switch (event.kind) {
    case 'tool.before':
      return { permissionDecision: decision.kind, permissionDecisionReason: reason };
    case 'permission.request':
      return { behavior: 'deny', message: reason };
    case 'turn.stop':
      return { decision: 'block', reason: asContinuation(decision.reason) };
  }
  return { decision: 'block', reason };
}
