import { gateOf } from './look-up';

export function delegationOwed(skill: string, agent: string, args: string): string {
  return [
    `MANDATORY DELEGATION REQUIRED: /${skill} hands its work to the "${agent}" agent.`,
    `Call the Task tool with subagent_type "${agent}" now${args === '' ? '' : `, for: ${args}`}.`,
  ].join('\n');
}

export function notDelegated(skill: string, agent: string): string {
  return `You loaded /${skill} but did not delegate to the "${agent}" agent. Call the Task tool with subagent_type "${agent}", or say why the work is not needed and stop again.`;
}

export function leftUndelegated(skill: string, agent: string): string {
  return `/${skill} was loaded, but the turn ended without its agent ${agent}.`;
}

export const REVIEW_REMINDER =
  'This team has more than one member and code review is switched off. Have the commit reviewed before it is merged.';

export const NO_WALKTHROUGH =
  '[walkthrough-tracker] WARNING: Discovery completed without constitution walkthrough.\nNext: walk the person through the constitution before the first workflow begins.';

export function wrongMenu(missing: readonly string[], removed: readonly string[]): string {
  return [
    '[discover-menu-guard] WARNING: Incorrect discover menu detected.',
    ...(missing.length > 0 ? [`Missing options: ${missing.join(', ')}`] : []),
    ...(removed.length > 0 ? [`Found removed options: ${removed.join(', ')}`] : []),
  ].join('\n');
}

export interface ToldRun {
  readonly result: 'passed' | 'failed' | 'inconclusive';
  readonly phase: string;
  readonly iteration: number;
  readonly maxIterations: number;
  readonly isEscalated: boolean;
  /** Told only where acceptance tests come first. */
  readonly skipped: number;
}

export function testRunText(run: ToldRun): string {
  const { result, phase, iteration, maxIterations, isEscalated, skipped } = run;
  if (isEscalated) {
    return `TESTS FAILED (iteration ${iteration}/${maxIterations}): the same trouble again, so the phase is escalated. Stop and tell the person, who may run \`holdpoint flow approve ${gateOf(phase)}\`.`;
  }
  switch (result) {
    case 'passed': {
      const orphans = skipped > 0 ? ` ${skipped} tests were skipped: acceptance tests may not be.` : '';
      return `TESTS PASSED (iteration ${iteration}). Next: what the gate still asks for; \`holdpoint flow status\` lists it.${orphans}`;
    }
    case 'failed':
      return `TESTS FAILED (iteration ${iteration}/${maxIterations}). Fix them and run them again; the phase cannot be left before.`;
    case 'inconclusive':
      return `TESTS INCONCLUSIVE (iteration ${iteration}/${maxIterations}): the output does not tell. Run them by themselves.`;
  }
}
