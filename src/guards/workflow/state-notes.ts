import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { isoTime } from '../../core/text';
import {
  listAt,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  timeAt,
  withEntryAt,
  withMembersAt,
  withValueAt,
} from './json-path';
import type { RuleName } from './model';
import { evidencePath } from './state';

/** A change to the state, as a pure function that may run twice. */
export interface StateNote {
  /** A few words for the journal. */
  readonly what: string;
  apply(state: JsonObject): JsonObject;
}

const ESCALATIONS_KEPT = 20;
const SAME_ESCALATION_MS = 60_000;
const USAGES_KEPT = 500;
const DETAIL_LENGTH = 1000;
const SELECTIONS_KEPT = 50;
const CALLS_KEPT = 20;

/** Adds an entry to a list, of which the last ones are kept, unless the same one is in it. */
function appended(list: string, entry: JsonObject, isSame: (one: Json) => boolean, kept?: number) {
  return (state: JsonObject): JsonObject =>
    listAt(state, [list]).some(isSame) ? state : withEntryAt(state, [list], entry, kept);
}

/** A rule held something, and a person should know. The same within a minute is kept once. */
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
  const apply = appended('pending_escalations', entry, isSame, ESCALATIONS_KEPT);
  return { what: `escalation ${type}`, apply };
}

/** Adds an entry to the log of delegations, once for each call. */
export function usage(entry: JsonObject): StateNote {
  const call = textAt(entry, 'tool_use_id');
  const isSame = (one: Json): boolean => call !== undefined && textAt(one, 'tool_use_id') === call;
  return { what: 'delegation seen', apply: appended('skill_usage_log', entry, isSame, USAGES_KEPT) };
}

/** What the gate found missing. */
export function gateBlocked(phase: string, details: readonly JsonObject[], now: number): StateNote {
  return {
    what: `gate of ${phase} blocked`,
    apply: (state) =>
      withMembersAt(state, ['phases', phase, 'gate_validation'], {
        status: 'blocked',
        blocked_at: isoTime(now),
        blocking_requirements: details.map((detail) => detail['requirement'] ?? ''),
        details,
      }),
  };
}

/** Something to be done after a gate was passed; noted once while it is pending. */
export function trigger(name: string, phase: string, now: number): StateNote {
  const entry = { trigger: name, triggered_at: isoTime(now), phase };
  const isSame = (one: Json): boolean => textAt(one, 'trigger') === name;
  return { what: `trigger ${name}`, apply: appended('pending_triggers', entry, isSame) };
}

/** The record of a validation that is to be done, unless there is one. */
export function openConstitution(
  phase: string,
  articles: readonly string[],
  maxIterations: number,
  now: number,
): StateNote {
  const path = evidencePath(phase, 'constitution');
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
  const call = textAt(entry, 'tool_use_id');
  return {
    what: 'delegation owed',
    apply: (state) => {
      const isNoted = call !== undefined && textAt(state, 'pending_delegation', 'tool_use_id') === call;
      return isNoted ? state : { ...state, pending_delegation: entry };
    },
  };
}

/** The delegation that a skill required is done, or no longer required. */
export const OBLIGATION_MET: StateNote = {
  what: 'delegation no longer owed',
  apply: (state) =>
    isJsonObject(state['pending_delegation']) ? { ...state, pending_delegation: null } : state,
};

/** A stop was held for the delegation that a skill required. */
export function obligationReminded(now: number): StateNote {
  return {
    what: 'delegation asked for',
    apply: (state) =>
      isJsonObject(state['pending_delegation'])
        ? withMembersAt(state, ['pending_delegation'], { reminded_at: isoTime(now) })
        : state,
  };
}

/** One exchange with a person. */
export type Interaction = { readonly selection?: string | undefined; readonly callId?: string | undefined };

/** Counts an exchange with a person, once for each call. The choices to save or exit end the elicitation. */
export function interaction(phase: string, { selection, callId }: Interaction, time: string): StateNote {
  const path = evidencePath(phase, 'elicitation');
  return {
    what: 'a person was asked',
    apply: (state) => {
      const record = objectAt(state, path) ?? { required: true, completed: false, started_at: time };
      const calls = textsAt(record, 'counted_calls');
      if (callId !== undefined && calls.includes(callId)) return state;
      const isFinal = selection === 'save' || selection === 'exit';
      return withValueAt(state, path, {
        ...record,
        menu_interactions: (numberAt(record, 'menu_interactions') ?? 0) + 1,
        last_menu_at: time,
        ...(callId !== undefined && { counted_calls: [...calls, callId].slice(-CALLS_KEPT) }),
        ...(selection !== undefined && selectionMembers(record, selection, time)),
        ...(isFinal && { completed: true, final_selection: selection, completed_at: time }),
      });
    },
  };
}

/** A person's choice as members of the record of an elicitation. */
export function selectionMembers(record: JsonObject, selection: string, time: string): JsonObject {
  const selections = [...listAt(record, ['selections']), { selection, timestamp: time }];
  return {
    selections: selections.slice(-SELECTIONS_KEPT),
    last_selection: selection,
    last_selection_at: time,
  };
}
