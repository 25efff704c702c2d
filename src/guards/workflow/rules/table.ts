import { advanceAttempt, completionClaim } from '../attempts';
import type { Facts, Finding, Rule } from '../facts';
import { commandEffects } from '../facts';
import type { RuleName } from '../model';
import { stateUnreadable } from '../place';
import { branchGuard, protectedWrite, reviewReminder } from './branch';
import {
  modelProviderRouter,
  phaseLoopController,
  phaseSequenceGuard,
  planSurfacer,
  skillValidator,
} from './delegations';
import { discoverMenuGuard, walkthroughTracker } from './discovery';
import { constitutionValidator, gateBlocker, iterationCorridor } from './gates';
import { delegationGate, skillDelegationEnforcer } from './obligations';
import { logSkillUsage, menuTracker } from './records';
import { stateWriteValidator } from './state-writes';
import { testWatcher } from './tests';

/** The function of each rule. */
export const RULES: Readonly<Record<RuleName, Rule>> = {
  'iteration-corridor': iterationCorridor,
  'skill-validator': skillValidator,
  'phase-loop-controller': phaseLoopController,
  'plan-surfacer': planSurfacer,
  'phase-sequence-guard': phaseSequenceGuard,
  'gate-blocker': gateBlocker,
  'constitution-validator': constitutionValidator,
  'branch-guard': branchGuard,
  'state-write-validator': stateWriteValidator,
  'log-skill-usage': logSkillUsage,
  'menu-tracker': menuTracker,
  'walkthrough-tracker': walkthroughTracker,
  'discover-menu-guard': discoverMenuGuard,
  'skill-delegation-enforcer': skillDelegationEnforcer,
  'test-watcher': testWatcher,
  'review-reminder': reviewReminder,
  'delegation-gate': delegationGate,
  'model-provider-router': modelProviderRouter,
};

type Concerns = Readonly<Partial<Record<RuleName, (facts: Facts) => boolean>>>;

const isPhaseWork = ({ delegation }: Facts): boolean => delegation.kind === 'phase';

/** Rules that must not let pass what they cannot judge, each with what it would have judged. */
const JUDGES: Concerns = {
  'phase-loop-controller': isPhaseWork,
  'plan-surfacer': isPhaseWork,
  'phase-sequence-guard': isPhaseWork,
  'iteration-corridor': (facts) => advanceAttempt(facts, true) !== undefined,
  'gate-blocker': (facts) => advanceAttempt(facts, false) !== undefined,
  'constitution-validator': (facts) => completionClaim(facts) !== undefined,
  'branch-guard': (facts) => protectedWrite(facts) !== undefined,
};

/** Rules that record something, each with when it would have; people who rely on the record have to know. */
const RECORDERS: Concerns = {
  'log-skill-usage': ({ call, event }) => event.kind === 'tool.after' && call?.op === 'agent',
  'test-watcher': (facts) =>
    facts.event.kind === 'tool.after' && (commandEffects(facts)?.tests.length ?? 0) > 0,
  'delegation-gate': ({ event }) => event.kind === 'turn.stop',
};

/** What a rule says where the state cannot be read. A missing state is different: no workflow is active then. */
export function unreadableFinding(name: RuleName, facts: Facts): Finding | undefined {
  if (facts.unreadable === undefined) return undefined;
  const { file, why } = facts.unreadable;
  const fact = `${file} ${why}`;
  if (RECORDERS[name]?.(facts) === true) {
    const text = `WORKFLOW STATE UNREADABLE: ${fact}, so nothing of the workflow is kept or asked for until a person restores it.`;
    return { weight: 'warn', text, fact };
  }
  if (facts.event.kind !== 'tool.before' || JUDGES[name]?.(facts) !== true) return undefined;
  return { weight: 'deny', text: stateUnreadable(file, why), fact, waive: 'a person' };
}
