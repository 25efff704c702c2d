import type { RequirementsInput } from '../requirement-schema';
import type { WorkflowInput } from '../schema';

/** The articles by their numerals, `I IV VII`, and how often they may be gone through. */
function checked(articles: string, rounds = 5): RequirementsInput {
  return { constitution: { articles: articles.split(' '), max_iterations: rounds }, delegation: true };
}

function tested(runs: number, coverage?: number): RequirementsInput {
  const least = coverage === undefined ? {} : { min_coverage: coverage };
  return { tests: { max_iterations: runs, same_failures: 3, ...least } };
}

/** What each phase has to prove, whatever the workflow. */
export const REQUIREMENTS = {
  '01-requirements': {
    elicitation: { min_interactions: 3, final_selections: ['save', 'continue'] },
    ...checked('I IV VII IX XII'),
  },
  '02-impact-analysis': checked('IV VII IX', 3),
  '02-tracing': checked('IV VII IX', 3),
  '03-architecture': checked('III IV V VII IX X'),
  '04-design': checked('I IV V VII IX'),
  '05-test-strategy': checked('II VII IX XI'),
  '06-implementation': { ...tested(10, 80), ...checked('I II III V VI VII VIII IX X') },
  '07-testing': {
    ...tested(10, 70),
    ...checked('II VII IX XI'),
    on_pass: [{ trigger: 'cloud_configuration', unless_set: ['cloud_configuration', 'provider'] }],
  },
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
} satisfies WorkflowInput['requirements'];

/** Where a workflow asks for less. */
export const OVERRIDES = {
  fix: { '01-requirements': { elicitation: { min_interactions: 1 } } },
  'test-run': { '07-testing': { tests: { max_iterations: 1, report_only: true }, constitution: false } },
  'test-generate': {
    '05-test-strategy': { constitution: false },
    '07-testing': { tests: { max_iterations: 5 } },
  },
} satisfies WorkflowInput['overrides'];
