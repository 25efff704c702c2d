import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { configJsonSchema } from '../../../src/config/json-schema';
import { compileConfig } from '../../../src/core/compile-config';
import { stampOf } from '../../../src/core/project';
import { builtinModel } from '../../../src/guards/workflow/config/compile';
import { guard } from '../../../src/guards/workflow/index';
import { ownersOf, requirementsOf, workflowNamed } from '../../../src/guards/workflow/model';
import { workflowSection } from '../../../src/guards/workflow/section';
import { type Files, inScratch } from '../../config/scratch';
import { IN_USE, modelOf, OURS, toldOf } from './models';

const own = (text: string) => ({ ...IN_USE, [OURS]: text });
const phasesOf = (text: string, name: string) => workflowNamed(modelOf(own(text)), name)?.phases;

describe('whether there are workflows', () => {
  it.each<[string, Files]>([
    ['that says nothing', {}],
    ['that has other config', { [OURS]: 'gates: {}\n' }],
    ['with files for the hooks of the older program alone', { '.claude/hooks/config/workflows.json': '{' }],
    ['whose person has a file', { '~/.config/holdpoint/config.yaml': 'workflow: {extends: preset:isdlc}\n' }],
  ])('a project %s has those that are started by hand', (_, files) => {
    const model = modelOf(files);
    expect(model).toEqual({ ...builtinModel(), byHand: true });
    const watched = guard.interest(model);
    expect(watched.length).toBeGreaterThan(3);
    for (const { whenFile } of watched) expect(whenFile).toEqual(['holdpoint/workflow.json']);
  });

  it('a project that uses the older program has the built-in ones', () => {
    expect(toldOf(IN_USE)).toEqual([]);
    expect(modelOf(IN_USE)).toEqual(builtinModel());
  });

  it('so has one that only sets how strict the rules are', () => {
    const model = modelOf({ [OURS]: 'workflow: {rules: {plan-surfacer: {mode: warn}}}\n' });
    expect(model.workflows).toEqual(builtinModel().workflows);
    expect(model.rules['plan-surfacer']).toEqual({ mode: 'warn', tell: 'both' });
  });

  it('one with workflows of its own has those alone', () => {
    const text =
      'workflow:\n  workflows: {ship: {phases: [build]}}\n  agents: {builder: {phases: [build]}}\n';
    const model = modelOf({ [OURS]: text });
    expect(toldOf({ [OURS]: text })).toEqual([]);
    expect(model.workflows.map(({ name }) => name)).toEqual(['ship']);
    expect(model.agents.map(({ name }) => name)).toEqual(['builder']);
  });

  it('unless it extends the preset', () => {
    const text = 'workflow: {extends: preset:isdlc, workflows: {ship: {phases: [06-implementation]}}}\n';
    expect(modelOf({ [OURS]: text }).workflows).toHaveLength(8);
  });

  it('and where the older program is in use the preset can be left out', () => {
    const text =
      'workflow:\n  extends: none\n  workflows: {ship: {phases: [b]}}\n  agents: {a: {phases: [b]}}\n';
    expect(modelOf(own(text)).workflows).toHaveLength(1);
  });
});

describe('a workflow', () => {
  it('extends another with phases removed, added and moved', () => {
    const text = `workflow:
  workflows:
    hotfix:
      extends: fix
      label: Hot fix
      branch: hotfix/{artifact}
      phases:
        remove: [02-tracing, 11-local-testing]
        add: [{phase: 09-validation, after: 07-testing}, {phase: 14-production}]
        move: [{phase: 08-code-review, before: 07-testing}]
`;
    expect(toldOf(own(text))).toEqual([]);
    expect(workflowNamed(modelOf(own(text)), 'hotfix')).toMatchObject({
      label: 'Hot fix',
      branch: 'hotfix/{artifact}',
      artifactPrefix: 'BUG',
      plan: true,
      skips: {},
      phases: [
        '01-requirements',
        '05-test-strategy',
        '06-implementation',
        '08-code-review',
        '07-testing',
        '09-validation',
        '10-cicd',
        '14-production',
      ],
    });
  });

  it('has the overrides of what it extends, and its own on top', () => {
    const text = `workflow:
  workflows: {hotfix: {extends: fix}}
  overrides: {hotfix: {01-requirements: {elicitation: {final_selections: [exit]}, approval: true}}}
`;
    expect(requirementsOf(modelOf(own(text)), 'hotfix', '01-requirements')).toMatchObject({
      elicitation: { minInteractions: 1, finalSelections: ['exit'] },
      approval: true,
      delegation: true,
    });
  });

  it('of the preset is changed where it is written again', () => {
    const text = 'workflow: {workflows: {feature: {branch: false, phases: {remove: [10-cicd]}}}}\n';
    const changed = workflowNamed(modelOf(own(text)), 'feature');
    expect(changed?.phases).not.toContain('10-cicd');
    expect(changed?.branch).toBeUndefined();
    expect(changed?.artifactPrefix).toBe('REQ');
  });

  it('may extend one that stands below it', () => {
    const text = 'workflow: {workflows: {a: {extends: b}, b: {extends: fix, phases: {remove: [10-cicd]}}}}\n';
    expect(phasesOf(text, 'a')).toEqual(phasesOf(text, 'b'));
  });
});

test('requirements change the ones below, part by part', () => {
  const text = `workflow:
  requirements:
    06-implementation: {tests: {max_iterations: 4}, constitution: false, approval: true}
    04-design: {tests: true}
`;
  expect(requirementsOf(modelOf(own(text)), 'feature', '06-implementation')).toEqual({
    tests: { maxIterations: 4, breaker: 3, reportOnly: false, minCoverage: 80 },
    delegation: true,
    approval: true,
  });
  expect(requirementsOf(modelOf(own(text)), 'feature', '04-design').tests).toEqual({
    maxIterations: 10,
    breaker: 3,
    reportOnly: false,
  });
});

test('agents of the project are named before the built-in ones, and one can be made nobody', () => {
  const text = `workflow:
  agents:
    Team Reviewer: {phases: [07-code-review], aliases: [rev]}
    qa-engineer: {kind: generic}
    software-developer: {aliases: [dev]}
`;
  const model = modelOf(own(text));
  expect(toldOf(own(text))).toEqual([]);
  expect(ownersOf(model, '08-code-review').map(({ name }) => name)).toEqual(['team-reviewer']);
  expect(model.agents.find(({ name }) => name === 'software-developer')).toEqual({
    name: 'software-developer',
    kind: 'phase',
    phases: ['06-implementation'],
    aliases: ['dev'],
  });
});

test('all other keys', () => {
  const text = `workflow:
  protected_branches: [trunk, release/*]
  projects: {default: api, paths: {api: ./apps/api/, web: 'apps\\web'}}
  plan_paths: [PLAN.md]
  constitution_paths: [RULES.md]
  test_commands: [make check]
  setup_commands: [Status]
  must_delegate: {ship: {agent: software-developer}}
  models: {agents: {QA Engineer: opus}, phases: {06-implementation: sonnet}, default: haiku}
  discipline: {no_phase_skipping: false}
  phase_aliases: {build: 06-implementation}
  phases: {05-test-strategy: {needs_plan: true}}
`;
  expect(toldOf(own(text))).toEqual([]);
  expect(modelOf(own(text))).toMatchObject({
    protectedBranches: ['trunk', 'release/*'],
    projects: {
      default: 'api',
      list: [
        { id: 'api', path: 'apps/api' },
        { id: 'web', path: 'apps/web' },
      ],
    },
    planPaths: ['PLAN.md'],
    constitutionPaths: ['RULES.md'],
    testCommands: ['make check'],
    setupCommands: ['status'],
    obligations: expect.arrayContaining([{ skill: 'ship', agent: 'software-developer', exempt: [] }]),
    routes: {
      byAgent: { 'qa-engineer': 'opus' },
      byPhase: { '06-implementation': 'sonnet' },
      otherwise: 'haiku',
    },
    rules: { 'model-provider-router': { mode: 'warn', tell: 'log' } },
    discipline: { noPhaseSkipping: false, noHalfwayEntry: true },
    phaseAliases: { build: ['06-implementation'] },
  });
});

test('the layers of a project are one section', () => {
  const files = {
    ...own('workflow: {rules: {branch-guard: {mode: ask}}}\n'),
    '.holdpoint/config.local.yaml': 'workflow: {rules: {branch-guard: {tell: log}}}\n',
  };
  expect(modelOf(files).rules['branch-guard']).toEqual({ mode: 'ask', tell: 'log' });
});

test('the section stands in the JSON Schema with a sentence for each rule', () => {
  const schema = JSON.stringify(configJsonSchema([workflowSection]));
  expect(schema).toContain('"phase-sequence-guard"');
  expect(schema).toContain('no commits to protected branches while a workflow has its own');
  expect(schema).not.toContain('".isdlc"');
});

describe('the compiled config', () => {
  /** The places that look other than they did when the config was compiled. */
  const moved = (files: Files, change: (root: string) => void) =>
    inScratch(files, (root, home) => {
      const { stamps } = compileConfig(root, home);
      change(root);
      return stamps.filter(([file, stamp]) => stampOf(file) !== stamp).map(([file]) => relative(root, file));
    });

  it('is compiled anew once the older program is in use', () => {
    expect(moved({}, (root) => mkdirSync(join(root, '.isdlc')))).toEqual(['.isdlc']);
  });

  it('and not by what is noted in its state', () => {
    const note = (root: string) => {
      writeFileSync(join(root, '.isdlc/state.json'), '{"current_phase": "06-implementation"}');
      writeFileSync(join(root, '.isdlc/tasks.md'), '# Plan\n');
    };
    expect(moved(IN_USE, note)).toEqual([]);
  });

  it('but by a file of the older program', () => {
    expect(moved(IN_USE, (root) => writeFileSync(join(root, '.isdlc/monorepo.json'), '{}'))).toEqual([
      '.isdlc/monorepo.json',
    ]);
  });
});
