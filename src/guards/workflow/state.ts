import {
  listAt,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  timeAt,
  valueAt,
  withEntryAt,
  withMembersAt,
  withValueAt,
} from '../../config/pointer';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { isoTime } from '../../core/text';
import type { Missing } from './gate';
import type { Requirement, RuleName } from './model';

/*
 * Reads the state of a project's workflow, and defines the notes that rules write into it. Other programs
 * write it too: a field that is absent or of the wrong type is ignored. All times are in milliseconds.
 */

/** A state, or a part of it. */
export type State = JsonObject;

export type MaybeState = Json | undefined;

export type ActiveWorkflow = NonNullable<ReturnType<typeof activeWorkflow>>;

/** The project's workflow, which may be suspended. */
export function activeWorkflow(state: MaybeState) {
  const found = objectAt(state, ['active_workflow']);
  if (found === undefined || Object.keys(found).length === 0) return undefined;
  const branch = objectAt(found, ['git_branch']);
  return {
    type: textAt(found, 'type'),
    phase: textAt(found, 'current_phase'),
    index: numberAt(found, 'current_phase_index'),
    /** As recorded at the start; may be empty. */
    phases: textsAt(found, 'phases'),
    artifact: textAt(found, 'artifact_folder'),
    startedAt: timeAt(found, 'started_at'),
    branch: branch && { name: textAt(branch, 'name'), status: textAt(branch, 'status') },
    atdd: found['atdd_mode'] === true,
    /** While suspended, its rules are off but its state stays protected. */
    suspended: textAt(found, 'suspended_at') !== undefined,
  };
}

/** Why a parsed document is no state; `undefined` if it is one. */
export function stateTrouble(value: Json): string | undefined {
  if (!isJsonObject(value)) return 'is not an object';
  const { active_workflow: active } = value;
  return active && !isJsonObject(active) ? 'has an `active_workflow` that is not an object' : undefined;
}

/** Whether a workflow is active, but in no phase. */
export function isPhaseLost(state: MaybeState): boolean {
  return activeWorkflow(state)?.suspended === false && currentPhase(state) === undefined;
}

/** The phase of the workflow, else the one at the top level of the state. */
export function currentPhase(state: MaybeState): string | undefined {
  return textAt(state, 'active_workflow', 'current_phase') ?? textAt(state, 'current_phase');
}

/** False if a person has switched the iteration rules off. */
export function isEnforced(state: MaybeState): boolean {
  return valueAt(state, ['iteration_enforcement', 'enabled']) !== false;
}

export function skillEnforcement(state: MaybeState) {
  const found = objectAt(state, ['skill_enforcement']);
  return {
    enabled: found?.['enabled'] !== false,
    mode: textAt(found, 'mode') ?? 'strict',
    failBehavior: textAt(found, 'fail_behavior') ?? 'allow',
  };
}

export function phaseStatus(state: MaybeState, phase: string): string | undefined {
  return textAt(state, 'phases', phase, 'status');
}

/** The recorded delegations. */
export function usageLog(state: MaybeState) {
  return listAt(state, ['skill_usage_log']).map((entry) => ({
    agent: textAt(entry, 'agent'),
    phase: textAt(entry, 'agent_phase'),
    at: timeAt(entry, 'timestamp'),
    /** When the workflow was started for which it was done; null if for none, absent if unknown. */
    workflow: valueAt(entry, ['workflow_started_at']),
  }));
}

/** Every phase that has a record in the state. */
export function phaseRecords(state: MaybeState): readonly (readonly [string, JsonObject])[] {
  return Object.entries(objectAt(state, ['phases']) ?? {}).flatMap(([name, value]) =>
    isJsonObject(value) ? [[name, value] as const] : [],
  );
}

/** Path of each kind of evidence in the record of a phase. */
export const EVIDENCE = {
  tests: ['iteration_requirements', 'test_iteration'],
  elicitation: ['iteration_requirements', 'interactive_elicitation'],
  constitution: ['constitutional_validation'],
};

/** Path in the state of a phase's evidence. */
export function evidencePath(phase: string, kind: keyof typeof EVIDENCE): string[] {
  return ['phases', phase, ...EVIDENCE[kind]];
}

/** What tests and constitution have in common: both are repeated until they are completed or escalated. */
function roundsOf(found: JsonObject) {
  return {
    completed: found['completed'] === true,
    status: textAt(found, 'status'),
    approved: found['escalation_approved'] === true,
    maxIterations: numberAt(found, 'max_iterations'),
  };
}

/** Makes a reader for a kind of evidence; it returns `undefined` if a phase has none. */
function evidenceReader<Known>(kind: keyof typeof EVIDENCE, read: (found: JsonObject) => Known) {
  return (state: MaybeState, phase: string): Known | undefined => {
    const found = objectAt(state, evidencePath(phase, kind));
    return found && read(found);
  };
}

/** The failed runs in a record of tests; if it has no such count, all runs but those that passed. */
export function failedRuns(found: MaybeState): number {
  const passed = listAt(found, ['history']).filter((one) => textAt(one, 'result') === 'PASSED').length;
  const others = (numberAt(found, 'current_iteration') ?? 0) - passed;
  return numberAt(found, 'failures_count') ?? Math.max(0, others);
}

/** `undefined` before the first run. */
export const testEvidence = evidenceReader('tests', (found) => ({
  ...roundsOf(found),
  lastResult: textAt(found, 'last_test_result'),
  reason: textAt(found, 'escalation_reason'),
  lastCommand: textAt(found, 'last_test_command'),
  iteration: numberAt(found, 'current_iteration'),
  failures: failedRuns(found),
  lastError: listAt(found, ['history'])
    .flatMap((one) => textAt(one, 'error') ?? [])
    .at(-1),
  /** The git tree that passed, if recorded. */
  tree: textAt(found, 'evidence', 'tree'),
  /** When a file was edited after the pass. */
  editedAt: timeAt(found, 'edited_at'),
  coverage: numberAt(found, 'coverage'),
}));

export const constitutionEvidence = evidenceReader('constitution', (found) => ({
  ...roundsOf(found),
  iterationsUsed: numberAt(found, 'iterations_used'),
  articlesChecked: textsAt(found, 'articles_checked'),
}));

/** The questions that the user was asked in a phase. */
export const elicitationEvidence = evidenceReader('elicitation', (found) => ({
  completed: found['completed'] === true,
  /** Questions that the user has answered; other programs keep no count of answers. */
  interactions: numberAt(found, 'questions_answered') ?? numberAt(found, 'menu_interactions') ?? 0,
  finalSelection: textAt(found, 'final_selection'),
  /** The user chose to exit, and has answered nothing since. */
  isExited:
    textAt(found, 'final_selection') === 'exit' &&
    (found['question_open'] === true ||
      !((timeAt(found, 'last_menu_at') ?? 0) > (timeAt(found, 'completed_at') ?? 0))),
}));

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

/** Adds an entry to a list unless it is already there; only the last `kept` entries stay. */
function appended(list: string, entry: JsonObject, isSame: (one: Json) => boolean, kept?: number) {
  return (state: JsonObject): JsonObject =>
    listAt(state, [list]).some(isSame) ? state : withEntryAt(state, [list], entry, kept);
}

/** Tells a person that a rule held something. The same within a minute is recorded once. */
export function escalation(
  type: 'gate_blocked' | 'corridor_blocked' | 'constitution_blocked',
  hook: RuleName,
  phase: string,
  detail: string,
  now: number,
): StateNote {
  const entry = { type, hook, phase, detail: detail.slice(0, DETAIL_LENGTH), timestamp: isoTime(now) };
  const isSame = (one: Json): boolean =>
    ['type', 'hook', 'phase'].every((key) => textAt(one, key) === textAt(entry, key)) &&
    Math.abs(now - (timeAt(one, 'timestamp') ?? 0)) < SAME_ESCALATION_MS;
  const apply = appended('pending_escalations', entry, isSame, ESCALATIONS_KEPT);
  return { what: `escalation ${type}`, apply };
}

/** Adds an entry to the log of delegations, once per call. */
export function usage(entry: JsonObject): StateNote {
  const call = textAt(entry, 'tool_use_id');
  const isSame = (one: Json): boolean => call !== undefined && textAt(one, 'tool_use_id') === call;
  return { what: 'delegation seen', apply: appended('skill_usage_log', entry, isSame, USAGES_KEPT) };
}

export function gateBlocked(phase: string, lacks: readonly Missing[], now: number): StateNote {
  const details = lacks.map(({ what, why, action }) => ({
    requirement: what,
    satisfied: false,
    reason: why,
    ...(action !== undefined && { action_required: action }),
  }));
  return {
    what: `gate of ${phase} blocked`,
    apply: (state) =>
      withMembersAt(state, ['phases', phase, 'gate_validation'], {
        status: 'blocked',
        blocked_at: isoTime(now),
        blocking_requirements: lacks.map(({ what }) => what),
        details,
      }),
  };
}

/** Something to do after a gate was passed; recorded once while it is pending. */
export function trigger(name: string, phase: string, now: number): StateNote {
  const entry = { trigger: name, triggered_at: isoTime(now), phase };
  const isSame = (one: Json): boolean => textAt(one, 'trigger') === name;
  return { what: `trigger ${name}`, apply: appended('pending_triggers', entry, isSame) };
}

/** Adds the record of a validation to do, unless there is one. */
export function openConstitution(phase: string, asked: Requirement<'constitution'>, now: number): StateNote {
  const path = evidencePath(phase, 'constitution');
  const record: JsonObject = {
    required: true,
    completed: false,
    status: 'pending',
    iterations_used: 0,
    max_iterations: asked.maxIterations,
    articles_required: asked.articles,
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

/** A skill was loaded that has to delegate. The same call is recorded once. */
export function obligation(entry: JsonObject): StateNote {
  const call = textAt(entry, 'tool_use_id');
  return {
    what: 'delegation required',
    apply: (state) => {
      const isNoted = call !== undefined && textAt(state, 'pending_delegation', 'tool_use_id') === call;
      return isNoted ? state : { ...state, pending_delegation: entry };
    },
  };
}

/** The delegation that a skill required is done, or no longer required. */
export const OBLIGATION_MET: StateNote = {
  what: 'delegation no longer required',
  apply: (state) =>
    isJsonObject(state['pending_delegation']) ? { ...state, pending_delegation: null } : state,
};

/** The end of a turn was held for the delegation that a skill required. */
export function obligationReminded(now: number): StateNote {
  return {
    what: 'delegation asked for',
    apply: (state) =>
      isJsonObject(state['pending_delegation'])
        ? withMembersAt(state, ['pending_delegation'], { reminded_at: isoTime(now) })
        : state,
  };
}

/** A question to the user, the user's answer, or both. */
export type Interaction = {
  readonly asks?: boolean;
  readonly answers?: boolean;
  readonly selection?: string | undefined;
  readonly callId?: string | undefined;
};

/**
 * Records an exchange with the user, once per call. An answer counts only if a question is open. The choices
 * to save or exit end the elicitation once `least` questions have been answered.
 */
export function interaction(phase: string, seen: Interaction, least: number, time: string): StateNote {
  const path = evidencePath(phase, 'elicitation');
  const { asks = false, answers = false, selection, callId } = seen;
  const ends = answers && (selection === 'save' || selection === 'exit');
  return {
    what: 'a person was asked',
    apply: (state) => {
      const record = objectAt(state, path) ?? { required: true, completed: false, started_at: time };
      const isOpen = asks || record['question_open'] === true;
      const isCounted = callId !== undefined && textsAt(record, 'counted_calls').includes(callId);
      if (isCounted || (answers && !isOpen)) return state;
      const shown = numberAt(record, 'menu_interactions') ?? 0;
      const answered = (numberAt(record, 'questions_answered') ?? shown) + Number(answers);
      const next = {
        ...record,
        menu_interactions: shown + Number(asks),
        questions_answered: answered,
        question_open: isOpen && !answers,
        ...(asks && { last_menu_at: time }),
        ...(selection !== undefined && selectionMembers(record, selection, time)),
        ...(ends && answered >= least && { completed: true, final_selection: selection, completed_at: time }),
      };
      return callId === undefined
        ? withValueAt(state, path, next)
        : withValueAt(state, path, withEntryAt(next, ['counted_calls'], callId, CALLS_KEPT));
    },
  };
}

/** The user's choice, as members of an elicitation's record. */
export function selectionMembers(record: JsonObject, selection: string, time: string): JsonObject {
  const selections = [...listAt(record, ['selections']), { selection, timestamp: time }];
  return {
    selections: selections.slice(-SELECTIONS_KEPT),
    last_selection: selection,
    last_selection_at: time,
  };
}
