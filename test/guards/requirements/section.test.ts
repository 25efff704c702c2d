import { describe, expect, test } from 'vitest';
import { compileConfig } from '../../../src/core/compile-config';
import type { RequirementsConfig } from '../../../src/guards/requirements/config';
import { type Files, inScratch, printed, readFiles } from '../../config/scratch';

const FILE = '.claude/requirements.yaml';

function compiled(files: Files): RequirementsConfig | undefined {
  return readFiles(files).guards[0]?.config as unknown as RequirementsConfig | undefined;
}

function only(requirement: string): RequirementsConfig['requirements'] {
  return compiled({ [FILE]: `requirements:\n  plan: {enabled: true, ${requirement}}\n` })?.requirements ?? [];
}

describe('a requirement', () => {
  test('has defaults for all but its name', () => {
    const files = { [FILE]: 'requirements:\n  commit_plan: {enabled: true}\n' };
    expect(readFiles(files).guards).toEqual([
      {
        name: 'requirements',
        onError: 'allow',
        config: {
          enabled: true,
          reach: 'project',
          requirements: [
            {
              name: 'commit_plan',
              place: '.claude/requirements.yaml:2:3',
              type: 'blocking',
              scope: 'session',
              triggers: [
                { kind: 'tool', tool: 'Edit' },
                { kind: 'tool', tool: 'Write' },
                { kind: 'tool', tool: 'MultiEdit' },
              ],
              paths: [],
              excludePaths: [],
              stopOnly: false,
              agentMaySatisfy: true,
            },
          ],
          stop: { verify: true, scopes: ['session'] },
          briefing: { inject: true, format: 'compact' },
          carryOver: { sources: ['clear'], windowSeconds: 300, scopes: ['session'] },
          clearSessionState: false,
          denyDangerous: true,
          review: { onStop: false, minToolUses: 5 },
          thinkFirst: { onPlan: false, onPrompt: false },
          skills: {
            'requirements-framework:arch-review': ['commit_plan'],
            'arch-review': ['commit_plan'],
            'requirements-framework:plan-review': ['commit_plan'],
            'plan-review': ['commit_plan'],
            'requirements-framework:writing-plans': ['commit_plan'],
            'writing-plans': ['commit_plan'],
          },
        },
      },
    ]);
    expect(printed(readFiles(files))).toBe('');
  });

  test('keeps what it says', () => {
    const said = [
      'scope: single_use, message: m, short_message: sm, description: d, auto_resolve_skill: s',
      'stop_only: true, agent_may_satisfy: false, replan_ttl: 60, paths: [src/**], exclude_paths: ["*.md"]',
    ];
    expect(only(said.join(', '))).toMatchObject([
      {
        scope: 'single_use',
        message: 'm',
        shortMessage: 'sm',
        description: 'd',
        skill: 's',
        stopOnly: true,
        agentMaySatisfy: false,
        replanTtl: 60,
        paths: ['src/**'],
        excludePaths: ['*.md'],
      },
    ]);
  });

  test.each([
    ['{}', { dirs: ['.claude/plans'], markers: [] }],
    ['{command: npm test}', { dirs: ['.claude/plans'], markers: [], command: 'npm test' }],
    [
      '{dirs: [docs], require_markers: ["## Tests"], require_verdict: APPROVED, max_age_seconds: 9}',
      { dirs: ['docs'], markers: ['## Tests'], verdict: 'APPROVED', maxAgeSeconds: 9 },
    ],
  ])('may ask for evidence: %s', (said, evidence) => {
    expect(only(`evidence: ${said}`)[0]?.evidence).toEqual(evidence);
  });

  test.each([
    ['branch_size_calculator', 'branch_size'],
    ['branch_size', 'branch_size'],
    ['./count.sh --all', './count.sh --all'],
  ])('of the type dynamic computes a value: %s', (calculator, compiledTo) => {
    const said = `type: dynamic, calculator: ${calculator}, thresholds: {block: 9}`;
    const size = { type: 'dynamic', calculator: compiledTo, block: 9, cacheTtl: 60, approvalTtl: 300 };
    expect(only(said)).toMatchObject([size]);
    expect(only(said)[0]).not.toHaveProperty('warn');
    const more = 'cache_ttl: 1, approval_ttl: 2, blocking_message: "{value}"';
    expect(only(`${said.replace('}', ', warn: 5}')}, ${more}`)).toMatchObject([
      { ...size, warn: 5, cacheTtl: 1, approvalTtl: 2, blockingMessage: '{value}' },
    ]);
  });

  test('triggers on tools, globs and commands', () => {
    expect(
      only('trigger_tools: [mcp__db__*, {tool: Bash, command_pattern: "(?i)git\\\\s+push"}, {tool: Task}]'),
    ).toMatchObject([
      {
        triggers: [
          { kind: 'tool', tool: 'mcp__db__*' },
          { kind: 'command', tool: 'Bash', pattern: 'git\\s+push' },
          { kind: 'tool', tool: 'Task' },
        ],
      },
    ]);
  });

  test('of the type guard is a condition', () => {
    expect(only('type: guard, guard_type: protected_branch')).toMatchObject([
      { type: 'condition', condition: 'protected_branch', branches: ['master', 'main'] },
    ]);
    expect(only('type: guard, guard_type: protected_branch, protected_branches: [release/*]')).toMatchObject([
      { branches: ['release/*'] },
    ]);
    expect(only('type: guard, guard_type: single_session')).toMatchObject([
      { type: 'condition', condition: 'single_session' },
    ]);
  });

  test('is left out unless it is enabled, without a word', () => {
    const text =
      'requirements:\n  a: {}\n  b: {enabled: false, type: dynamic, calculator: x, thresholds: {block: 1}}\n  c:\n';
    const read = readFiles({ [FILE]: text });
    expect(read.guards).toMatchObject([{ config: { requirements: [] } }]);
    expect(printed(read)).toBe('');
  });

  test('written by the older program may say yes', () => {
    expect(compiled({ [FILE]: 'requirements:\n  a: {enabled: yes}\n' })?.requirements).toHaveLength(1);
  });

  test('may have keys of the user’s own', () => {
    const read = readFiles({
      [FILE]: 'requirements:\n  a: {enabled: true, adr_path: docs/adr, owner: {team: x}}\n',
    });
    expect(printed(read)).toBe('');
  });

  test('may have any name', () => {
    const text = 'requirements:\n  "a/b~c d": {enabled: true, scoep: x}\n  toString: {enabled: true}\n';
    const read = readFiles({ [FILE]: text });
    expect(read.guards).toMatchObject([
      { config: { requirements: [{ name: 'a/b~c d', place: `${FILE}:2:3` }, { name: 'toString' }] } },
    ]);
    expect(read.diagnostics).toMatchObject([{ code: 'config.unknown-key', place: { line: 2, column: 30 } }]);
  });
});

describe('a bad requirement goes alone, and is named', () => {
  test.each([
    ['true', '`bad` must be a mapping, not true'],
    ['[Edit]', '`bad` must be a mapping, not a list'],
    ['{enabled: "yes"}', '`enabled` must be true or false, not "yes"'],
    ['{scope: weekly}', '`scope` must be one of session, branch, permanent, single_use, not "weekly"'],
    ['{type: gard}', '`type` must be one of blocking, dynamic, guard, not "gard"'],
    ['{trigger_tools: Edit}', '`trigger_tools` must be a list, not "Edit"'],
    [
      '{trigger_tools: [{tool: Bash, command_pattern: "("}]}',
      '`command_pattern` is not a valid regular expression',
    ],
    ['{trigger_tools: [Edit, ""]}', '`trigger_tools[1]` must not be empty'],
    ['{trigger_tools: [5]}', '`trigger_tools[0]` must be a mapping, not 5'],
    ['{type: guard}', '`requirements.bad` needs the key `guard_type`'],
    [
      '{type: guard, guard_type: moon}',
      '`guard_type` must be one of protected_branch, single_session, not "moon"',
    ],
    ['{type: dynamic, thresholds: {block: 1}}', '`requirements.bad` needs the key `calculator`'],
    ['{type: dynamic, calculator: x, thresholds: {}}', '`requirements.bad.thresholds` needs the key `block`'],
    ['{replan_ttl: -1}', '`replan_ttl` must not be negative'],
    ['{auto_resolve_skill: ""}', '`auto_resolve_skill` must not be empty'],
    ['{evidence: {command: ""}}', '`command` must not be empty'],
  ])('%s', (bad, message) => {
    const read = readFiles({ [FILE]: `requirements:\n  bad: ${bad}\n  other: {enabled: true}\n` });
    expect(read.guards).toMatchObject([{ config: { requirements: [{ name: 'other' }] } }]);
    expect(read.diagnostics).toMatchObject([{ severity: 'error', message, switchesOff: 'requirements.bad' }]);
  });
});

describe('what this version does not enforce', () => {
  test('what stands beside the requirements warns only where it asks for something', () => {
    const asked = 'strict_preflight: true\n';
    expect(readFiles({ [FILE]: asked }).diagnostics.map(({ message }) => message)).toEqual([
      '`strict_preflight` is not enforced by this version',
    ]);
    expect(readFiles({ [FILE]: asked.replaceAll('true', 'false') }).diagnostics).toEqual([]);
  });

  test.each(['logging', 'console', 'debug', 'budgets'])('%s is accepted with a warning', (key) => {
    expect(readFiles({ [FILE]: `${key}: {a: {b: 1}}\n` }).diagnostics).toMatchObject([
      { code: 'config.not-read', severity: 'warning' },
    ]);
  });

  test.each(['agent_teams', 'wip_tracking', 'lazy_dev', 'obsidian', 'qdrant', 'retrieval', 'diff_scope'])(
    'hooks.%s is accepted with a warning',
    (key) => {
      const read = readFiles({ [FILE]: `hooks:\n  ${key}: {enabled: true}\n` });
      expect(read.diagnostics).toMatchObject([{ code: 'config.not-read', severity: 'warning' }]);
    },
  );
});

describe('the rest of the file', () => {
  test('enabled: false in the local file switches requirements off', () => {
    const files = {
      [FILE]: 'requirements:\n  plan: {enabled: true}\n',
      '.claude/requirements.local.yaml': 'enabled: false\n',
    };
    expect(compiled(files)).toMatchObject({ enabled: false });
  });

  test('hooks set the stop and the briefing', () => {
    const hooks = [
      'hooks:',
      '  stop: {verify_requirements: false, verify_scopes: [session, single_use]}',
      '  session_start: {inject_context: false, briefing_format: standard, custom_header: Hello}',
    ];
    expect(compiled({ [FILE]: hooks.join('\n') })).toMatchObject({
      stop: { verify: false, scopes: ['session', 'single_use'] },
      briefing: { inject: false, format: 'standard', header: 'Hello' },
    });
  });

  test.each([
    ['{}', ['clear'], 300, ['session']],
    ['{window_seconds: 9}', ['clear'], 9, ['session']],
    ['{enabled: true, scopes: [branch]}', ['startup', 'clear'], 300, ['branch']],
    ['{enabled: false}', [], 300, ['session']],
  ])('carry_over: %s', (said, sources, windowSeconds, scopes) => {
    const hooks = { [FILE]: `hooks:\n  session_start: {carry_over: ${said}}\n` };
    expect(compiled(hooks)?.carryOver).toEqual({ sources, windowSeconds, scopes });
    expect(printed(readFiles(hooks))).toBe('');
  });

  test('hooks clear a session at its end and leave dangerous permissions to the person', () => {
    const hooks = [
      'hooks:',
      '  session_end: {clear_session_state: true}',
      '  permission_request: {auto_deny_dangerous: false}',
    ];
    expect(compiled({ [FILE]: hooks.join('\n') })).toMatchObject({
      clearSessionState: true,
      denyDangerous: false,
    });
  });

  test.each([
    ['{enabled: true}', { onStop: true, minToolUses: 5 }],
    ['{enabled: true, min_tool_uses: 20}', { onStop: true, minToolUses: 20 }],
    ['{enabled: true, prompt_on_stop: false}', { onStop: false, minToolUses: 5 }],
    ['{prompt_on_stop: true}', { onStop: false, minToolUses: 5 }],
  ])('session_learning: %s', (said, review) => {
    expect(compiled({ [FILE]: `hooks:\n  session_learning: ${said}\n` })?.review).toEqual(review);
  });

  test('the format that was removed becomes compact, with a warning', () => {
    const files = { [FILE]: 'hooks:\n  session_start: {briefing_format: rich}\n' };
    expect(compiled(files)).toMatchObject({ briefing: { format: 'compact' } });
    expect(readFiles(files).diagnostics).toMatchObject([
      { severity: 'warning', message: '`briefing_format: rich` is not enforced by this version' },
    ]);
  });

  test('a workflow of its own is not the discipline', () => {
    const text = 'version: "1.0"\nworkflow:\n  phases: [{name: design, gate: design_approved}]\n';
    expect(readFiles({ [FILE]: text }).diagnostics).toMatchObject([
      { message: '`workflow` is not enforced by this version' },
    ]);
  });

  test.each(['', 'requirements:\n', '# later\n'])('with nothing in it (%j) nothing is configured', (text) => {
    const read = readFiles({ [FILE]: text });
    expect(read.guards).toEqual([]);
    expect(read.diagnostics).toEqual([]);
  });
});

describe('reach', () => {
  const global = { '~/.claude/requirements.yaml': 'requirements:\n  plan: {enabled: true}\n' };
  test.each<[string, Files, 'project' | 'global-only']>([
    ['a global file alone', global, 'global-only'],
    [
      'our global file alone',
      { '~/.config/holdpoint/config.yaml': 'requirements:\n  plan: {enabled: true}\n' },
      'global-only',
    ],
    [
      'a global file that wants to be everywhere',
      { '~/.claude/requirements.yaml': 'enforce_everywhere: true\nrequirements:\n  plan: {enabled: true}\n' },
      'project',
    ],
    ['an empty project file beside it', { ...global, [FILE]: 'inherit: true\n' }, 'project'],
    ['a local file beside it', { ...global, '.claude/requirements.local.yaml': 'hooks: {}\n' }, 'project'],
    [
      'a project of ours that speaks of other things',
      { ...global, '.holdpoint/config.yaml': 'version: 1\n' },
      'global-only',
    ],
    [
      'a project of ours that inherits',
      { ...global, '.holdpoint/config.yaml': 'inherit: true\n' },
      'project',
    ],
    [
      'a project of ours with requirements',
      { '.holdpoint/config.yaml': 'requirements:\n  plan: {enabled: true}\n' },
      'project',
    ],
  ])('%s: %#', (_, files, reach) => {
    expect(compiled(files)?.reach).toBe(reach);
  });
});

test('the compiler hands out problems as text and a stamp for every candidate, absent ones too', () => {
  inScratch({ [FILE]: 'nope: 1\n' }, (root, home) => {
    const { problems, stamps } = compileConfig(root, home);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^\.claude\/requirements\.yaml:1:1: error: unknown key `nope`/);
    const names = stamps.map(([file, stamp]) => [file.replace(root, '.').replace(home, '~'), stamp !== '-']);
    expect(Object.fromEntries(names)).toEqual({
      '~/.claude/messages/': false,
      './.claude/messages/': false,
      './.claude/messages.local/': false,
      './.claude/hooks': false,
      './.isdlc': false,
      './.gauntlet': false,
      './.holdpoint': false,
      '~/.config/holdpoint/config.yaml': false,
      '~/.config/agent-gauntlet/config.yml': false,
      '~/.claude/requirements.yaml': false,
      './.claude/requirements.yaml': true,
      './.claude/requirements.local.yaml': false,
    });
  });
});
