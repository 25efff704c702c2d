import type { Answer, Decision } from '../../core/decision';
import type { Event } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { asContinuation } from '../continuation';
import type { Capabilities } from '../host';
import { adviceOf, canCarry, denialOf, lossesOf } from '../losses';
import { cut, joined, say } from '../output';
import { capabilities } from './capabilities';
import { asVsCodeReads, isOfVsCode, vsCodeCapabilities } from './vs-code';

/**
 * The decision in the words of Copilot CLI: every member at the top level, which it reads from its own
 * settings and from Claude Code's alike. The exit code is always 0, since any other denies the call.
 */
export function render(event: Event, decision: Decision): Answer {
  const can = capabilitiesAt(event);
  const words = { ...refusal(event, decision, can), additionalContext: adviceOf(can, event, decision) };
  const losses = lossesOf(can, event, decision);
  if (!isOfVsCode(event.raw)) return say(words, losses);
  const systemMessage = canCarry(can, event, 'advise-person') ? joined(decision.toPerson) : undefined;
  return say({ hookSpecificOutput: asVsCodeReads(event, words), systemMessage }, losses);
}

export function capabilitiesAt(event: Event): Capabilities {
  return isOfVsCode(event.raw) ? vsCodeCapabilities : capabilities;
}

function refusal(event: Event, decision: Decision, can: Capabilities): JsonObject {
  const denial = denialOf(can, event, decision);
  if (denial !== undefined) return { permissionDecision: 'deny', permissionDecisionReason: denial };
  if (decision.kind === 'advise' && canCarry(can, event, 'change-input')) {
    return decision.updatedInput === undefined ? {} : { modifiedArgs: decision.updatedInput };
  }
  if (!('reason' in decision) || !canCarry(can, event, decision.kind)) return {};
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
