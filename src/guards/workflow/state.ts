import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { listAt, numberAt, objectAt, textAt, textsAt, timeAt, valueAt } from './json-path';

/*
 * Reads the state of a project's workflow. Other programs write it too: a field that is absent or of the wrong
 * type says nothing. All times are in milliseconds.
 */

/** A state, or a part of it. */
export type State = JsonObject;

/** The workflow that a project is in. */
export type ActiveWorkflow = NonNullable<ReturnType<typeof activeWorkflow>>;

/** The active workflow of a state, which may be suspended. */
export function activeWorkflow(state: Json | undefined) {
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
export function currentPhase(state: Json | undefined): string | undefined {
  return textAt(state, 'active_workflow', 'current_phase') ?? textAt(state, 'current_phase');
}

/** False where a person has switched the iteration rules off. */
export function isEnforced(state: Json | undefined): boolean {
  return valueAt(state, ['iteration_enforcement', 'enabled']) !== false;
}

/** How the project wants the use of agents to be enforced. */
export function skillEnforcement(state: Json | undefined) {
  const found = objectAt(state, ['skill_enforcement']);
  return {
    enabled: found?.['enabled'] !== false,
    mode: textAt(found, 'mode') ?? 'strict',
    failBehavior: textAt(found, 'fail_behavior') ?? 'allow',
  };
}

/** The status in the record of a phase. */
export function phaseStatus(state: Json | undefined, phase: string): string | undefined {
  return textAt(state, 'phases', phase, 'status');
}

/** Whether commits should be reviewed though code review is off: the team has several members. */
export function isReviewNeeded(state: Json | undefined): boolean {
  const review = objectAt(state, ['code_review']);
  return review?.['enabled'] !== true && (numberAt(review, 'team_size') ?? 1) > 1;
}

/** The delegations that were seen. */
export function usageLog(state: Json | undefined) {
  return listAt(state, ['skill_usage_log'])
    .filter(isJsonObject)
    .map((entry) => ({
      agent: textAt(entry, 'agent'),
      phase: textAt(entry, 'agent_phase'),
      at: timeAt(entry, 'timestamp'),
    }));
}

/** The delegation that the last loaded skill requires, until it is done. */
export function pendingDelegation(state: Json | undefined) {
  const found = objectAt(state, ['pending_delegation']);
  if (found === undefined) return undefined;
  return {
    skill: textAt(found, 'skill') ?? '',
    agent: textAt(found, 'required_agent'),
    invokedAt: timeAt(found, 'invoked_at'),
    session: textAt(found, 'session_id'),
    /** Whether a stop has been held for it. */
    reminded: textAt(found, 'reminded_at') !== undefined,
  };
}

/** The limits that a project has set for itself; without the time at which it did so they do not count. */
export function iterationLimits(state: Json | undefined) {
  const found = objectAt(state, ['iteration_config']);
  if (textAt(found, 'configured_at') === undefined) return {};
  return { max: numberAt(found, 'testing_max'), breaker: numberAt(found, 'circuit_breaker_threshold') };
}

/** Every phase that the state keeps a record of. */
export function phaseRecords(state: Json | undefined): readonly (readonly [string, JsonObject])[] {
  return Object.entries(objectAt(state, ['phases']) ?? {}).flatMap(([name, value]) =>
    isJsonObject(value) ? [[name, value] as const] : [],
  );
}

/** Where the evidence of tests is in the record of a phase. */
export const TESTS = ['iteration_requirements', 'test_iteration'];

/** Where the evidence of a phase's tests is in the state. */
export function testsPath(phase: string): string[] {
  return ['phases', phase, ...TESTS];
}

/** Where the evidence of a phase's elicitation is in the state. */
export function elicitationPath(phase: string): string[] {
  return ['phases', phase, 'iteration_requirements', 'interactive_elicitation'];
}

/** Where the evidence of a phase's constitutional validation is in the state. */
export function constitutionPath(phase: string): string[] {
  return ['phases', phase, 'constitutional_validation'];
}

/** What is known of the tests in a phase; `undefined` before the first run. */
export function testEvidence(state: Json | undefined, phase: string) {
  const found = objectAt(state, testsPath(phase));
  if (found === undefined) return undefined;
  return {
    completed: found['completed'] === true,
    status: textAt(found, 'status'),
    approved: found['escalation_approved'] === true,
    lastResult: textAt(found, 'last_test_result'),
    lastCommand: textAt(found, 'last_test_command'),
    iteration: numberAt(found, 'current_iteration'),
    maxIterations: numberAt(found, 'max_iterations'),
    lastError: textAt(listAt(found, ['history']).filter(isJsonObject).at(-1), 'error'),
    /** The tree that passed, where it was recorded. */
    tree: textAt(found, 'evidence', 'tree'),
    /** When a file was edited after the pass. */
    editedAt: timeAt(found, 'edited_at'),
    coverage: numberAt(found, 'coverage'),
  };
}

/** What is known of the constitutional validation of a phase. */
export function constitutionEvidence(state: Json | undefined, phase: string) {
  const found = objectAt(state, constitutionPath(phase));
  if (found === undefined) return undefined;
  return {
    completed: found['completed'] === true,
    status: textAt(found, 'status'),
    approved: found['escalation_approved'] === true,
    iterationsUsed: numberAt(found, 'iterations_used'),
    maxIterations: numberAt(found, 'max_iterations'),
    articlesChecked: textsAt(found, 'articles_checked'),
  };
}

/** What is known of the questions that a person was asked in a phase. */
export function elicitationEvidence(state: Json | undefined, phase: string) {
  const found = objectAt(state, elicitationPath(phase));
  if (found === undefined) return undefined;
  return {
    completed: found['completed'] === true,
    interactions: numberAt(found, 'menu_interactions') ?? 0,
    finalSelection: textAt(found, 'final_selection'),
  };
}
