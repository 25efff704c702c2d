import { advanceAttempt } from './attempts';
import { branchWrite, guardedRepository } from './branch-writes';
import type { Facts } from './facts';
import type { Finding } from './finding';
import { stateUnreadable } from './messages';
import type { RuleName } from './model';

/** The rules that cannot let pass what they cannot judge, each with what it would have judged. */
const BLIND: Readonly<Partial<Record<RuleName, (facts: Facts) => boolean>>> = {
  'phase-loop-controller': isPhaseWork,
  'plan-surfacer': isPhaseWork,
  'phase-sequence-guard': isPhaseWork,
  'gate-blocker': (facts) => advanceAttempt(facts, false) !== undefined,
  'branch-guard': writesProtected,
};

/** What a rule says where the state cannot be read. Missing state is another thing: no workflow is active then. */
export function blindFinding(name: RuleName, facts: Facts): Finding | undefined {
  const { unreadable, event } = facts;
  if (unreadable === undefined || event.kind !== 'tool.before' || BLIND[name]?.(facts) !== true)
    return undefined;
  const { file, why } = unreadable;
  return { weight: 'deny', text: stateUnreadable(file, why), fact: `${file} ${why}`, waive: 'a person' };
}

function isPhaseWork({ delegation }: Facts): boolean {
  return delegation.kind === 'phase';
}

function writesProtected({ effects, git, defaultBranch, model }: Facts): boolean {
  const known = { git, ...(defaultBranch !== undefined && { defaultBranch }) };
  const guarded = guardedRepository(known, model.protectedBranches);
  return effects !== undefined && guarded !== undefined && branchWrite(effects, guarded) !== undefined;
}
