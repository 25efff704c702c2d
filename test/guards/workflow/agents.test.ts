import { expect, test } from 'vitest';
import { builtinModel } from '../../../src/guards/workflow/config/compile';
import { agentNamed, notedName, plainAgentName, usageOf } from '../../../src/guards/workflow/delegation';

const model = builtinModel();

test.each([
  ['its name', 'qa-engineer', 'qa-engineer'],
  ['capitals', 'QA-Engineer', 'qa-engineer'],
  ['underscores', 'qa_engineer', 'qa-engineer'],
  ['spaces', 'QA Engineer', 'qa-engineer'],
  ['spaces around it', '  qa-engineer ', 'qa-engineer'],
  ['the plugin that brings it', 'team:qa-engineer', 'qa-engineer'],
  ['plugin, number and capitals', 'Team:07-QA_Engineer', 'qa-engineer'],
  ['its number', '07-qa-engineer', 'qa-engineer'],
  ['a number that it never had', '14-upgrade-engineer', 'upgrade-engineer'],
  ['a number with a letter', 'D0-discover-orchestrator', 'discover-orchestrator'],
  ['a number with two letters', 'IA1-impact-analyzer', 'impact-analyzer'],
  ['an alias', 'QA', 'qa-engineer'],
  ['an alias of the setup', 'd0', 'discover-orchestrator'],
  ['a number before an alias', '05-developer', 'software-developer'],
  ['the older name of a role', '10-dev-environment-engineer', 'environment-builder'],
])('an agent is known by %s', (_, given, name) => {
  expect(agentNamed(model, given)?.name).toBe(name);
});

test.each([
  'Explore',
  'general-purpose',
  'constructor',
  '__proto__',
  'toString',
  '',
  ':',
  '07-',
  'qa-engineer-2',
])('%j is nobody special', (given) => {
  expect(agentNamed(model, given)).toBeUndefined();
});

test('an unknown agent is noted in plain spelling', () => {
  expect(notedName(model, 'My Plugin:Code Reviewer')).toBe('code-reviewer');
  expect(notedName(model, 'qa')).toBe('qa-engineer');
  expect(plainAgentName('A  b_c')).toBe('a-b-c');
});

test.each([
  ['the phase that it owns', 'qa', '06-implementation', '08-code-review'],
  ['the current one of several phases', 'environment-builder', '12-remote-build', '12-remote-build'],
  ['the current one under its older number', 'release-manager', '13-production', '13-production'],
  ['`all` for who runs workflows', 'sdlc-orchestrator', '06-implementation', 'all'],
  ['`setup` for who prepares projects', 'd3', '06-implementation', 'setup'],
  [
    'the phase of the setup agent that owns one',
    'r2',
    'R2-characterization-tests',
    'R2-characterization-tests',
  ],
  ['nothing for an unknown agent', 'Explore', '06-implementation', ''],
])('work is noted under %s', (_, given, current, phase) => {
  expect(usageOf(model, agentNamed(model, given), current).phase).toBe(phase);
});
