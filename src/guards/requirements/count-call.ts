import type { Change } from '../../core/document';
import type { EventOf } from '../../core/event';
import { isJsonObject, type JsonObject } from '../../core/json';
import type { ToolCall } from '../../core/tool-call';
import { metricsChange } from './change';
import type { Requirement } from './config';
import { agentsWith, countCall, numberIn, objectIn, type ToolUse, textsIn } from './metrics';
import { type NearLimit, noteWarned } from './near-limit';
import { noteBranch } from './pass-branches';
import { isDue } from './registration';
import type { View } from './view';

type Call = EventOf<'tool.before'>;

const REPEATED_SECONDS = 5;
const CALLS_KEPT = 20;
const LONGEST_ID = 64;

/** Counts a call that was let through, and what it set off. */
export function countAllowed(
  event: Call,
  set: readonly Requirement[],
  near: readonly NearLimit[],
  view: View,
): Change {
  const byPass = set.some(({ scope }) => scope === 'single_use');
  const names = set.map(({ name }) => name);
  return countOnce(event, view, (metrics) => {
    const passed = byPass ? noteBranch(metrics, event.call.callId, view.branch) : metrics;
    const warned = near.length === 0 ? passed : noteWarned(passed, near, view);
    const counts = countCall(metrics, toolUse(event.call, false), names, view.owner.now);
    return warned === metrics ? counts : { ...warned, ...counts };
  });
}

/** Counts a call that was denied, and remembers what was said. */
export function countDenied(event: Call, names: readonly string[], about: string, view: View): Change {
  return countOnce(event, view, (metrics) => {
    const counts = countCall(metrics, toolUse(event.call, true), names, view.owner.now);
    const { callId } = event.call;
    const isShort = isRepeated(event, about, { metrics, owner: view.owner });
    const call = { ...(callId !== undefined && { call: callId }), ...(isShort && { repeated: true }) };
    return { ...counts, last_denial: { about, at: view.owner.now, ...call } };
  });
}

/**
 * Several calls of one message are denied one after the other; one full text is enough for all. Of one call
 * that several processes deny, the host may show any of the texts, so all have to be the same.
 */
export function isRepeated(
  event: Call,
  about: string,
  { metrics, owner }: Pick<View, 'metrics' | 'owner'>,
): boolean {
  const last = isJsonObject(metrics) ? objectIn(metrics, 'last_denial') : {};
  const age = owner.now - numberIn(last, 'at');
  if (event.call.callId !== undefined && last['call'] === event.call.callId) return last['repeated'] === true;
  return last['about'] === about && age >= 0 && age < REPEATED_SECONDS;
}

/**
 * Adds what `count` changes in the counts. One call may be seen by several processes, where a project registers us
 * more than once; it counts once.
 */
function countOnce(event: Call, view: View, count: (metrics: JsonObject) => JsonObject): Change {
  const callId = event.call.callId?.slice(0, LONGEST_ID);
  return metricsChange(view, (metrics) => {
    const seen = textsIn(metrics['last_calls']);
    if (callId !== undefined && seen.includes(callId)) return metrics;
    const calls = callId === undefined ? seen : [...seen, callId].slice(-CALLS_KEPT);
    const isDueNow = isDue(view.metrics, view.branch, view.owner.now);
    return {
      ...metrics,
      ...count(metrics),
      ...agentsWith(metrics, event.agent),
      last_calls: calls,
      // Another process that was quicker has written the same registration.
      ...(isDueNow && { registered_at: view.owner.now }),
    };
  });
}

function toolUse({ nativeName: tool, paths, command }: ToolCall, blocked: boolean): ToolUse {
  return { tool, blocked, file: paths[0], command: command && commandLabel(command) };
}

/** What kind of command it was. The rest of it may hold what is nobody's business, so it is not kept. */
function commandLabel(command: string): string {
  return /^\s*[\w./-]{1,40}(?: [a-z][\w-]{0,20})?/.exec(command)?.[0].trim() ?? '';
}
