import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { isoTime } from '../../core/text';
import type { StateNote } from './finding';
import { listAt, objectAt, textAt, timeAt, withMembersAt, withValueAt } from './json-path';
import type { RuleName } from './model';
import { constitutionPath } from './phase-evidence';

const ESCALATIONS_KEPT = 20;
const SAME_ESCALATION_MS = 60_000;
const USAGES_KEPT = 500;
const DETAIL_LENGTH = 1000;

/** What a person should hear of: a rule that refused. The same within a minute is kept once. */
export function escalation(
  type: 'gate_blocked' | 'corridor_blocked' | 'constitution_blocked',
  hook: RuleName,
  phase: string,
  detail: string,
  now: number,
): StateNote {
  const entry = { type, hook, phase, detail: detail.slice(0, DETAIL_LENGTH), timestamp: isoTime(now) };
  const isSame = (one: Json): boolean =>
    textAt(one, 'type') === type &&
    textAt(one, 'hook') === hook &&
    textAt(one, 'phase') === phase &&
    Math.abs(now - (timeAt(one, 'timestamp') ?? 0)) < SAME_ESCALATION_MS;
  return {
    what: `escalation ${type}`,
    apply: (state) => {
      const kept = listAt(state, ['pending_escalations']);
      if (kept.some(isSame)) return state;
      return withValueAt(state, ['pending_escalations'], [...kept, entry].slice(-ESCALATIONS_KEPT));
    },
  };
}

/** Adds an entry to the log of delegations, once for each call. */
export function usage(entry: JsonObject): StateNote {
  return {
    what: 'delegation seen',
    apply: (state) => {
      const kept = listAt(state, ['skill_usage_log']);
      const call = textAt(entry, 'tool_use_id');
      if (call !== undefined && kept.some((one) => textAt(one, 'tool_use_id') === call)) return state;
      return withValueAt(state, ['skill_usage_log'], [...kept, entry].slice(-USAGES_KEPT));
    },
  };
}

/** What the gate found missing. */
export function gateBlocked(phase: string, details: readonly JsonObject[], now: number): StateNote {
  const path = ['phases', phase, 'gate_validation'];
  const names = details.map((detail) => detail['requirement'] ?? '');
  return {
    what: `gate of ${phase} blocked`,
    apply: (state) =>
      withMembersAt(state, path, {
        status: 'blocked',
        blocked_at: isoTime(now),
        blocking_requirements: names,
        details,
      }),
  };
}

/** Something to be done after a gate was passed; noted once while it waits. */
export function trigger(name: string, phase: string, now: number): StateNote {
  return {
    what: `trigger ${name}`,
    apply: (state) => {
      const kept = listAt(state, ['pending_triggers']);
      if (kept.some((one) => textAt(one, 'trigger') === name)) return state;
      const entry = { trigger: name, triggered_at: isoTime(now), phase };
      return withValueAt(state, ['pending_triggers'], [...kept, entry]);
    },
  };
}

/** The record of a validation that is to be done, unless there is one. */
export function openConstitution(
  phase: string,
  articles: readonly string[],
  maxIterations: number,
  now: number,
): StateNote {
  const path = constitutionPath(phase);
  const record: JsonObject = {
    required: true,
    completed: false,
    status: 'pending',
    iterations_used: 0,
    max_iterations: maxIterations,
    articles_required: articles,
    articles_checked: [],
    violations_found: [],
    history: [],
    started_at: isoTime(now),
  };
  return {
    what: `constitutional validation of ${phase} opened`,
    apply: (state) => (objectAt(state, path) !== undefined ? state : withValueAt(state, path, record)),
  };
}

/** A skill was loaded that has to delegate. The same call is noted once. */
export function obligation(entry: JsonObject): StateNote {
  return {
    what: 'delegation owed',
    apply: (state) => {
      const call = textAt(entry, 'tool_use_id');
      const isNoted = call !== undefined && textAt(state, 'pending_delegation', 'tool_use_id') === call;
      return isNoted ? state : withValueAt(state, ['pending_delegation'], entry);
    },
  };
}

export const OBLIGATION_MET: StateNote = {
  what: 'delegation no longer owed',
  apply: (state) =>
    isJsonObject(state['pending_delegation']) ? withValueAt(state, ['pending_delegation'], null) : state,
};

export function obligationReminded(now: number): StateNote {
  return {
    what: 'delegation asked for',
    apply: (state) =>
      isJsonObject(state['pending_delegation'])
        ? withMembersAt(state, ['pending_delegation'], { reminded_at: isoTime(now) })
        : state,
  };
}
