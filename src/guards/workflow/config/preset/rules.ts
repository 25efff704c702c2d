import type { RuleName, RuleSetting } from '../../model';

const REFUSES: RuleSetting = { mode: 'deny', tell: 'both' };
const NOTES: RuleSetting = { mode: 'observe', tell: 'log' };

/** How strict each rule is unless somebody says otherwise. */
export const RULE_DEFAULTS: Readonly<Record<RuleName, RuleSetting>> = {
  'iteration-corridor': REFUSES,
  'skill-validator': REFUSES,
  'phase-loop-controller': REFUSES,
  'plan-surfacer': REFUSES,
  'phase-sequence-guard': REFUSES,
  'gate-blocker': REFUSES,
  'constitution-validator': REFUSES,
  'branch-guard': REFUSES,
  'state-write-validator': REFUSES,
  'log-skill-usage': NOTES,
  'menu-tracker': { mode: 'warn', tell: 'agent' },
  'walkthrough-tracker': { mode: 'warn', tell: 'both' },
  'discover-menu-guard': { mode: 'warn', tell: 'both' },
  'skill-delegation-enforcer': { mode: 'warn', tell: 'agent' },
  'test-watcher': { mode: 'warn', tell: 'agent' },
  'review-reminder': { mode: 'warn', tell: 'person' },
  'delegation-gate': REFUSES,
  'model-provider-router': { mode: 'disabled', tell: 'log' },
};

/** The router's, where models are set: who sets them wants them used. */
export const ROUTING: RuleSetting = { mode: 'warn', tell: 'log' };
