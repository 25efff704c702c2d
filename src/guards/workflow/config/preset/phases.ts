import type { WorkflowInput } from '../schema';

const LATE = { needs_plan: true };

/** The plan is made when the requirements are known; nothing is built without it. */
export const PHASES = {
  '01-requirements': { makes_plan: true },
  '06-implementation': LATE,
  '07-testing': LATE,
  '08-code-review': LATE,
  '09-validation': LATE,
  '10-cicd': LATE,
  '11-local-testing': LATE,
  '12-remote-build': LATE,
  '13-test-deploy': LATE,
  '14-production': LATE,
  '15-operations': LATE,
  '16-upgrade-plan': LATE,
  '16-upgrade-execute': LATE,
  '16-quality-loop': LATE,
} satisfies WorkflowInput['phases'];

const UPGRADE = ['16-upgrade-plan', '16-upgrade-execute'];

/** The numberings of four generations of files, all of which are still around. */
export const PHASE_ALIASES = {
  '00-mapping': '02-impact-analysis',
  '00-tracing': '02-tracing',
  '02-architecture': '03-architecture',
  '03-design': '04-design',
  '04-test-strategy': '05-test-strategy',
  '05-implementation': '06-implementation',
  '06-testing': '07-testing',
  '07-code-review': '08-code-review',
  '08-validation': '09-validation',
  '09-cicd': '10-cicd',
  '10-local-dev': '11-local-testing',
  '10-local-testing': '11-local-testing',
  '11-staging': '13-test-deploy',
  '11-test-deploy': '13-test-deploy',
  '12-test-deploy': '13-test-deploy',
  '12-production': '14-production',
  '13-production': '14-production',
  '13-operations': '15-operations',
  '14-operations': '15-operations',
  '14-upgrade': UPGRADE,
  '15-upgrade': UPGRADE,
  '15-upgrade-plan': '16-upgrade-plan',
  '15-upgrade-execute': '16-upgrade-execute',
} satisfies WorkflowInput['phase_aliases'];

const BY_ALIAS = new Map<string, string | readonly string[]>(Object.entries(PHASE_ALIASES));

/** The phases of the preset that a name of any numbering means. */
export function presetPhases(name: string): readonly string[] {
  return [BY_ALIAS.get(name) ?? name].flat();
}
