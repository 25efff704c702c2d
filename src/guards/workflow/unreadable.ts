import { advanceAttempt, completionClaim } from './attempts';
import { branchWrite, guardedRepository } from './branch-writes';
import type { Facts } from './facts';
import type { Finding } from './finding';
import { stateUnreadable, unkept } from './messages';
import type { RuleName } from './model';

/** The rules that cannot let pass what they cannot judge, each with what it would have judged. */
const BLIND: Readonly<Partial<Record<RuleName, (facts: Facts) => boolean>>> = {
  'phase-loop-controller': isPhaseWork,
  'plan-surfacer': isPhaseWork,
  'phase-sequence-guard': isPhaseWork,
  'iteration-corridor': (facts) => advanceAttempt(facts, true) !== undefined,
  'gate-blocker': (facts) => advanceAttempt(facts, false) !== undefined,
  'constitution-validator': (facts) => completionClaim(facts) !== undefined,
  'branch-guard': writesProtected,
};

/** The rules that keep something, each with when they would have; whoever relies on it has to hear of it. */
const FORGETFUL: Readonly<Partial<Record<RuleName, (facts: Facts) => boolean>>> = {
  'log-skill-usage': ({ call, event }) => event.kind === 'tool.after' && call?.op === 'agent',
  'test-watcher': ({ event, effects }) => event.kind === 'tool.after' && (effects?.tests.length ?? 0) > 0,
  'delegation-gate': ({ event }) => event.kind === 'turn.stop',
};

/** What a rule says where the state cannot be read. Missing state is another thing: no workflow is active then. */
export function blindFinding(name: RuleName, facts: Facts): Finding | undefined {
  const { unreadable, event } = facts;
  if (unreadable === undefined) return undefined;
  const { file, why } = unreadable;
  if (FORGETFUL[name]?.(facts) === true) {
    return { weight: 'warn', text: unkept(file, why), fact: `${file} ${why}` };
  }
  if (event.kind !== 'tool.before' || BLIND[name]?.(facts) !== true) return undefined;
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
