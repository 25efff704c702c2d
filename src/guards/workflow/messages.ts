import type { Attempt } from './attempts';
import type { Lack } from './gate';
import { gateOf } from './look-up';

/** How a person lets an escalated or refused phase pass. */
export function waiver(phase: string): string {
  return `a person, with \`holdpoint flow approve ${gateOf(phase)}\``;
}

function blocked({ tool, words }: Attempt): string {
  return `Blocked action: ${tool} (${words})`;
}

export function recordConstitution(articles: readonly string[]): string {
  return `holdpoint flow record constitution --articles ${articles.join(',')}`;
}

export interface TestLoop {
  readonly phase: string;
  readonly iteration: number;
  readonly maxIterations: number;
  readonly error: string | undefined;
  readonly command: string | undefined;
}

export function testCorridor(loop: TestLoop, attempt: Attempt): string {
  return [
    `ITERATION CORRIDOR: the tests of phase '${loop.phase}' fail (iteration ${loop.iteration}/${loop.maxIterations}); the phase cannot be left.`,
    `Last error: ${loop.error ?? 'not known'}`,
    `Last test command: ${loop.command ?? 'not known'}`,
    blocked(attempt),
    `Next: fix the failing tests and run them again. Delegate the fix alone, without an order to advance.`,
    `Waived by ${waiver(loop.phase)}.`,
  ].join('\n');
}

export interface Validation {
  readonly phase: string;
  readonly articles: readonly string[];
  readonly status: string;
  readonly iteration: number;
  readonly maxIterations: number;
}

export function constitutionCorridor(validation: Validation, attempt: Attempt): string {
  const { phase, articles, status, iteration, maxIterations } = validation;
  return [
    `ITERATION CORRIDOR: phase '${phase}' has not been validated against the constitution.`,
    `Articles [${articles.join(', ')}]`,
    `Status: ${status} (iteration ${iteration}/${maxIterations})`,
    blocked(attempt),
    `Next: check every article, then \`${recordConstitution(articles)}\`.`,
    `Waived by ${waiver(phase)}.`,
  ].join('\n');
}

export function completionBlocked(validation: Validation): string {
  const { phase, articles, status, iteration, maxIterations } = validation;
  return [
    `PHASE COMPLETION BLOCKED: phase '${phase}' has not been validated against the constitution.`,
    `Articles [${articles.join(', ')}]`,
    `Status: ${status}`,
    `Iteration ${iteration}/${maxIterations}`,
    `Next: check every article, then \`${recordConstitution(articles)}\`.`,
    `Waived by ${waiver(phase)}.`,
  ].join('\n');
}

export const MANIFEST_BROKEN =
  'SKILL ENFORCEMENT ERROR: the skills manifest cannot be read, and `fail_behavior` is `block`.\nNext: repair the manifest; `holdpoint config` names the file.';

export function notTracked(agent: string, target: string, current: string, status: string): string {
  return [
    `PHASE DELEGATION WITHOUT PROGRESS TRACKING: ${agent} is to work on '${target}', but the current phase '${current}' has not been begun.`,
    `Current phase status: ${status}`,
    'Next: `holdpoint flow begin`, then delegate again.',
  ].join('\n');
}

const PLAN_TROUBLE = {
  missing: 'and there is none',
  empty: 'and the one that is there is empty',
  stale: 'and the one that is there is older than this workflow',
} as const;

export function planNeeded(phase: string, trouble: keyof typeof PLAN_TROUBLE, path: string): string {
  return [
    `TASK PLAN NOT GENERATED: phase '${phase}' needs a plan, ${PLAN_TROUBLE[trouble]}.`,
    `Expected path: ${path}`,
    'Next: write the plan to that file, then delegate again.',
  ].join('\n');
}

export interface OutOfOrder {
  readonly agent: string;
  readonly current: string;
  readonly target: string;
  readonly owner: string | undefined;
  readonly isBehind: boolean;
}

export function outOfOrder({ agent, current, target, owner, isBehind }: OutOfOrder): string {
  const now = owner === undefined ? 'finish the current phase' : `delegate the current phase to ${owner}`;
  const leave = isBehind
    ? `to go back, \`holdpoint flow rollback ${target}\``
    : 'when it is done, `holdpoint flow advance`';
  return [
    `OUT-OF-ORDER PHASE DELEGATION: ${agent} belongs to another phase, and ${gateOf(current)} has not been passed.`,
    `Current phase: ${current}`,
    `Target phase:  ${target}`,
    `Next: ${now}; ${leave}.`,
  ].join('\n');
}

export function gateMismatch(expected: string, index: number, current: string): string {
  return [
    `GATE BLOCKED: Workflow state mismatch. Expected phase '${expected}' at index ${index} but current is '${current}'.`,
    'Next: `holdpoint flow status` shows both; `holdpoint flow rollback PHASE` sets them right.',
  ].join('\n');
}

export function gateBlocked(phase: string, lacks: readonly Lack[]): string {
  return [
    `GATE BLOCKED: Iteration requirements not satisfied for phase '${phase}'.`,
    `Blocking requirements: ${lacks.map(({ requirement }) => requirement).join(', ')}`,
    ...lacks.map(({ requirement, reason, how }) => `- ${requirement}: ${reason}; ${how}`),
  ].join('\n');
}

export function stateUnreadable(file: string, why: string): string {
  return [
    `WORKFLOW STATE UNREADABLE: ${file} ${why}, so nobody can tell which phase this is.`,
    'Next: a person restores the file (from git or a backup) or removes it; without it no workflow is active.',
  ].join('\n');
}

export function unkept(file: string, why: string): string {
  return `WORKFLOW STATE UNREADABLE: ${file} ${why}, so nothing of the workflow is kept or asked for until a person restores it.`;
}

/** The first line of another refusal of the same call. */
export function alsoLine(text: string): string {
  return `Also: ${text.split('\n', 1)[0] ?? ''}`;
}
