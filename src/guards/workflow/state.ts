import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { listAt, numberAt, objectAt, textAt, textsAt, timeAt, valueAt } from './json-path';

/*
 * Reads the state of a project's workflow. Other programs write it too: a field that is absent or of the wrong
 * type says nothing. All times are in milliseconds.
 */

/** A state, or a part of it. */
export type State = JsonObject;

export type MaybeState = Json | undefined;

export type ActiveWorkflow = NonNullable<ReturnType<typeof activeWorkflow>>;

/** The workflow that a project is in, which may be suspended. */
export function activeWorkflow(state: MaybeState) {
  const found = objectAt(state, ['active_workflow']);
  if (found === undefined || Object.keys(found).length === 0) return undefined;
  const branch = objectAt(found, ['git_branch']);
  return {
    type: textAt(found, 'type'),
    phase: textAt(found, 'current_phase'),
    index: numberAt(found, 'current_phase_index'),
    /** As they were written when it started; empty where nobody wrote them. */
    phases: textsAt(found, 'phases'),
    artifact: textAt(found, 'artifact_folder'),
    startedAt: timeAt(found, 'started_at'),
    branch: branch && { name: textAt(branch, 'name'), status: textAt(branch, 'status') },
    atdd: found['atdd_mode'] === true,
    /** Its rules rest, its state stays protected. */
    suspended: textAt(found, 'suspended_at') !== undefined,
  };
}

/** The phase of the workflow, else the one that the state as a whole names. */
export function currentPhase(state: MaybeState): string | undefined {
  return textAt(state, 'active_workflow', 'current_phase') ?? textAt(state, 'current_phase');
}

/** False where a person has switched the iteration rules off. */
export function isEnforced(state: MaybeState): boolean {
  return valueAt(state, ['iteration_enforcement', 'enabled']) !== false;
}

/** How the project wants the use of agents to be enforced. */
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

/** The delegations that were seen. */
export function usageLog(state: MaybeState) {
  return listAt(state, ['skill_usage_log']).map((entry) => ({
    agent: textAt(entry, 'agent'),
    phase: textAt(entry, 'agent_phase'),
    at: timeAt(entry, 'timestamp'),
  }));
}

/** Every phase that the state keeps a record of. */
export function phaseRecords(state: MaybeState): readonly (readonly [string, JsonObject])[] {
  return Object.entries(objectAt(state, ['phases']) ?? {}).flatMap(([name, value]) =>
    isJsonObject(value) ? [[name, value] as const] : [],
  );
}

/** Where the evidence of each kind is in the record of a phase. */
export const EVIDENCE = {
  tests: ['iteration_requirements', 'test_iteration'],
  elicitation: ['iteration_requirements', 'interactive_elicitation'],
  constitution: ['constitutional_validation'],
};

/** Where the evidence of a kind that a phase has shown is in the state. */
export function evidencePath(phase: string, kind: keyof typeof EVIDENCE): string[] {
  return ['phases', phase, ...EVIDENCE[kind]];
}

/** What tests and constitution have in common: they are gone through until they are completed or escalated. */
function roundsOf(found: JsonObject) {
  return {
    completed: found['completed'] === true,
    status: textAt(found, 'status'),
    approved: found['escalation_approved'] === true,
    maxIterations: numberAt(found, 'max_iterations'),
  };
}

/** What is known of the tests in a phase; `undefined` before the first run. */
export function testEvidence(state: MaybeState, phase: string) {
  const found = objectAt(state, evidencePath(phase, 'tests'));
  return (
    found && {
      ...roundsOf(found),
      lastResult: textAt(found, 'last_test_result'),
      lastCommand: textAt(found, 'last_test_command'),
      iteration: numberAt(found, 'current_iteration'),
      lastError: textAt(listAt(found, ['history']).filter(isJsonObject).at(-1), 'error'),
      /** The tree that passed, where it was recorded. */
      tree: textAt(found, 'evidence', 'tree'),
      /** When a file was edited after the pass. */
      editedAt: timeAt(found, 'edited_at'),
      coverage: numberAt(found, 'coverage'),
    }
  );
}

/** What is known of the constitutional validation of a phase. */
export function constitutionEvidence(state: MaybeState, phase: string) {
  const found = objectAt(state, evidencePath(phase, 'constitution'));
  return (
    found && {
      ...roundsOf(found),
      iterationsUsed: numberAt(found, 'iterations_used'),
      articlesChecked: textsAt(found, 'articles_checked'),
    }
  );
}

/** What is known of the questions that a person was asked in a phase. */
export function elicitationEvidence(state: MaybeState, phase: string) {
  const found = objectAt(state, evidencePath(phase, 'elicitation'));
  return (
    found && {
      completed: found['completed'] === true,
      interactions: numberAt(found, 'menu_interactions') ?? 0,
      finalSelection: textAt(found, 'final_selection'),
    }
  );
}
