import type { Event } from '../../core/event';
import { isJsonObject, type JsonObject } from '../../core/json';
import type { Answer, Decision } from '../../core/verdict';
import {
  asFeedback,
  type Carried,
  carry,
  checkAnswer,
  cut,
  type Fields,
  objectOf,
  oneOf,
  powersAt,
  say,
  specificOutput,
  text,
} from '../answer';
import type { Capabilities, Host, Power } from '../host';
import { startsUs } from '../own-lines';
import { isOfVsCode, parse, readHeader } from './parse';
import { hooksFile } from './setup';
import { transcriptFacts } from './transcript';

/** What version 1.0.102 accepts. No answer has a place for a note to the person. */
const capabilities: Capabilities = {
  'tool.before': ['ask', 'deny', 'advise-agent', 'change-input'],
  'tool.after': ['advise-agent'],
  'permission.request': ['deny'],
  'prompt.submit': ['deny', 'advise-agent'],
  'session.start': ['advise-agent'],
  'turn.stop': ['hold'],
};

const ADVICE: readonly Power[] = ['advise-agent', 'advise-person'];

/**
 * The local agent of VS Code, by its documentation. It runs the same files as Copilot CLI, and Claude Code's settings,
 * with documents and answers of its own.
 */
const vsCodeCapabilities: Capabilities = {
  'tool.before': ['ask', 'deny', 'change-input', ...ADVICE],
  'tool.after': ADVICE,
  'prompt.submit': ['advise-person'],
  'session.start': ADVICE,
  'turn.stop': ['hold', 'advise-person'],
};

/** GitHub's Copilot CLI. It runs Claude Code's settings as well. */
export const host: Host = {
  name: 'copilot',
  capabilities,
  stopCap: () => 8,
  readHeader,
  parse,
  render,
  check: (event, answer) => checkAnswer(answer, fieldsAt(event)),
  transcriptFacts,
  hasOwnEntry: (project, env) => {
    const ground = { project, home: env['HOME'] ?? '', env };
    return (['project', 'user'] as const).some((scope) => startsUs(hooksFile(scope, ground), 'copilot'));
  },
};

function capabilitiesAt(event: Event): Capabilities {
  return isOfVsCode(event.raw) ? vsCodeCapabilities : capabilities;
}

/**
 * Copilot CLI reads every member at the top level, with its own settings and with Claude Code's. The exit code is always
 * 0, since any other denies the call. VS Code reads the same members in `hookSpecificOutput`, a refused stop too.
 */
function render(event: Event, decision: Decision): Answer {
  const carried = carry(capabilitiesAt(event), event, decision);
  const { advice, note, input, losses } = carried;
  const refusal = refusalOf(event, decision, carried);
  if (!isOfVsCode(event.raw)) {
    return say({ ...refusal, modifiedArgs: input, additionalContext: advice }, losses);
  }
  const members = { ...refusal, additionalContext: advice, updatedInput: input };
  return say({ hookSpecificOutput: specificOutput(event, members), systemMessage: note }, losses);
}

function refusalOf(event: Event, decision: Decision, { can, denial }: Carried): JsonObject {
  if (denial !== undefined) return { permissionDecision: 'deny', permissionDecisionReason: denial };
  if (!('reason' in decision) || !can(decision.kind)) return {};
  const reason = cut(decision.reason);
  switch (event.kind) {
    case 'tool.before':
      return { permissionDecision: decision.kind, permissionDecisionReason: reason };
    case 'permission.request':
      return { behavior: 'deny', message: reason };
    case 'turn.stop':
      return { decision: 'block', reason: asFeedback(decision.reason) };
  }
  return { decision: 'block', reason };
}

function fieldsAt(event: Event): Fields {
  const { kind } = event;
  const can = powersAt(capabilitiesAt(event), event);
  const isCall = kind === 'tool.before';
  const isPermission = kind === 'permission.request';
  const mayBlock = kind === 'turn.stop' || kind === 'prompt.submit';
  const members: Fields = {
    permissionDecision: isCall && oneOf(['deny', 'ask']),
    permissionDecisionReason: isCall && text,
    behavior: isPermission && oneOf(['deny']),
    message: isPermission && text,
    decision: mayBlock && oneOf(['block']),
    reason: mayBlock && text,
    additionalContext: can('advise-agent') && text,
  };
  if (!isOfVsCode(event.raw)) return { ...members, modifiedArgs: isCall && isJsonObject };
  const specific = {
    ...members,
    hookEventName: oneOf([event.hostEvent]),
    updatedInput: isCall && isJsonObject,
  };
  return {
    systemMessage: can('advise-person') && text,
    hookSpecificOutput: objectOf('hookEventName', specific),
  };
}
