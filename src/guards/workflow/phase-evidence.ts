import { isJsonObject, type Json } from '../../core/json';
import { listAt, numberAt, objectAt, textAt, textsAt, timeAt } from './json-path';

/** Where the evidence of a phase stands in the state. */
export function testsPath(phase: string): string[] {
  return ['phases', phase, 'iteration_requirements', 'test_iteration'];
}

export function elicitationPath(phase: string): string[] {
  return ['phases', phase, 'iteration_requirements', 'interactive_elicitation'];
}

export function constitutionPath(phase: string): string[] {
  return ['phases', phase, 'constitutional_validation'];
}

/** What is known of the tests in a phase. */
export interface TestEvidence {
  readonly completed: boolean;
  readonly status: string | undefined;
  readonly approved: boolean;
  readonly lastResult: string | undefined;
  readonly lastCommand: string | undefined;
  readonly iteration: number | undefined;
  readonly maxIterations: number | undefined;
  readonly lastError: string | undefined;
  /** The tree that passed, where it was recorded; a later edit takes it back. */
  readonly tree: string | undefined;
  /** A file was edited after the pass. Milliseconds. */
  readonly editedAt: number | undefined;
  readonly coverage: number | undefined;
}

export function testEvidence(state: Json | undefined, phase: string): TestEvidence | undefined {
  const found = objectAt(state, testsPath(phase));
  if (found === undefined) return undefined;
  const last = listAt(found, ['history']).filter(isJsonObject).at(-1);
  return {
    completed: found['completed'] === true,
    status: textAt(found, 'status'),
    approved: found['escalation_approved'] === true,
    lastResult: textAt(found, 'last_test_result'),
    lastCommand: textAt(found, 'last_test_command'),
    iteration: numberAt(found, 'current_iteration'),
    maxIterations: numberAt(found, 'max_iterations'),
    lastError: textAt(last, 'error'),
    tree: textAt(found, 'evidence', 'tree'),
    editedAt: timeAt(found, 'edited_at'),
    coverage: numberAt(found, 'coverage'),
  };
}

export interface ConstitutionEvidence {
  readonly completed: boolean;
  readonly status: string | undefined;
  readonly approved: boolean;
  readonly iterationsUsed: number | undefined;
  readonly maxIterations: number | undefined;
  readonly articlesChecked: readonly string[];
}

export function constitutionEvidence(
  state: Json | undefined,
  phase: string,
): ConstitutionEvidence | undefined {
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

export interface ElicitationEvidence {
  readonly completed: boolean;
  readonly interactions: number;
  readonly finalSelection: string | undefined;
}

export function elicitationEvidence(state: Json | undefined, phase: string): ElicitationEvidence | undefined {
  const found = objectAt(state, elicitationPath(phase));
  if (found === undefined) return undefined;
  return {
    completed: found['completed'] === true,
    interactions: numberAt(found, 'menu_interactions') ?? 0,
    finalSelection: textAt(found, 'final_selection'),
  };
}
