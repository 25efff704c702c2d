import { describe, expect, test } from 'vitest';
import { compileConfig } from '../../../src/core/compile-config';
import type { RequirementsConfig } from '../../../src/guards/requirements/section';
import { type Files, inScratch, printed, readFiles } from '../../config/scratch';
import { configOf } from './context';

const FILE = '.claude/requirements.yaml';

function compiled(files: Files): RequirementsConfig | undefined {
  return readFiles(files).guards[0]?.config as unknown as RequirementsConfig | undefined;
}

function only(requirement: string): RequirementsConfig['requirements'] {
  return compiled({ [FILE]: `requirements:\n  plan: {enabled: true, ${requirement}}\n` })?.requirements ?? [];
}

const tool = (name: string) => ({ kind: 'tool', tool: name });

describe('a requirement', () => {
  test('has defaults for all but its name', () => {
    const read = readFiles({ [FILE]: 'requirements:\n  mine: {enabled: true}\n' });
    const requirement = {
      name: 'mine',
      mode: 'hold',
      place: '.claude/requirements.yaml:2:3',
      type: 'blocking',
      legacy: true,
      scope: 'session',
      perBranch: true,
      triggers: [tool('Edit'), tool('Write'), tool('MultiEdit')],
      effects: [],
      paths: [],
      excludePaths: [],
      stopOnly: false,
      agentMaySatisfy: true,
    };
    const config = { ...configOf([]), requirements: [requirement] };
    expect(read.guards).toEqual([{ name: 'requirements', onError: 'allow', config }]);
    expect(printed(read)).toBe('');
  });

  const EVIDENCE = { dirs: ['.claude/plans'], markers: [] };
  const SIZE = { type: 'dynamic', calculator: 'x', block: 9 };
  const dynamic = 'type: dynamic, calculator: x, thresholds';
  const guarded = 'type: guard, guard_type: protected_branch';
  const PROTECTED = { type: 'condition', condition: 'protected_branch' };
  test.each<[string, object]>([
    ['scope: single_use, stop_only: true', { scope: 'single_use', stopOnly: true }],
    ['message: m, short_message: sm, description: d', { message: 'm', shortMessage: 'sm', description: 'd' }],
    ['auto_resolve_skill: s, agent_may_satisfy: false', { skill: 's', agentMaySatisfy: false }],
    ['replan_ttl: 60, paths: [a/**], exclude_paths: [b]', { paths: ['a/**'], excludePaths: ['b'] }],
    ['evidence: {}', { evidence: EVIDENCE }],
    ['evidence: {command: npm test}', { evidence: { ...EVIDENCE, command: 'npm test' } }],
    ['evidence: {dirs: [d], max_age_seconds: 9}', { evidence: { dirs: ['d'], maxAgeSeconds: 9 } }],
    ['evidence: {require_markers: [a], require_verdict: b}', { evidence: { markers: ['a'], verdict: 'b' } }],
    [`${dynamic}: {block: 9}`, { ...SIZE, cacheTtl: 60, approvalTtl: 300 }],
    [`${dynamic}: {block: 9, warn: 5}, blocking_message: m`, { ...SIZE, warn: 5, blockingMessage: 'm' }],
    [`${dynamic}: {block: 9}, cache_ttl: 1, approval_ttl: 2`, { ...SIZE, cacheTtl: 1, approvalTtl: 2 }],
    ['trigger_tools: ["mcp__{a,b}", {tool: c}]', { triggers: [tool('mcp__a'), tool('mcp__b'), tool('c')] }],
    [
      'trigger_tools: [{tool: a, command_pattern: "(?i)b"}]',
      { triggers: [{ kind: 'command', pattern: 'b' }] },
    ],
    [guarded, { ...PROTECTED, branches: ['master', 'main'] }],
    [`${guarded}, protected_branches: [release/*]`, { ...PROTECTED, branches: ['release/*'] }],
    ['type: guard, guard_type: single_session', { type: 'condition', condition: 'single_session' }],
    ['adr_path: docs/adr, owner: {team: x}', { name: 'plan' }],
  ])('keeps what it says: %s', (said, expected) => {
    expect(only(said)).toMatchObject([expected]);
  });

  test('is left out unless it is enabled, without a word; `yes` of the older program counts', () => {
    const off =
      'requirements:\n  a: {}\n  b: {enabled: false, type: dynamic, calculator: x, thresholds: {block: 1}}\n  c:\n';
    const read = readFiles({ [FILE]: `${off}  d: {enabled: yes}\n` });
    expect(read.guards).toMatchObject([{ config: { requirements: [{ name: 'd' }] } }]);
    expect(printed(read)).toBe('');
  });

  test('may have any name', () => {
    const text = 'requirements:\n  "a/b~c d": {enabled: true, scoep: x}\n  toString: {enabled: true}\n';
    const read = readFiles({ [FILE]: text });
    const requirements = [{ name: 'a/b~c d', place: `${FILE}:2:3` }, { name: 'toString' }];
    expect(read.guards).toMatchObject([{ config: { requirements } }]);
    expect(read.diagnostics).toMatchObject([{ code: 'config.unknown-key', place: { line: 2, column: 30 } }]);
  });

  test('that is bad goes alone, and is named', () => {
    const bad = Object.entries({
      true: '`NAME` must be a mapping, not true',
      '[Edit]': '`NAME` must be a mapping, not a list',
      '{enabled: "yes"}': '`enabled` must be true or false, not "yes"',
      '{scope: weekly}': '`scope` must be one of session, branch, permanent, single_use, not "weekly"',
      '{type: gard}': '`type` must be one of blocking, dynamic, guard, not "gard"',
      '{trigger_tools: Edit}': '`trigger_tools` must be a list, not "Edit"',
      '{trigger_tools: [{tool: a, command_pattern: "("}]}':
        '`command_pattern` is not a valid regular expression: unterminated group in `(`',
      '{trigger_tools: [Edit, ""]}': '`trigger_tools[1]` must not be empty',
      '{trigger_tools: [5]}': '`trigger_tools[0]` must be a mapping, not 5',
      '{type: guard}': '`requirements.NAME` needs the key `guard_type`',
      '{type: guard, guard_type: m}': '`guard_type` must be one of protected_branch, single_session, not "m"',
      '{type: dynamic, thresholds: {block: 1}}': '`requirements.NAME` needs the key `calculator`',
      '{type: dynamic, calculator: x, thresholds: {}}':
        '`requirements.NAME.thresholds` needs the key `block`',
      '{replan_ttl: -1}': '`replan_ttl` must not be negative',
      '{auto_resolve_skill: ""}': '`auto_resolve_skill` must not be empty',
      '{evidence: {command: ""}}': '`command` must not be empty',
      '{paths: [""]}': '`paths[0]` must not be empty',
    });
    const lines = bad.map(([said], at) => `  bad${at}: ${said}\n`).join('');
    const read = readFiles({ [FILE]: `requirements:\n${lines}  other: {enabled: true}\n` });
    expect(read.guards).toMatchObject([{ config: { requirements: [{ name: 'other' }] } }]);
    const told = bad.map(([, message], at) => [
      'error',
      message.replace('NAME', `bad${at}`),
      `requirements.bad${at}`,
    ]);
    const found = read.diagnostics.map(({ severity, message, switchesOff }) => [
      severity,
      message,
      switchesOff,
    ]);
    expect(found).toEqual(expect.arrayContaining(told));
    expect(found).toHaveLength(told.length);
  });

  test.each([
    ['paths: ["!src/**"]', '`paths[0]` begins with `!`'],
    ['trigger_tools: [{tool: "Edi?"}]', 'tool names have no other special characters'],
    ['type: guard, guard_type: protected_branch, protected_branches: ["!main"]', 'begins with `!`'],
    ['evidence: {dirs: ["docs/**"]}', 'must be a directory without `*`'],
  ])('with a glob that means nothing is refused where it stands: %s', (said, words) => {
    const files = { [FILE]: `requirements:\n  plan: {enabled: true, ${said}}\n` };
    expect(printed(readFiles(files))).toContain(words);
    expect(printed(readFiles(files))).toMatch(/^\.claude\/requirements\.yaml:2:\d\d: error: `\w+/);
    expect(compiled(files)?.requirements).toEqual([]);
  });
});

test.each([
  [
    'type: dynamic, calculator: branch_size, thresholds: {warn: 10, block: 5}',
    'the agent is never warned: `block: 5` holds first',
  ],
  ['type: dynamic, calculator: branch_size, thresholds: {warn: 5, block: 10}', undefined],
  ['trigger_tools: [Edti]', "no known tool is named 'Edti'. Did you mean 'Edit'?"],
  [
    'trigger_tools: [{tool: Bahs, command_pattern: x}]',
    "no known tool is named 'Bahs'. Did you mean 'Bash'?",
  ],
  [
    'trigger_tools: [Edit, edit, mcp__a__edti, "Edi*", Agent, Skill, apply_patch, KillBash, PowerShell]',
    undefined,
  ],
])('warns of what can never do what it says: %s', (keys, message) => {
  const { diagnostics } = readFiles({ [FILE]: `requirements: {plan: {enabled: true, ${keys}}}\n` });
  const expected = message === undefined ? [] : [expect.objectContaining({ severity: 'warning', message })];
  expect(diagnostics).toEqual(expected);
});

describe('the rest of the file', () => {
  test('names what this version does not enforce', () => {
    const rest = ['logging', 'console', 'debug', 'budgets'].map((key) => `${key}: {a: {b: 1}}\n`);
    const keys = [
      'agent_teams',
      'session_learning',
      'wip_tracking',
      'lazy_dev',
      'obsidian',
      'qdrant',
      'retrieval',
      'diff_scope',
    ];
    const hooks = keys.map((key) => `  ${key}: {enabled: true}\n`);
    const text = `${rest.join('')}hooks:\n${hooks.join('')}  session_start: {briefing_format: rich}\n`;
    const more = 'strict_preflight: true\nversion: "1.0"\nworkflow:\n  phases: [{name: design, gate: d}]\n';
    const { diagnostics } = readFiles({ [FILE]: text + more });
    expect(diagnostics.filter(({ code }) => code === 'config.not-read')).toHaveLength(
      rest.length + hooks.length,
    );
    expect(
      diagnostics.filter(({ code }) => code !== 'config.not-read').map(({ message }) => message),
    ).toEqual([
      '`briefing_format: rich` is not enforced by this version',
      '`strict_preflight` is not enforced by this version',
      '`workflow` is not enforced by this version',
    ]);
    expect(new Set(diagnostics.map(({ severity }) => severity))).toEqual(new Set(['warning']));
    expect(readFiles({ [FILE]: 'strict_preflight: false\n' }).diagnostics).toEqual([]);
  });

  const carryOver = (sources: string[], windowSeconds: number, scope = 'session') => {
    return { carryOver: { sources, windowSeconds, scopes: [scope] } };
  };
  test.each<[string, object]>([
    ['stop: {verify_requirements: false, verify_scopes: []}', { stop: { verify: false, scopes: [] } }],
    [
      'session_start: {inject_context: false, custom_header: H}',
      { briefing: { inject: false, header: 'H' } },
    ],
    ['session_start: {briefing_format: standard}', { briefing: { inject: true, format: 'standard' } }],
    ['session_start: {briefing_format: rich}', { briefing: { inject: true, format: 'compact' } }],
    ['session_start: {carry_over: {}}', carryOver(['clear'], 300)],
    ['session_start: {carry_over: {window_seconds: 9, scopes: [branch]}}', carryOver(['clear'], 9, 'branch')],
    ['session_start: {carry_over: {enabled: true}}', carryOver(['startup', 'clear'], 300)],
    ['session_start: {carry_over: {enabled: false}}', carryOver([], 300)],
    ['session_end: {clear_session_state: true}', { clearSessionState: true }],
    ['permission_request: {auto_deny_dangerous: false}', { denyDangerous: false }],
  ])('hooks.%s', (hooks, expected) => {
    expect(compiled({ [FILE]: `hooks:\n  ${hooks}\n` })).toMatchObject(expected);
  });

  test('may switch requirements off, or configure nothing', () => {
    const off = { [FILE]: 'requirements: {}\n', '.claude/requirements.local.yaml': 'enabled: false\n' };
    expect(compiled(off)).toMatchObject({ enabled: false });
    for (const text of ['', 'requirements:\n', '# later\n'])
      expect(readFiles({ [FILE]: text })).toMatchObject({ guards: [], diagnostics: [] });
  });

  const PLAN = 'requirements:\n  plan: {enabled: true}\n';
  const OURS = '.holdpoint/config.yaml';
  const global = { '~/.claude/requirements.yaml': PLAN };
  test.each<[string, Files, 'project' | 'global-only']>([
    ['a global file alone', global, 'global-only'],
    ['our global file alone', { '~/.config/holdpoint/config.yaml': PLAN }, 'global-only'],
    ['one for everywhere', { '~/.claude/requirements.yaml': `enforce_everywhere: true\n${PLAN}` }, 'project'],
    ['an empty project file beside it', { ...global, [FILE]: 'inherit: true\n' }, 'project'],
    ['a local file beside it', { ...global, '.claude/requirements.local.yaml': 'hooks: {}\n' }, 'project'],
    ['our file with other things', { ...global, [OURS]: 'version: 1\n' }, 'global-only'],
    ['our file that inherits', { ...global, [OURS]: 'inherit: true\n' }, 'project'],
    ['our file with requirements', { [OURS]: PLAN }, 'project'],
  ])('reaches as far as it says: %s', (_, files, reach) => {
    expect(compiled(files)?.reach).toBe(reach);
  });
});

test('the compiler hands out problems as text and a stamp for every candidate, absent ones too', () => {
  inScratch({ [FILE]: 'nope: 1\n' }, (root, home) => {
    const { problems, stamps } = compileConfig(root, home);
    expect(problems).toEqual([
      expect.stringMatching(/^\.claude\/requirements\.yaml:1:1: error: unknown key `nope`/),
    ]);
    const names = stamps.map(([file, stamp]) => [file.replace(root, '.').replace(home, '~'), stamp !== '-']);
    expect(Object.fromEntries(names)).toEqual({
      '~/.claude/messages/': false,
      '~/.claude/dev-mods': false,
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
      './.claude/settings.json': false,
      './.claude/settings.local.json': false,
      '~/.claude/settings.json': false,
    });
  });
});
