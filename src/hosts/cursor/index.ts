import type { Event } from '../../core/event';
import { isJsonObject, type JsonObject } from '../../core/json';
import type { Answer, Decision } from '../../core/verdict';
import {
  asFeedback,
  type Carried,
  carry,
  checkAnswer,
  type Fields,
  joined,
  oneOf,
  powersAt,
  say,
  text,
} from '../answer';
import type { Capabilities, Host } from '../host';
import { startsUs } from '../own-lines';
import { parse, readHeader } from './parse';
import { hooksFile, LOOP_LIMIT } from './setup';

/**
 * By Cursor's documentation. Its questions to a person are reported not to hold, so none is asked. A note to the person
 * comes only with a refusal.
 */
const capabilities: Capabilities = {
  'tool.before': ['deny', 'change-input'],
  'tool.after': ['advise-agent'],
  'prompt.submit': ['deny'],
  'session.start': ['advise-agent'],
  'turn.stop': ['hold'],
};

/** The editor Cursor, by its documentation: we have not run it. It can run Claude Code's settings as well. */
export const host: Host = {
  name: 'cursor',
  capabilities,
  stopCap: () => LOOP_LIMIT,
  namelessShell: true,
  readHeader,
  parse,
  render,
  check: (event, answer) => checkAnswer(answer, fieldsAt(event)),
  hasOwnEntry: (project, { HOME: home }) =>
    [project, ...(home ? [home] : [])].some((dir) => startsUs(hooksFile(dir), 'cursor')),
};

/** Cursor reads no answer to a call that failed. */
function capabilitiesAt(event: Event): Capabilities {
  const isUnread = event.kind === 'tool.after' && event.outcome === 'failure' && 'error_message' in event.raw;
  return isUnread ? {} : capabilities;
}

/** The decision as Cursor reads it. Silence is permission: `allow` is never said. */
function render(event: Event, decision: Decision): Answer {
  const can = capabilitiesAt(event);
  const carried = carry(can, event, decision);
  const refusal = refusalOf(event, decision, carried);
  // A note to the person is part of the message that comes with a refusal, so it is not lost.
  const isNoteSaid = 'user_message' in refusal;
  const { losses } = isNoteSaid ? carry(can, event, { ...decision, toPerson: [] }) : carried;
  return say({ ...refusal, updated_input: carried.input, additional_context: carried.advice }, losses);
}

function refusalOf(event: Event, decision: Decision, { can, denial }: Carried): JsonObject {
  if (denial !== undefined) {
    const shown = joined([denial, ...decision.toPerson]) ?? denial;
    return { permission: 'deny', user_message: shown, agent_message: denial };
  }
  if (!('reason' in decision) || !can(decision.kind)) return {};
  if (event.kind === 'turn.stop') return { followup_message: asFeedback(decision.reason) };
  return { continue: false, user_message: joined([decision.reason, ...decision.toPerson]) ?? 'Denied.' };
}

function fieldsAt(event: Event): Fields {
  const isCall = event.kind === 'tool.before';
  const isPrompt = event.kind === 'prompt.submit';
  const can = powersAt(capabilitiesAt(event), event);
  return {
    permission: isCall && oneOf(['deny']),
    agent_message: isCall && text,
    updated_input: isCall && isJsonObject,
    user_message: (isCall || isPrompt) && text,
    continue: isPrompt && oneOf([false]),
    followup_message: event.kind === 'turn.stop' && text,
    additional_context: can('advise-agent') && text,
  };
}
