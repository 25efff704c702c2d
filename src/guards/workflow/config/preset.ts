import { ownValue, type RuleName, type RuleSetting } from '../model';
import type { AgentInput, RequirementsInput, WorkflowInput } from './schema';

/* The built-in workflows, written like a user's config section. Lists are separated by white space. */

const listed = (names: string): string[] => names.split(/\s+/);

/** Phases are in the order of work, which is not that of their numbers. */
export const WORKFLOWS = {
  feature: {
    label: 'New feature',
    phases:
      listed(`00-quick-scan 01-requirements 02-impact-analysis 03-architecture 04-design 05-test-strategy
      06-implementation 11-local-testing 07-testing 10-cicd 08-code-review`),
    branch: 'feature/{artifact}',
    artifact_prefix: 'REQ',
    skip: { '00-quick-scan': 'no-scan' },
  },
  fix: {
    label: 'Bug fix',
    phases: listed(`01-requirements 02-tracing 05-test-strategy
      06-implementation 11-local-testing 07-testing 10-cicd 08-code-review`),
    branch: 'bugfix/{artifact}',
    artifact_prefix: 'BUG',
    skip: { '02-tracing': 'no-tracing' },
  },
  'test-run': { label: 'Run tests', phases: listed('11-local-testing 07-testing'), artifact_prefix: 'TEST' },
  'test-generate': {
    label: 'Generate tests',
    phases: listed('05-test-strategy 06-implementation 11-local-testing 07-testing 08-code-review'),
    artifact_prefix: 'TEST',
  },
  'full-lifecycle': {
    label: 'Full lifecycle',
    phases: listed(`01-requirements 03-architecture 04-design 05-test-strategy 06-implementation
      11-local-testing 07-testing 08-code-review 09-validation 10-cicd
      12-remote-build 13-test-deploy 14-production 15-operations`),
    branch: 'feature/{artifact}',
    artifact_prefix: 'REQ',
  },
  upgrade: {
    label: 'Upgrade of a dependency or tool',
    phases: listed('16-upgrade-plan 16-upgrade-execute 08-code-review'),
    branch: 'upgrade/{artifact}',
    artifact_prefix: 'UPG',
  },
  'reverse-engineer': {
    label: 'Reverse engineering',
    phases: listed('R1-behavior-extraction R2-characterization-tests R3-artifact-integration R4-atdd-bridge'),
    gate_mode: 'permissive',
    artifact_prefix: 'REV',
  },
} satisfies WorkflowInput['workflows'];

/** Phases that build something and need a plan. The plan is made when the requirements are known. */
const PLANNED = listed(`06-implementation 07-testing 08-code-review 09-validation 10-cicd 11-local-testing
  12-remote-build 13-test-deploy 14-production 15-operations
  16-upgrade-plan 16-upgrade-execute 16-quality-loop`);

const UPGRADE = ['16-upgrade-plan', '16-upgrade-execute'];

/** The phase numbers of four generations of iSDLC files, all of which are still in use. */
const PHASE_ALIASES: Readonly<Record<string, string | string[]>> = {
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
};

/** The phases of the preset for a name of any generation. */
export function presetPhases(name: string): readonly string[] {
  return [ownValue(PHASE_ALIASES, name) ?? name].flat();
}

function owner(phases: string, aliases?: string): AgentInput {
  return { kind: 'phase', phases: listed(phases), aliases: aliases === undefined ? [] : listed(aliases) };
}

function helpers(phase: string, names: string): Record<string, AgentInput> {
  return Object.fromEntries(
    listed(names).map((name) => [name, { kind: 'sub', phases: [phase], aliases: [] } as const]),
  );
}

/** An agent that prepares projects; it may also do a phase of reverse engineering. */
function setup(aliases: string, phase?: string): AgentInput {
  return { kind: 'setup', aliases: listed(aliases), ...(phase !== undefined && { phases: [phase] }) };
}

/** If several agents work in a phase, messages name the first owner. */
export const AGENTS: Readonly<Record<string, AgentInput>> = {
  'sdlc-orchestrator': { kind: 'orchestrator', aliases: ['orchestrator'] },
  'skill-manager': { kind: 'orchestrator' },
  'discover-orchestrator': setup('d0 discovery'),
  'architecture-analyzer': setup('d1 arch-analyzer'),
  'test-evaluator': setup('d2'),
  'constitution-generator': setup('d3'),
  'skills-researcher': setup('d4'),
  'data-model-analyzer': setup('d5'),
  'feature-mapper': setup('d6', 'R1-behavior-extraction'),
  'product-analyst': setup('d7'),
  'architecture-designer': setup('d8 arch-designer'),
  'characterization-test-generator': setup('r2', 'R2-characterization-tests'),
  'artifact-integration': setup('r3', 'R3-artifact-integration'),
  'atdd-bridge': setup('r4', 'R4-atdd-bridge'),
  'quick-scan-agent': owner('00-quick-scan', 'quick-scan'),
  'requirements-analyst': owner('01-requirements', 'requirements'),
  'impact-analysis-orchestrator': owner('02-impact-analysis'),
  ...helpers(
    '02-impact-analysis',
    'impact-analyzer entry-point-finder risk-assessor cross-validation-verifier',
  ),
  'tracing-orchestrator': owner('02-tracing'),
  ...helpers('02-tracing', 'symptom-analyzer execution-path-tracer root-cause-identifier'),
  'solution-architect': owner('03-architecture', 'architect'),
  'system-designer': owner('04-design', 'designer'),
  'test-design-engineer': owner('05-test-strategy', 'test-design'),
  ...helpers('05-test-strategy', 'test-strategy-critic test-strategy-refiner'),
  'software-developer': owner('06-implementation', 'developer'),
  'integration-tester': owner('07-testing', 'tester'),
  'qa-engineer': owner('08-code-review', 'qa'),
  'security-compliance-auditor': owner('09-validation', 'security'),
  'cicd-engineer': owner('10-cicd', 'cicd'),
  'environment-builder': owner('11-local-testing 12-remote-build', 'dev-env dev-environment-engineer'),
  'deployment-engineer-staging': owner('13-test-deploy', 'staging'),
  'release-manager': owner('14-production', 'release'),
  'site-reliability-engineer': owner('15-operations', 'sre'),
  'upgrade-engineer': owner('16-upgrade-plan 16-upgrade-execute'),
  'quality-loop-engineer': owner('16-quality-loop'),
};

/** Articles of the constitution to check, in at most so many rounds. */
function checked(articles: string, rounds = 5): RequirementsInput {
  return { constitution: { articles: listed(articles), max_iterations: rounds }, delegation: true };
}

function tested(runs: number, coverage?: number): RequirementsInput {
  const least = coverage === undefined ? {} : { min_coverage: coverage };
  return { tests: { max_iterations: runs, same_failures: 3, ...least } };
}

/** Recorded when the testing gate is passed, unless the project has a cloud provider. */
export const CLOUD = [{ trigger: 'cloud_configuration', unless_set: ['cloud_configuration', 'provider'] }];

const ORCHESTRATED = { agent: 'sdlc-orchestrator', exempt: ['add', 'analyze'] };

export const ISDLC: WorkflowInput = {
  workflows: WORKFLOWS,
  phases: {
    '01-requirements': { makes_plan: true },
    ...Object.fromEntries(PLANNED.map((phase) => [phase, { needs_plan: true }])),
  },
  agents: AGENTS,
  phase_aliases: PHASE_ALIASES,
  requirements: {
    '01-requirements': { elicitation: true, ...checked('I IV VII IX XII') },
    '02-impact-analysis': checked('IV VII IX', 3),
    '02-tracing': checked('IV VII IX', 3),
    '03-architecture': checked('III IV V VII IX X'),
    '04-design': checked('I IV V VII IX'),
    '05-test-strategy': checked('II VII IX XI'),
    '06-implementation': { ...tested(10, 80), ...checked('I II III V VI VII VIII IX X') },
    '07-testing': { ...tested(10, 70), ...checked('II VII IX XI'), on_pass: CLOUD },
    '08-code-review': checked('V VI VII VIII IX'),
    '09-validation': checked('III IX X XII'),
    '10-cicd': { ...tested(5), ...checked('II IX') },
    '11-local-testing': checked('VIII IX'),
    '12-remote-build': { delegation: true },
    '13-test-deploy': checked('IX X'),
    '14-production': checked('IX X'),
    '15-operations': checked('VIII IX XII'),
    '16-upgrade-plan': { ...checked('I VII IX X', 3), approval: true },
    '16-upgrade-execute': { ...tested(5), ...checked('I VII IX X', 3) },
    '16-quality-loop': { ...tested(10, 80), ...checked('II III V VI VII IX XI') },
  },
  // Workflows that require less.
  overrides: {
    fix: { '01-requirements': { elicitation: { min_interactions: 1 } } },
    'test-run': { '07-testing': { tests: { max_iterations: 1, report_only: true }, constitution: false } },
    'test-generate': {
      '05-test-strategy': { constitution: false },
      '07-testing': { tests: { max_iterations: 5 } },
    },
  },
  setup_commands: [
    ...listed('discover constitution init setup configure configure-cloud'),
    ...['new project', 'project setup', 'install', 'status'],
  ],
  must_delegate: { sdlc: ORCHESTRATED, isdlc: ORCHESTRATED, discover: { agent: 'discover-orchestrator' } },
};

export const DENIES: RuleSetting = { mode: 'deny', tell: 'both' };

/** The default mode of each rule; `deny` if it is not listed. */
export const RULE_DEFAULTS: Readonly<Partial<Record<RuleName, RuleSetting>>> = {
  'log-skill-usage': { mode: 'observe', tell: 'log' },
  'menu-tracker': { mode: 'warn', tell: 'agent' },
  'walkthrough-tracker': { mode: 'warn', tell: 'both' },
  'discover-menu-guard': { mode: 'warn', tell: 'both' },
  'skill-delegation-enforcer': { mode: 'warn', tell: 'agent' },
  'test-watcher': { mode: 'warn', tell: 'agent' },
  'review-reminder': { mode: 'warn', tell: 'person' },
  'model-provider-router': { mode: 'warn', tell: 'log' },
};
