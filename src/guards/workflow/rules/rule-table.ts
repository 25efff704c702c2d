import type { Rule } from '../finding';
import { RULE_NAMES, type RuleName } from '../model';
import { branchGuard } from './branch-guard';
import { constitutionValidator } from './constitution-validator';
import { delegationGate } from './delegation-gate';
import { discoverMenuGuard } from './discover-menu-guard';
import { gateBlocker } from './gate-blocker';
import { iterationCorridor } from './iteration-corridor';
import { logSkillUsage } from './log-skill-usage';
import { menuTracker } from './menu-tracker';
import { modelProviderRouter } from './model-provider-router';
import { phaseLoopController } from './phase-loop-controller';
import { phaseSequenceGuard } from './phase-sequence-guard';
import { planSurfacer } from './plan-surfacer';
import { reviewReminder } from './review-reminder';
import { skillDelegationEnforcer } from './skill-delegation-enforcer';
import { skillValidator } from './skill-validator';
import { stateWriteValidator } from './state-write-validator';
import { testWatcher } from './test-watcher';
import { walkthroughTracker } from './walkthrough-tracker';

/** Every rule has its function: one that is missing does not compile. */
const FUNCTIONS: Readonly<Record<RuleName, Rule>> = {
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

/** The rules in the order in which they are heard. */
export const RULES: readonly { readonly name: RuleName; readonly rule: Rule }[] = RULE_NAMES.map((name) => ({
  name,
  rule: FUNCTIONS[name],
}));
