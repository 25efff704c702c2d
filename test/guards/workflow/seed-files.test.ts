import { describe, expect, it, test } from 'vitest';
import { builtinModel } from '../../../src/guards/workflow/config/compile';
import { ownersOf, requirementsOf, workflowNamed } from '../../../src/guards/workflow/model';
import { IN_USE, modelOf, OURS, toldOf } from './models';

const HOOKS = '.claude/hooks/config';
const CONFIG = '.isdlc/config';

const inUse = (files: Readonly<Record<string, unknown>>) => ({
  ...IN_USE,
  ...Object.fromEntries(
    Object.entries(files).map(([path, content]) => [
      path,
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    ]),
  ),
});

describe('workflows.json', () => {
  const files = inUse({
    [`${CONFIG}/workflows.json`]: {
      version: '1.0.0',
      description: 'Workflow definitions',
      workflows: {
        build: {
          label: 'Build',
          command: '/isdlc build',
          phases: ['01-requirements', '06-implementation', '16-quality-loop', '08-code-review'],
          gate_mode: 'strict',
          agent_modifiers: { '06-implementation': { _when_atdd_mode: { a: true } } },
          requires_branch: true,
        },
        fix: {
          phases: ['01-requirements', '02-tracing', '06-implementation'],
          options: { skip_exploration: { flag: '--no-tracing', default: false } },
          agent_modifiers: { '01-requirements': { artifact_prefix: 'DEFECT' } },
          requires_branch: true,
        },
        upgrade: {
          phases: ['15-upgrade-plan', '15-upgrade-execute'],
          agent_modifiers: { '15-upgrade-plan': { require_user_approval: true } },
          requires_branch: false,
        },
      },
      rules: { no_halfway_entry: true, single_active_workflow_per_project: false },
    },
  });
  const model = modelOf(files);

  it('says which workflows there are, and nothing is wrong with its other keys', () => {
    expect(toldOf(files)).toEqual([]);
    expect(model.workflows.map(({ name }) => name)).toEqual(['fix', 'upgrade', 'build']);
    expect(model.discipline).toMatchObject({ noHalfwayEntry: true, singleActiveWorkflow: false });
  });

  it('a workflow that we know keeps what the file has no word for', () => {
    expect(workflowNamed(model, 'fix')).toMatchObject({
      label: 'Bug fix',
      branch: 'bugfix/{artifact}',
      artifactPrefix: 'DEFECT',
      skips: { '02-tracing': 'no-tracing' },
      phases: ['01-requirements', '02-tracing', '06-implementation'],
    });
  });

  it('one that we do not know gets a branch if it asks for one', () => {
    expect(workflowNamed(model, 'build')).toMatchObject({
      branch: 'feature/{artifact}',
      plan: true,
      skips: {},
    });
    expect(workflowNamed(model, 'upgrade')?.branch).toBeUndefined();
  });

  it('phases of any numbering have their owners and their gates', () => {
    expect(ownersOf(model, '15-upgrade-plan').map(({ name }) => name)).toEqual(['upgrade-engineer']);
    expect(requirementsOf(model, 'upgrade', '15-upgrade-execute').tests?.maxIterations).toBe(5);
    expect(requirementsOf(model, 'upgrade', '15-upgrade-plan').approval).toBe(true);
  });
});

describe('iteration-requirements.json', () => {
  const files = inUse({
    [`${HOOKS}/iteration-requirements.json`]: {
      version: '2.0.0',
      phase_requirements: {
        '01-requirements': {
          interactive_elicitation: {
            enabled: true,
            min_menu_interactions: 4,
            required_final_selection: ['save'],
            timeout_minutes: 60,
          },
          test_iteration: { enabled: false },
          constitutional_validation: { enabled: true, max_iterations: 2, articles: ['I'] },
        },
        '06-implementation': {
          _comment: 'the heart of it',
          test_iteration: {
            enabled: true,
            max_iterations: 7,
            circuit_breaker_threshold: 2,
            test_commands: ['npm run build'],
            success_criteria: { all_tests_passing: true, min_coverage_percent: 90 },
          },
          agent_delegation_validation: { enabled: true },
        },
        '07-testing': {
          test_iteration: { enabled: true, max_iterations: 10 },
          on_gate_pass: { trigger_cloud_config: { enabled: true } },
        },
        '15-upgrade': {
          test_iteration: { enabled: true, max_iterations: 5 },
          constitutional_validation: { enabled: true, articles: ['X'] },
          sub_phases: { '15-upgrade-plan': { test_iteration: { enabled: false } } },
        },
      },
      gate_blocking_rules: { block_on_incomplete_test_iteration: true },
      workflow_overrides: {
        _comment: 'merged with the base',
        fix: {
          '01-requirements': { interactive_elicitation: { min_menu_interactions: 1, scope: 'bug' } },
          '05-implementation': { constitutional_validation: { max_iterations: 9 } },
        },
        'test-run': { '06-testing': { test_iteration: { max_iterations: 1, report_only: true } } },
        'no-such': { '06-testing': { test_iteration: { enabled: false } } },
      },
    },
  });
  const model = modelOf(files);
  const asked = (phase: string, workflow?: string) => requirementsOf(model, workflow, phase);

  it('says what the gates ask for', () => {
    expect(toldOf(files)).toEqual([]);
    expect(asked('01-requirements')).toEqual({
      elicitation: { minInteractions: 4, finalSelections: ['save'] },
      constitution: { articles: ['I'], maxIterations: 2 },
    });
    expect(asked('06-implementation')).toEqual({
      tests: { maxIterations: 7, breaker: 2, reportOnly: false, minCoverage: 90 },
      delegation: true,
    });
    expect(asked('07-testing').onPass).toEqual([
      { trigger: 'cloud_configuration', unlessSet: ['cloud_configuration', 'provider'] },
    ]);
  });

  it('and what it does not name asks for nothing', () => {
    expect(asked('04-design')).toEqual({});
  });

  it('a phase that holds others is the base of them', () => {
    expect(asked('16-upgrade-execute').tests?.maxIterations).toBe(5);
    expect(asked('16-upgrade-plan').tests).toBeUndefined();
    expect(asked('16-upgrade-plan').constitution).toBeUndefined();
  });

  it('its overrides count, under whatever number', () => {
    expect(asked('01-requirements', 'fix').elicitation).toEqual({
      minInteractions: 1,
      finalSelections: ['save'],
    });
    expect(asked('07-testing', 'test-run').tests).toMatchObject({ maxIterations: 1, reportOnly: true });
  });

  it('and numbers alone switch nothing on', () => {
    expect(asked('06-implementation', 'fix').constitution).toBeUndefined();
  });
});

describe('skills-manifest.json', () => {
  const manifest = (ownership: Record<string, unknown>) => ({
    version: '4.0.0',
    ownership,
    skill_lookup: {},
  });

  it('of the older numbering gives every phase its right owner', () => {
    const files = inUse({
      [`${HOOKS}/skills-manifest.json`]: manifest({
        'solution-architect': { agent_id: '02', phase: '02-architecture', skills: ['ARCH-001'] },
        'software-developer': { phase: '05-implementation' },
        'impact-analyzer': { phase: '00-mapping' },
        'upgrade-engineer': { phase: '15-upgrade' },
        'environment-builder': { phase: '10-local-testing' },
        'sdlc-orchestrator': { phase: 'all' },
        'atdd-bridge': { phase: 'setup' },
      }),
    });
    const model = modelOf(files);
    const owners = (phase: string) => ownersOf(model, phase).map(({ name }) => name);
    expect(toldOf(files)).toEqual([]);
    expect(model.manifest).toBe('file');
    expect(owners('03-architecture')).toEqual(['solution-architect']);
    expect(owners('06-implementation')).toEqual(['software-developer']);
    expect(owners('02-impact-analysis')).toEqual(['impact-analysis-orchestrator']);
    expect(owners('16-upgrade-execute')).toEqual(['upgrade-engineer']);
    expect(owners('12-remote-build')).toEqual(['environment-builder']);
    expect(owners('R4-atdd-bridge')).toEqual(['atdd-bridge']);
  });

  it('adds agents of the project, which are named first', () => {
    const files = inUse({
      [`${CONFIG}/skills-manifest.json`]: manifest({ Our_Tester: { phase: '07-testing' } }),
    });
    expect(ownersOf(modelOf(files), '07-testing').map(({ name }) => name)).toEqual([
      'our-tester',
      'integration-tester',
    ]);
  });

  it('that moves an agent elsewhere is believed', () => {
    const files = inUse({
      [`${CONFIG}/skills-manifest.json`]: manifest({ 'qa-engineer': { phase: '07-testing' } }),
    });
    const model = modelOf(files);
    expect(model.agents.find(({ name }) => name === 'qa-engineer')?.phases).toEqual(['07-testing']);
    expect(toldOf(files).join()).toContain('no agent works in phase `08-code-review`');
  });

  it('that cannot be read is told, and the built-in one serves', () => {
    const files = inUse({ [`${CONFIG}/skills-manifest.json`]: '{"ownership": {' });
    expect(toldOf(files).join()).toContain(`error ${CONFIG}/skills-manifest.json:1`);
    expect(modelOf(files)).toMatchObject({ manifest: 'unreadable', agents: builtinModel().agents });
    expect(modelOf(IN_USE).manifest).toBe('builtin');
  });
});

describe('of two places', () => {
  const tests = (max: number) => ({
    phase_requirements: { '06-implementation': { test_iteration: { enabled: true, max_iterations: max } } },
  });
  const flow = (phase: string) => ({ workflows: { feature: { phases: [phase] } } });

  it('requirements are read from the hooks’ first', () => {
    const files = inUse({
      [`${HOOKS}/iteration-requirements.json`]: tests(1),
      [`${CONFIG}/iteration-requirements.json`]: tests(2),
    });
    expect(requirementsOf(modelOf(files), 'feature', '06-implementation').tests?.maxIterations).toBe(1);
  });

  it('workflows from the project’s', () => {
    const files = inUse({
      [`${HOOKS}/workflows.json`]: flow('04-design'),
      [`${CONFIG}/workflows.json`]: flow('06-implementation'),
    });
    expect(workflowNamed(modelOf(files), 'feature')?.phases).toEqual(['06-implementation']);
  });

  it('and from the other where the first has none', () => {
    const files = inUse({ [`${HOOKS}/workflows.json`]: flow('04-design') });
    expect(workflowNamed(modelOf(files), 'feature')?.phases).toEqual(['04-design']);
  });
});

test('monorepo.json names the projects', () => {
  const files = inUse({
    '.isdlc/monorepo.json': {
      version: '1.0.0',
      default_project: 'api',
      docs_location: 'root',
      projects: { api: { name: 'API', path: 'apps/api/' }, web: { path: 'apps\\web' }, lib: {} },
      scan_paths: ['apps/'],
    },
  });
  expect(toldOf(files)).toEqual([]);
  expect(modelOf(files).projects).toEqual({
    default: 'api',
    list: [
      { id: 'api', path: 'apps/api' },
      { id: 'web', path: 'apps/web' },
      { id: 'lib', path: 'lib' },
    ],
  });
});

test('monorepo.json is told of an id that would lead elsewhere', () => {
  const files = inUse({
    '.isdlc/monorepo.json': { projects: { '../../x': { path: 'x' }, ok: { path: 'ok' } } },
  });
  expect(toldOf(files).join()).toContain('`../../x` is not a valid project id');
  expect(modelOf(files).projects?.list).toEqual([{ id: 'ok', path: 'ok' }]);
});

describe('providers.yaml', () => {
  const text = (mode: string) => `
providers:
  anthropic:
    api_key_env: ANTHROPIC_API_KEY
    models: [{id: claude-opus-4-5-20251101, alias: opus}]
  ollama: {auth_token: secret-word}
defaults: {provider: anthropic, model: sonnet, fallback_chain: ["ollama:qwen-coder"]}
active_mode: ${mode}
modes:
  hybrid: {use_phase_routing: true}
  local: {default_provider: ollama, default_model: qwen-coder}
agent_overrides:
  QA Engineer: {provider: anthropic, model: claude-opus-4-5-20251101}
phase_routing:
  "02-architecture": {provider: anthropic, model: opus}
  "06-testing": {provider: ollama, model: qwen-coder}
`;
  const routes = (mode: string) => modelOf(inUse({ '.isdlc/providers.yaml': text(mode) })).routes;

  it('routes agents and phases to models that a delegation can ask for', () => {
    expect(toldOf(inUse({ '.isdlc/providers.yaml': text('hybrid') }))).toEqual([]);
    expect(routes('hybrid')).toEqual({
      byAgent: { 'qa-engineer': 'opus' },
      byPhase: { '02-architecture': 'opus' },
      otherwise: 'sonnet',
    });
  });

  it('phases only in the mode that says so, and other providers never', () => {
    expect(routes('local')).toEqual({ byAgent: { 'qa-engineer': 'opus' }, byPhase: {} });
  });

  it('and nothing of a secret gets into the model', () => {
    const whole = JSON.stringify(modelOf(inUse({ '.isdlc/providers.yaml': text('hybrid') })));
    expect(whole).not.toContain('secret-word');
    expect(whole).not.toContain('API_KEY');
  });
});

test('what is of the wrong kind is told with its place, and the rest is read', () => {
  const files = inUse({
    [`${CONFIG}/workflows.json`]:
      '{\n"workflows": {\n"feature": {"phases": "all"},\n"fix": [],\n"mine": {"phases": ["06-implementation"]}}}',
    [`${CONFIG}/iteration-requirements.json`]:
      '{"phase_requirements":\n{"06-implementation": {"test_iteration": {"enabled": true, "max_iterations": 0}}}}',
  });
  expect(toldOf(files)).toEqual([
    `error ${CONFIG}/workflows.json:3 \`phases\` must be a list of texts; it is left out`,
    `error ${CONFIG}/workflows.json:4 \`fix\` must be a mapping; it is left out`,
    `error ${CONFIG}/iteration-requirements.json:2 \`max_iterations\` must be a whole number, at least 1; it is left out`,
  ]);
  expect(workflowNamed(modelOf(files), 'feature')?.phases).toHaveLength(11);
  expect(workflowNamed(modelOf(files), 'mine')?.phases).toEqual(['06-implementation']);
  expect(requirementsOf(modelOf(files), 'mine', '06-implementation').tests?.maxIterations).toBe(10);
});

test('each mistake is told once', () => {
  const text = '{"phase_requirements": {"06-implementation": {"test_iteration": {"enabled": "yes"}}}}';
  expect(toldOf(inUse({ [`${CONFIG}/iteration-requirements.json`]: text }))).toHaveLength(1);
});

test('a slip in a key of a file is told', () => {
  const files = inUse({ [`${CONFIG}/workflows.json`]: { workflow: {} } });
  expect(toldOf(files).join()).toContain('`workflow`');
});

test('our own section stands above the files', () => {
  const files = {
    ...inUse({
      [`${CONFIG}/workflows.json`]: { workflows: { mine: { phases: ['06-implementation', '07-testing'] } } },
    }),
    [OURS]:
      'workflow:\n  workflows: {mine: {phases: {remove: [07-testing]}}}\n  rules: {branch-guard: {mode: ask}}\n',
  };
  expect(toldOf(files)).toEqual([]);
  expect(workflowNamed(modelOf(files), 'mine')?.phases).toEqual(['06-implementation']);
  expect(modelOf(files).rules['branch-guard'].mode).toBe('ask');
});
