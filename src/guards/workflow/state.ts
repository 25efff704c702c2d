import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { listAt, numberAt, objectAt, textAt, textsAt, timeAt, valueAt } from './json-path';

/*
 * The state of a project's workflow as other programs write it too: every field may be absent or of
 * another kind than it should be, and then it says nothing.
 */

/** The workflow that a project is in. */
export interface ActiveWorkflow {
  readonly type: string | undefined;
  readonly phase: string | undefined;
  readonly index: number | undefined;
  /** As they were written when it started; empty where nobody wrote them. */
  readonly phases: readonly string[];
  readonly artifact: string | undefined;
  /** Milliseconds. */
  readonly startedAt: number | undefined;
  readonly branch: { readonly name: string | undefined; readonly status: string | undefined } | undefined;
  readonly atdd: boolean;
  /** Its rules rest, its state stays protected. */
  readonly suspended: boolean;
}

const WORKFLOW = ['active_workflow'];

export function activeWorkflow(state: Json | undefined): ActiveWorkflow | undefined {
  const found = objectAt(state, WORKFLOW);
  if (found === undefined || Object.keys(found).length === 0) return undefined;
  const branch = objectAt(found, ['git_branch']);
  return {
    type: textAt(found, 'type'),
    phase: textAt(found, 'current_phase'),
    index: numberAt(found, 'current_phase_index'),
    phases: textsAt(found, 'phases'),
    artifact: textAt(found, 'artifact_folder'),
    startedAt: timeAt(found, 'started_at'),
    branch: branch && { name: textAt(branch, 'name'), status: textAt(branch, 'status') },
    atdd: found['atdd_mode'] === true,
    suspended: textAt(found, 'suspended_at') !== undefined,
  };
}

/** The phase of the workflow, else the one that the state as a whole names. */
export function currentPhase(state: Json | undefined): string | undefined {
  return textAt(state, ...WORKFLOW, 'current_phase') ?? textAt(state, 'current_phase');
}

/** False where the person has switched the iteration rules off. */
export function isEnforced(state: Json | undefined): boolean {
  return valueAt(state, ['iteration_enforcement', 'enabled']) !== false;
}

export interface SkillEnforcement {
  readonly enabled: boolean;
  readonly mode: string;
  readonly failBehavior: string;
}

export function skillEnforcement(state: Json | undefined): SkillEnforcement {
  const found = objectAt(state, ['skill_enforcement']);
  return {
    enabled: found?.['enabled'] !== false,
    mode: textAt(found, 'mode') ?? 'strict',
    failBehavior: textAt(found, 'fail_behavior') ?? 'allow',
  };
}

export function phaseStatus(state: Json | undefined, phase: string): string | undefined {
  return textAt(state, 'phases', phase, 'status');
}

export function isReviewNeeded(state: Json | undefined): boolean {
  const review = objectAt(state, ['code_review']);
  return review?.['enabled'] !== true && (numberAt(review, 'team_size') ?? 1) > 1;
}

/** One delegation that was seen. */
export interface Usage {
  readonly agent: string | undefined;
  readonly phase: string | undefined;
  /** Milliseconds. */
  readonly at: number | undefined;
}

export function usageLog(state: Json | undefined): readonly Usage[] {
  return listAt(state, ['skill_usage_log'])
    .filter(isJsonObject)
    .map((entry) => ({
      agent: textAt(entry, 'agent'),
      phase: textAt(entry, 'agent_phase'),
      at: timeAt(entry, 'timestamp'),
    }));
}

/** A skill was loaded that has to hand its work to an agent. */
export interface PendingDelegation {
  readonly skill: string;
  readonly agent: string | undefined;
  /** Milliseconds. */
  readonly invokedAt: number | undefined;
  /** The session that loaded it, where it is known. */
  readonly session: string | undefined;
  /** Whether a stop has been refused for it. */
  readonly reminded: boolean;
}

export function pendingDelegation(state: Json | undefined): PendingDelegation | undefined {
  const found = objectAt(state, ['pending_delegation']);
  if (found === undefined) return undefined;
  return {
    skill: textAt(found, 'skill') ?? '',
    agent: textAt(found, 'required_agent'),
    invokedAt: timeAt(found, 'invoked_at'),
    session: textAt(found, 'session_id'),
    reminded: textAt(found, 'reminded_at') !== undefined,
  };
}

/** The limits that a project has set for itself; without the time at which it did so they do not count. */
export function iterationLimits(state: Json | undefined): { max?: number; breaker?: number } {
  const found = objectAt(state, ['iteration_config']);
  if (textAt(found, 'configured_at') === undefined) return {};
  const max = numberAt(found, 'testing_max');
  const breaker = numberAt(found, 'circuit_breaker_threshold');
  return { ...(max !== undefined && { max }), ...(breaker !== undefined && { breaker }) };
}

/** Every phase that the state keeps a record of. */
export function phaseRecords(state: Json | undefined): readonly (readonly [string, JsonObject])[] {
  return Object.entries(objectAt(state, ['phases']) ?? {}).flatMap(([name, value]) =>
    isJsonObject(value) ? [[name, value] as const] : [],
  );
}
