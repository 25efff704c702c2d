import type { Facts } from '../facts';
import { samePhase } from '../look-up';

/** A delegation of phase work while a workflow is going on. */
export interface PhaseDelegation {
  /** Whom it goes to, for people. */
  readonly agent: string;
  /** The phase that is meant: the current one, where the agent works in it too. */
  readonly phase: string;
  readonly current: string;
  readonly isCurrent: boolean;
}

export function phaseDelegation(facts: Facts): PhaseDelegation | undefined {
  const { delegation, workflow, event, model } = facts;
  const current = workflow?.phase;
  if (event.kind !== 'tool.before' || delegation.kind !== 'phase' || current === undefined) return undefined;
  const isCurrent = delegation.phases.some((phase) => samePhase(model, phase, current));
  const phase = isCurrent ? current : (delegation.phases[0] ?? current);
  return { agent: delegation.agent?.name ?? 'the delegation', phase, current, isCurrent };
}
