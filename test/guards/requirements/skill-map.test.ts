import { expect, test } from 'vitest';
import type { RequirementsConfig } from '../../../src/guards/requirements/config';
import { readFiles } from '../../config/scratch';

function skills(requirements: string): RequirementsConfig['skills'] {
  const { guards } = readFiles({ '.claude/requirements.yaml': `requirements: {${requirements}}\n` });
  return (guards as unknown as readonly { config: RequirementsConfig }[])[0]!.config.skills;
}

const ON = '{enabled: true}';

test.each([
  ['arch-review', ['commit_plan', 'adr_reviewed', 'tdd_planned', 'solid_reviewed']],
  ['plan-review', ['commit_plan', 'adr_reviewed', 'tdd_planned', 'solid_reviewed']],
  ['deep-review', ['pre_pr_review']],
  ['v3-review', ['pre_pr_review']],
  ['quality-check', ['pre_pr_review']],
  ['pre-commit', ['pre_commit_review']],
  ['requesting-code-review', ['pre_commit_review']],
  ['codex-review', ['codex_reviewer']],
  ['brainstorming', ['design_approved']],
  ['writing-plans', ['plan_written', 'commit_plan']],
  ['test-driven-development', ['tdd_planned']],
  ['systematic-debugging', ['debugging_systematic']],
  ['verification-before-completion', ['verification_evidence']],
])('%s satisfies what it always did, by its full name and the short one', (skill, names) => {
  const map = skills(names.map((name) => `${name}: ${ON}`).join(', '));
  expect(map[`requirements-framework:${skill}`]).toEqual(names);
  expect(map[skill]).toEqual(names);
});

test('only enabled requirements are satisfied', () => {
  expect(skills(`commit_plan: {enabled: false}, adr_reviewed: ${ON}`)['arch-review']).toEqual([
    'adr_reviewed',
  ]);
  expect(skills('pre_pr_review: {enabled: false}, other: {enabled: true}')).toEqual({});
});

test('the config adds skills and takes none away', () => {
  const map = skills('commit_plan: {enabled: true, satisfied_by_skill: "mine:plan-it"}');
  expect(map['mine:plan-it']).toEqual(['commit_plan']);
  expect(map['plan-it']).toEqual(['commit_plan']);
  expect(map['arch-review']).toEqual(['commit_plan']);
});

test('one skill may satisfy several, in the order of the config', () => {
  const by = '{enabled: true, satisfied_by_skill: review}';
  expect(
    skills(`b: ${by}, a: ${by}, commit_plan: {enabled: true, satisfied_by_skill: arch-review}`),
  ).toMatchObject({
    review: ['b', 'a'],
    'arch-review': ['commit_plan'],
  });
});

test('the skill that is only named to the agent satisfies nothing', () => {
  expect(skills('plan: {enabled: true, auto_resolve_skill: plan-it}')).toEqual({});
});
