/** The disciplines in the order in which they speak. */
export const GUARD_NAMES = ['requirements', 'workflow', 'gates', 'loop'] as const;

export type GuardName = (typeof GUARD_NAMES)[number];

export function isGuardName(name: string): name is GuardName {
  return (GUARD_NAMES as readonly string[]).includes(name);
}

/** The workflow's rules under the names by which settings files may call them one by one. */
export const WORKFLOW_RULES = [
  'iteration-corridor',
  'skill-validator',
  'gate-blocker',
  'constitution-validator',
  'log-skill-usage',
  'menu-tracker',
  'skill-delegation-enforcer',
  'test-watcher',
  'review-reminder',
  'model-provider-router',
  'delegation-gate',
  'phase-loop-controller',
  'plan-surfacer',
  'phase-sequence-guard',
  'branch-guard',
  'state-write-validator',
  'walkthrough-tracker',
  'discover-menu-guard',
] as const;
