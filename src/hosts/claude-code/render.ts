import type { Answer, Decision } from '../../core/decision';
import type { Event } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { cut, joined, refuse, say } from '../output';
import { can } from './capabilities';
import { heldByLoopAlone, lossesOf, reachesAgent, reachesPerson } from './losses';

/** The decision in the words of Claude Code. Silence is permission: `allow` is never said. */
export function render(event: Event, decision: Decision): Answer {
  const losses = lossesOf(event, decision);
  if (decision.kind === 'hold' && can(event, 'hold')) {
    if (heldByLoopAlone(event, decision)) return refuse(decision.reason, loopBytes(decision.reason), losses);
    if (event.kind !== 'turn.stop') return refuse(decision.reason, '', losses);
  }
  return say(
    {
      ...(event.kind === 'turn.stop' ? stopWords(decision) : promptRefusal(event, decision)),
      hookSpecificOutput: specificWords(event, decision),
      systemMessage:
        decision.toPerson.length > 0 && reachesPerson(event, decision)
          ? joined(decision.toPerson)
          : undefined,
    },
    losses,
  );
}

/** An end of turn that nobody refuses has words only where the gates have a report. */
function stopWords(decision: Decision): JsonObject | undefined {
  const report = 'report' in decision ? decision.report : undefined;
  const reason = decision.kind === 'hold' ? decision.reason : undefined;
  if (reason === undefined && !report) return undefined;
  return {
    decision: reason === undefined ? 'approve' : 'block',
    reason,
    status: report?.status,
    message: report?.message,
    stopReason: report && reason,
  };
}

function promptRefusal(event: Event, decision: Decision): JsonObject | undefined {
  const refused = decision.kind === 'deny' && event.kind.startsWith('prompt.');
  return refused ? { decision: 'block', reason: cut(decision.reason) } : undefined;
}

function specificWords(event: Event, decision: Decision): JsonObject | undefined {
  const words: JsonObject = {
    ...refusalWords(event, decision),
    updatedInput:
      event.kind === 'tool.before' && decision.kind === 'advise' ? decision.updatedInput : undefined,
    additionalContext:
      decision.toAgent.length > 0 && reachesAgent(event, decision) ? joined(decision.toAgent) : undefined,
  };
  const spoken = Object.values(words).some((word) => word !== undefined);
  return spoken ? { hookEventName: event.hostEvent, ...words } : undefined;
}

function refusalWords(event: Event, decision: Decision): JsonObject | undefined {
  if ((decision.kind !== 'ask' && decision.kind !== 'deny') || !can(event, decision.kind)) return undefined;
  const reason = cut(decision.reason);
  if (event.kind === 'tool.before') {
    return { permissionDecision: decision.kind, permissionDecisionReason: reason };
  }
  const decided = { behavior: decision.kind, message: reason };
  return event.kind === 'permission.request' ? { decision: decided } : undefined;
}

/** Spaced by hand: scripts compare these bytes. */
function loopBytes(reason: string): string {
  return `{"decision": "block", "reason": ${JSON.stringify(reason)}}\n`;
}
