import { describe, expect, it, test } from 'vitest';
import { agentNamed } from '../../../src/guards/workflow/delegation';
import { needsPlan, requirementsOf, workflowNamed } from '../../../src/guards/workflow/model';
import { IN_USE, modelOf, OURS, read, toldOf } from './models';

const files = (...lines: string[]) => ({
  ...IN_USE,
  [OURS]: `workflow:\n${lines.map((line) => `  ${line}\n`).join('')}`,
});

/** The one complaint, with the hint that goes with it. */
function complaint(...lines: string[]): string {
  const { diagnostics } = read(files(...lines));
  return diagnostics
    .map(
      ({ place, message, hint }) =>
        `${place.line}:${place.column} ${message}${hint === undefined ? '' : ` | ${hint}`}`,
    )
    .join('\n');
}

describe('keys and values', () => {
  it.each([
    ['an unknown key', ['workflws: {}'], '2:3', '`workflws`'],
    ['an unknown rule', ['rules: {branch-gard: {mode: deny}}'], '2:11', '`branch-gard`'],
    ['an unknown key of a rule', ['rules: {branch-guard: {mod: deny}}'], '2:26', '`mod`'],
    [
      'a mode that there is not',
      ['rules: {branch-guard: {mode: block}}'],
      '2:32',
      'disabled, observe, warn, ask, deny',
    ],
    [
      'no iterations',
      ['requirements: {06-implementation: {tests: {max_iterations: 0}}}'],
      '2:62',
      'at least 1',
    ],
    [
      'no final choice',
      ['requirements: {01-requirements: {elicitation: {final_selections: []}}}'],
      '2:68',
      'at least one choice',
    ],
    [
      'an article that is not a Roman numeral',
      ['requirements: {06-implementation: {constitution: {articles: [I, "2"]}}}'],
      '2:67',
      'must be a Roman numeral',
    ],
    ['a path out of the project', ['plan_paths: [../PLAN.md]'], '2:16', 'below the project'],
    ['another preset', ['extends: preset:scrum'], '2:12', 'preset:isdlc'],
    ['true for a branch', ['workflows: {feature: {branch: true}}'], '2:33', 'must be false'],
  ])('%s is an error with its place', (_, lines, place, words) => {
    const [first = ''] = complaint(...lines).split('\n');
    expect(first.slice(0, place.length + 1)).toBe(`${place} `);
    expect(first).toContain(words);
  });

  it('and all else of the section stays in force', () => {
    const model = modelOf(
      files('workflws: {}', 'rules: {branch-guard: {mode: block}, plan-surfacer: {mode: ask}}'),
    );
    expect(model.rules['branch-guard'].mode).toBe('deny');
    expect(model.rules['plan-surfacer'].mode).toBe('ask');
    expect(model.problems).toHaveLength(2);
  });
});

describe('no two things wait for each other', () => {
  it('workflows that extend each other in a circle', () => {
    const lines = ['workflows: {a: {extends: b}, b: {extends: a}}'];
    expect(complaint(...lines)).toContain('extend each other: a, b');
    expect(modelOf(files(...lines)).workflows).toHaveLength(7);
  });

  it('aliases that lead back to themselves', () => {
    const lines = ['phase_aliases: {x: y, y: x, z: 06-implementation}'];
    expect(complaint(...lines)).toContain('phase alias `x` refers to itself');
    expect(modelOf(files(...lines)).phaseAliases).toMatchObject({ z: ['06-implementation'] });
    expect(modelOf(files(...lines)).phaseAliases).not.toHaveProperty('x');
  });

  it('a phase that waits for a plan made later goes without it', () => {
    const lines = ['workflows: {odd: {phases: [06-implementation, 01-requirements, 07-testing]}}'];
    expect(complaint(...lines)).toContain(
      'phase `06-implementation` needs a plan that only the later phase `01-requirements` makes',
    );
    expect(needsPlan(modelOf(files(...lines)), 'odd', '07-testing')).toBe(false);
  });
});

describe('every phase has an owner', () => {
  const lines = [
    'workflows: {ship: {phases: [06-implementation, 17-ship]}}',
    'requirements: {17-ship: {delegation: true, approval: true}}',
  ];

  it('one without is an error that says how to give it one', () => {
    expect(complaint(...lines)).toBe(
      '2:50 no agent works in phase `17-ship` of workflow `ship`, so any agent may do it' +
        ' | add one: agents: {my-agent: {phases: [17-ship]}}',
    );
  });

  it('and its gate can be passed all the same', () => {
    expect(requirementsOf(modelOf(files(...lines)), 'ship', '17-ship')).toEqual({ approval: true });
  });

  it('also where the agent that owned it was taken away', () => {
    const taken = ['agents: {upgrade-engineer: {kind: generic}}'];
    expect(complaint(...taken)).toContain('no agent works in phase `16-upgrade-plan` of workflow `upgrade`');
    expect(requirementsOf(modelOf(files(...taken)), 'upgrade', '16-upgrade-plan').delegation).toBeUndefined();
  });

  it('an agent without phases is nobody', () => {
    expect(complaint('agents: {helper: {aliases: [h]}}')).toContain('agent `helper` has no phases');
    expect(agentNamed(modelOf(files('agents: {helper: {}}')), 'helper')).toBeUndefined();
  });
});

describe('every phase has a way out', () => {
  it('a workflow without phases is none', () => {
    expect(complaint('workflows: {void: {label: Nothing}}')).toContain('`void` has no phases');
    expect(workflowNamed(modelOf(files('workflows: {void: {}}')), 'void')).toBeUndefined();
  });

  it('a phase that comes twice counts once', () => {
    const lines = ['workflows: {loop: {phases: [06-implementation, 07-testing, 06-implementation]}}'];
    expect(complaint(...lines)).toContain('2:62 workflow `loop` has phase `06-implementation` twice');
    expect(workflowNamed(modelOf(files(...lines)), 'loop')?.phases).toEqual([
      '06-implementation',
      '07-testing',
    ]);
  });
});

test.each([
  ['extends', 'workflows: {a: {extends: featur}}', 'unknown workflow `featur`', 'feature'],
  ['overrides', 'overrides: {fixx: {01-requirements: {approval: true}}}', 'unknown workflow `fixx`', 'fix'],
  [
    'a phase of an override',
    'overrides: {fix: {01-requirement: {approval: true}}}',
    '`fix` has no phase',
    '01-requirements',
  ],
  [
    'a phase of a requirement',
    'requirements: {06-implementaton: {approval: true}}',
    'no workflow has a phase',
    '06-implementation',
  ],
  [
    'a phase of an agent',
    'agents: {a: {phases: [06-implementaton]}}',
    'no workflow has a phase',
    '06-implementation',
  ],
  [
    'a phase to skip',
    'workflows: {fix: {skip: {02-tracin: fast}}}',
    '`fix` has no phase `02-tracin`',
    '02-tracing',
  ],
])('a slip in %s is told with the name that was meant', (_, line, words, meant) => {
  expect(complaint(line)).toContain(words);
  expect(complaint(line)).toContain(`| did you mean \`${meant}\`?`);
});

test.each([
  ['removes a phase that is not there', '{remove: [99-x]}', 'has no phase `99-x`'],
  ['adds one that is', '{add: [{phase: 07-testing}]}', 'has phase `07-testing` twice'],
  ['moves one that is not there', '{move: [{phase: 99-x}]}', 'has no phase `99-x`'],
  [
    'adds one both before and after',
    '{add: [{phase: 99-x, after: 07-testing, before: 08-code-review}]}',
    'either `before` or `after`',
  ],
  [
    'moves one after itself',
    '{move: [{phase: 07-testing, after: 07-testing}]}',
    'cannot be moved relative to itself',
  ],
  ['moves one to nowhere', '{move: [{phase: 07-testing, after: 99-x}]}', 'has no phase `99-x`'],
])('an edit that %s is told, and the workflow stays as it is', (_, phases, words) => {
  const line = `workflows: {feature: {phases: ${phases}}}`;
  expect(complaint(line)).toContain(words);
  expect(workflowNamed(modelOf(files(line)), 'feature')?.phases).toHaveLength(11);
});

test.each([
  ['edits without a base', 'workflows: {mine: {phases: {remove: [a]}}}', 'extends no workflow'],
  [
    'an alias that is taken',
    'agents: {a: {phases: [07-testing], aliases: [qa-engineer]}}',
    'which is `qa-engineer`',
  ],
  ['an id that is a path', 'projects: {paths: {../x: apps}}', 'not a valid project id'],
  ['a default that is no project', 'projects: {default: b, paths: {a: apps}}', 'which is not a project'],
])('%s', (_, line, words) => {
  expect(complaint(line)).toContain(words);
});

test('nothing is said of what is right', () => {
  expect(toldOf(files('rules: {branch-guard: {mode: deny}}'))).toEqual([]);
});
