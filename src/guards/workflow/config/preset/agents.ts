import type { AgentInput } from '../schema';

function owner(phases: readonly string[], ...aliases: readonly string[]): AgentInput {
  return { kind: 'phase', phases: [...phases], aliases: [...aliases] };
}

function helper(phase: string, ...aliases: readonly string[]): AgentInput {
  return { kind: 'sub', phases: [phase], aliases: [...aliases] };
}

function setup(...aliases: readonly string[]): AgentInput {
  return { kind: 'setup', aliases: [...aliases] };
}

/** Prepares projects, and does one phase of reverse engineering besides. */
function setupFor(phase: string, ...aliases: readonly string[]): AgentInput {
  return { ...setup(...aliases), phases: [phase] };
}

/** The built-in agents; where several work in a phase, the first owner is the one to name. */
export const AGENTS: Readonly<Record<string, AgentInput>> = {
  'sdlc-orchestrator': { kind: 'orchestrator', aliases: ['orchestrator'] },
  'skill-manager': { kind: 'orchestrator' },
  'discover-orchestrator': setup('d0', 'discovery'),
  'architecture-analyzer': setup('d1', 'arch-analyzer'),
  'test-evaluator': setup('d2'),
  'constitution-generator': setup('d3'),
  'skills-researcher': setup('d4'),
  'data-model-analyzer': setup('d5'),
  'feature-mapper': setupFor('R1-behavior-extraction', 'd6'),
  'product-analyst': setup('d7'),
  'architecture-designer': setup('d8', 'arch-designer'),
  'characterization-test-generator': setupFor('R2-characterization-tests', 'r2'),
  'artifact-integration': setupFor('R3-artifact-integration', 'r3'),
  'atdd-bridge': setupFor('R4-atdd-bridge', 'r4'),
  'quick-scan-agent': owner(['00-quick-scan'], 'quick-scan'),
  'requirements-analyst': owner(['01-requirements'], 'requirements'),
  'impact-analysis-orchestrator': owner(['02-impact-analysis']),
  'impact-analyzer': helper('02-impact-analysis'),
  'entry-point-finder': helper('02-impact-analysis'),
  'risk-assessor': helper('02-impact-analysis'),
  'cross-validation-verifier': helper('02-impact-analysis'),
  'tracing-orchestrator': owner(['02-tracing']),
  'symptom-analyzer': helper('02-tracing'),
  'execution-path-tracer': helper('02-tracing'),
  'root-cause-identifier': helper('02-tracing'),
  'solution-architect': owner(['03-architecture'], 'architect'),
  'system-designer': owner(['04-design'], 'designer'),
  'test-design-engineer': owner(['05-test-strategy'], 'test-design'),
  'test-strategy-critic': helper('05-test-strategy'),
  'test-strategy-refiner': helper('05-test-strategy'),
  'software-developer': owner(['06-implementation'], 'developer'),
  'integration-tester': owner(['07-testing'], 'tester'),
  'qa-engineer': owner(['08-code-review'], 'qa'),
  'security-compliance-auditor': owner(['09-validation'], 'security'),
  'cicd-engineer': owner(['10-cicd'], 'cicd'),
  'environment-builder': owner(
    ['11-local-testing', '12-remote-build'],
    'dev-env',
    'dev-environment-engineer',
  ),
  'deployment-engineer-staging': owner(['13-test-deploy'], 'staging'),
  'release-manager': owner(['14-production'], 'release'),
  'site-reliability-engineer': owner(['15-operations'], 'sre'),
  'upgrade-engineer': owner(['16-upgrade-plan', '16-upgrade-execute']),
  'quality-loop-engineer': owner(['16-quality-loop']),
};
