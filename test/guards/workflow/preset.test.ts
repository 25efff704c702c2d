import * as v from 'valibot';
import { describe, expect, it, test } from 'vitest';
import { builtinModel } from '../../../src/guards/workflow/config/compile';
import { ISDLC } from '../../../src/guards/workflow/config/preset';
import { workflow } from '../../../src/guards/workflow/config/schema';
import {
  isSamePhase,
  needsPlan,
  ownersOf,
  requirementsOf,
  workflowNamed,
} from '../../../src/guards/workflow/model';

const model = builtinModel();

test('the preset is written as a user writes a section', () => {
  const judged = v.safeParse(workflow, ISDLC);
  expect(judged.issues).toBeUndefined();
});

test('the model goes through JSON unchanged', () => {
  expect(JSON.parse(JSON.stringify(model))).toEqual(model);
});

test('there are the seven workflows, in the order of work and not of the numbers', () => {
  const shown = model.workflows.map(({ name, phases }) => [
    name,
    phases.map((phase) => phase.slice(0, 2)).join(' '),
  ]);
  expect(Object.fromEntries(shown)).toEqual({
    feature: '00 01 02 03 04 05 06 11 07 10 08',
    fix: '01 02 05 06 11 07 10 08',
    'test-run': '11 07',
    'test-generate': '05 06 11 07 08',
    'full-lifecycle': '01 03 04 05 06 11 07 08 09 10 12 13 14 15',
    upgrade: '16 16 08',
    'reverse-engineer': 'R1 R2 R3 R4',
  });
});

const PLACES = model.workflows.flatMap(({ name, phases }) => phases.map((phase) => [name, phase] as const));

describe('every phase of every workflow', () => {
  it.each(PLACES)('of %s has an owner: %s', (_, phase) => {
    expect(ownersOf(model, phase).map(({ name }) => name)).not.toEqual([]);
  });

  it.each(PLACES)('of %s has a gate that can be passed: %s', (name, phase) => {
    const asked = requirementsOf(model, name, phase);
    expect(asked.tests?.maxIterations ?? 1).toBeGreaterThan(0);
    expect(asked.tests?.breaker ?? 1).toBeGreaterThan(0);
    expect(asked.constitution?.maxIterations ?? 1).toBeGreaterThan(0);
    expect(asked.elicitation?.finalSelections ?? ['save']).not.toEqual([]);
  });

  it.each(model.workflows.filter(({ plan }) => plan).map(({ name, phases }) => [name, phases] as const))(
    'of %s that waits for the plan comes after the one that makes it',
    (name, phases) => {
      const made = phases.indexOf('01-requirements');
      const waiting = phases.filter((phase) => needsPlan(model, name, phase));
      expect(waiting).not.toEqual([]);
      for (const phase of waiting) expect(phases.indexOf(phase)).toBeGreaterThan(made);
    },
  );
});

test('only workflows that make a plan wait for one', () => {
  const waiting = model.workflows.filter(({ plan }) => plan).map(({ name }) => name);
  expect(waiting).toEqual(['feature', 'fix', 'full-lifecycle']);
  expect(needsPlan(model, 'test-run', '11-local-testing')).toBe(false);
  expect(needsPlan(model, 'feature', '05-test-strategy')).toBe(false);
  expect(needsPlan(model, 'something else', '06-implementation')).toBe(true);
  expect(needsPlan(model, undefined, '05-implementation')).toBe(true);
});

test.each([
  ['01-requirements', 'elicit 3, I IV VII IX XII (5), delegate'],
  ['02-tracing', 'IV VII IX (3), delegate'],
  ['06-implementation', 'test 10/3, I II III V VI VII VIII IX X (5), delegate'],
  ['07-testing', 'test 10/3, II VII IX XI (5), delegate, note cloud_configuration'],
  ['10-cicd', 'test 5/3, II IX (5), delegate'],
  ['00-quick-scan', ''],
  ['12-remote-build', 'delegate'],
  ['16-upgrade-plan', 'I VII IX X (3), delegate, approve'],
  ['16-upgrade-execute', 'test 5/3, I VII IX X (3), delegate'],
  ['13-production', 'IX X (5), delegate'],
  ['R2-characterization-tests', ''],
  ['constructor', ''],
])('the gate of %s asks for: %s', (phase, expected) => {
  const { tests, constitution, elicitation, delegation, approval, onPass } = requirementsOf(
    model,
    undefined,
    phase,
  );
  const told = [
    tests && `test ${tests.maxIterations}/${tests.breaker}`,
    elicitation && `elicit ${elicitation.minInteractions}`,
    constitution && `${constitution.articles.join(' ')} (${constitution.maxIterations})`,
    delegation && 'delegate',
    approval && 'approve',
    ...(onPass ?? []).map(({ trigger }) => `note ${trigger}`),
  ];
  expect(told.filter((part) => part !== undefined).join(', ')).toBe(expected);
});

describe('a workflow changes what its gates ask for, under the numbers that phases have now', () => {
  it('fix: one question is enough, and the rest of the gate stays', () => {
    expect(requirementsOf(model, 'fix', '01-requirements')).toEqual({
      ...requirementsOf(model, 'feature', '01-requirements'),
      elicitation: { minInteractions: 1, finalSelections: ['save', 'continue'] },
    });
  });

  it('test-run: one run, which only reports', () => {
    const asked = requirementsOf(model, 'test-run', '06-testing');
    expect(asked.tests).toMatchObject({ maxIterations: 1, reportOnly: true });
    expect(asked.constitution).toBeUndefined();
  });

  it('test-generate: five runs', () => {
    expect(requirementsOf(model, 'test-generate', '07-testing').tests?.maxIterations).toBe(5);
  });
});

test.each([
  ['13-test-deploy', '12-test-deploy', true],
  ['11-test-deploy', '12-test-deploy', true],
  ['15-upgrade', '16-upgrade-execute', true],
  ['16-upgrade-plan', '16-upgrade-execute', false],
  ['02-tracing', '02-impact-analysis', false],
  ['constructor', 'toString', false],
])('%s and %s are one phase: %s', (a, b, same) => {
  expect(isSamePhase(model, a, b)).toBe(same);
});

test('phases outside of workflows have no name in them', () => {
  expect(workflowNamed(model, 'constructor')).toBeUndefined();
  expect(workflowNamed(model, undefined)).toBeUndefined();
});
