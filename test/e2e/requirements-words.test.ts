import { afterEach, describe, expect, it } from 'vitest';
import { KEY, SESSION } from './events';
import { codex, gemini } from './host-documents';
import { contextOf, type Project, projectWith, SILENT } from './requirements-project';
import { at, deniedBecause, type Ended, type HostDocument, heldBecause } from './rig';

let project: Project;

function open(requirements: string, file = '.holdpoint/config.yaml'): Project {
  project = projectWith(`requirements: {${requirements}}\n`, file);
  return project;
}

const storyOf = (reason: string): string => {
  const [, id = ''] = /holdpoint why (\w+)/.exec(reason) ?? [];
  return project.rig.holdpoint(['why', id]).stdout;
};

const record = (name: string) => `req satisfy ${name} --session ${KEY}`;
const approve = (name: string) => `req approve ${name} --session ${KEY}`;
const BRANCH = 'type: guard, guard_type: protected_branch, protected_branches: ["feature/*"]';
const SIZE = 'type: dynamic, calculator: echo 500, thresholds: {block: 400}';
const SWITCH = 'witch to another branch';

afterEach(() => project.rig.remove());

/** What a rule says of itself, what the agent is told to do, and the command that the agent must not be offered. */
const KINDS: [string, string, string[], string?][] = [
  ['one that the agent records', '', ['Do that, then record it', record('rule'), 'user, who can waive it']],
  [
    'one that a person approves',
    'agent_may_satisfy: false',
    ['a person has to approve it', 'ask the user to run', approve('rule')],
    'req satisfy',
  ],
  [
    'one that a skill satisfies',
    'satisfied_by_skill: "team:review"',
    ['Run `/team:review`; that satisfies `rule`', 'A person can waive it'],
    'req satisfy',
  ],
  [
    'one whose skill is to be recorded',
    'auto_resolve_skill: "team:review"',
    ['Run `/team:review`, then record it', record('rule')],
  ],
  ['one for a single call', 'scope: single_use', ['record it for this one call', record('rule')]],
  ['a protected branch', BRANCH, [SWITCH, 'A person can waive it', approve('rule')], 'req satisfy'],
  [
    'a protected branch that only a person opens',
    `${BRANCH}, agent_may_satisfy: false`,
    [SWITCH, 'Only a person can waive it'],
    'req satisfy',
  ],
  [
    'a value',
    SIZE,
    ['`rule` is 500, and the limit is 400', 'Bring the value below 400', 'A person can approve it'],
    'req satisfy',
  ],
  [
    'the size of a branch',
    'type: dynamic, calculator: branch_size, thresholds: {block: 0}',
    ['the limit is', 'Make the branch smaller', 'A person can approve it'],
    'req satisfy',
  ],
];

describe.each(KINDS)('%s', (_kind, keys, told, never = 'Fallback') => {
  const rule = (description: string) =>
    open(`rule: {enabled: true, ${description}${keys === '' ? '' : `, ${keys}`}}`);

  it('says first what it is for, then what to do, in six lines, each time it holds', () => {
    const { rig, on, edit } = rule('description: "Say what you are  going\\nto do."');
    rig.git('branch', 'main');
    rig.git('commit', '--quiet', '--allow-empty', '-m', 'x');
    const texts = [deniedBecause(edit()), deniedBecause(rig.hook(on.pre('Write', { file_path: 'b' })))];
    for (const text of texts) {
      const [first, ...rest] = text.split('\n');
      expect(first).toBe('Say what you are going to do.');
      expect(rest.length).toBeLessThan(6);
      expect(text).toContain('`rule`');
      expect(text).toContain('Nothing was changed.');
      for (const words of ['Fallback', 'Blocked', never]) expect(text).not.toContain(words);
    }
    for (const words of told) expect(texts[0]).toContain(words);
    const last = told.find((words) => /[Rr]un `|record it|approve it|witch|elow|maller/.test(words)) ?? '';
    expect(texts[1]).toContain(last);
  });

  it('names what it is for where it has no description', () => {
    const { rig, edit } = rule('x-note: none');
    rig.git('branch', 'main');
    const reason = deniedBecause(edit());
    expect(reason).toMatch(
      /^(This project requires `rule` before an edit|Branch feature\/auth is|Keep `rule`)/,
    );
    expect(reason).not.toContain('Do that; then a person');
  });

  it('is explained by `why` with the same remedy', () => {
    const { rig, edit } = rule('description: Plan it.');
    rig.git('branch', 'main');
    expect(storyOf(deniedBecause(edit()))).not.toContain(never);
  });
});

describe('several rules that hold at once', () => {
  const MANY = [
    'plan: {enabled: true, description: Say which commits.}',
    `safe: {enabled: true, description: Nobody edits main., ${BRANCH}}`,
    'sign: {enabled: true, description: Get it signed., agent_may_satisfy: false}',
    `size: {enabled: true, description: Keep it small., ${SIZE}}`,
  ].join(', ');

  it('each has a paragraph that its description begins, and the commands come once', () => {
    const { rig, on, edit } = open(MANY);
    rig.hook(on.start('startup'), { env: { CLAUDE_PID: String(process.pid) } });
    const reason = deniedBecause(edit());
    const lines = reason.split('\n');
    const begins = ['Say which commits.', 'Nobody edits main.', 'Get it signed.', 'Keep it small.'];
    expect(lines.slice(0, 4).map((line, index) => line.slice(0, begins[index]?.length))).toEqual(begins);
    expect(lines[1]).toContain(`Branch feature/auth is protected. S${SWITCH}`);
    expect(reason).toContain(`Record what you have done: \`${record('plan')}\``);
    expect(reason).toContain(
      'approve `sign`: call AskUserQuestion with one question and the header "Holdpoint"',
    );
    expect(reason).toContain(`or ask the user to run \`${approve('sign')}\` in their own terminal`);
    expect(reason).toContain(`A person can waive \`safe\`, \`size\` by running \`${approve('safe size')}\``);
    expect(lines.length).toBeLessThanOrEqual(10);
  });

  it('a protected branch without a description is named once', () => {
    const { edit } = open(`plan: {enabled: true}, safe: {enabled: true, ${BRANCH}}`);
    expect(deniedBecause(edit())).toContain(`Branch feature/auth is protected. (\`safe\`) S${SWITCH}`);
  });

  it.each([7, 30])('%i of them stay within ten lines, and none is left out', (count) => {
    const names = Array.from({ length: count }, (_, index) => `need_${index}`);
    open(names.map((name) => `${name}: {enabled: true, description: Do ${name}.}`).join(', '));
    const reason = deniedBecause(project.edit());
    expect(reason.split('\n').length).toBeLessThanOrEqual(10);
    for (const name of names) expect(reason).toContain(`Do ${name}.`);
    expect(reason).toContain(record(names.join(' ')));
  });

  it('are told the same way to a session that begins, without an order to record all at once', () => {
    const { rig, on } = open(
      `${MANY}, also: {enabled: true, description: Read it.}, pr: {enabled: true, scope: single_use, description: Review it., trigger_tools: [Write, {tool: Bash, command_pattern: 'gh\\s+pr\\s+create'}], 'on': [commit]}`,
    );
    const briefing = contextOf(rig.hook(on.start('startup')));
    expect(briefing).toContain('- Say which commits. (`plan`, before an edit)');
    expect(briefing).toContain(`- Nobody edits main. (\`safe\`) S${SWITCH}`);
    expect(briefing).toContain('- Review it. (`pr`, before each commit or edit or `gh pr create`)');
    expect(briefing).toContain(`(\`plan\`, \`also\`, \`pr\`): \`${record('NAME')}\``);
    expect(briefing).toContain(`ask the user to run \`${approve('sign')}\``);
    for (const words of ['req satisfy safe', 'req satisfy sign', 'Fallback'])
      expect(briefing).not.toContain(words);
    expect(contextOf(rig.hook(on.post('ExitPlanMode', {})))).toContain(`S${SWITCH}`);
    const status = rig.req(['status', '--session', KEY]).stdout;
    for (const words of ['req satisfy safe', 'req satisfy sign']) expect(status).not.toContain(words);
    expect(status).toContain(`-> s${SWITCH}`);
  });
});

it.each([
  ['none at all', '', false],
  ['one that is disabled', 'plan: {enabled: false}', true],
  ['one that is invalid', 'plan: {enabled: true, scope: brnch}', true],
])('a session that begins hears that none is enforced unless there are none: %s', (_what, rules, isTold) => {
  const { rig, on } = open(rules);
  expect(contextOf(rig.hook(on.start('startup'))).includes('no requirement is enforced here')).toBe(isTold);
});

it('the words of the config come in place of the description, and no command is said twice', () => {
  const { edit } = open(
    'plan: {enabled: true, message: "Plan first, then `req satisfy plan --session {session_id}`."}',
  );
  const reason = deniedBecause(edit());
  expect(reason).toMatch(/^Plan first/);
  expect(reason.match(/req satisfy/g)).toHaveLength(1);
});

it('another call that is held within seconds says what it does', () => {
  const { edit, bash } = open('plan: {enabled: true, on: edit}');
  expect(deniedBecause(edit())).toContain(' is held until `plan` is satisfied');
  expect(deniedBecause(bash('echo x > b.txt'))).toContain('Still held by `plan`: it changes b.txt. Nothing');
});

it('a rule that lacks its evidence says what is missing, and offers no command', () => {
  const { edit, satisfy, rig } = open(
    'plan: {enabled: true, description: Plan it., evidence: {require_markers: [Agreed]}}',
  );
  satisfy('plan', '--session', KEY);
  const reason = deniedBecause(edit());
  expect(reason).toMatch(/^Plan it\.\n/);
  expect(reason).toContain('is marked as satisfied, but there is no Markdown file in .claude/plans (');
  expect(reason).toContain('\nWrite a Markdown file in .claude/plans that contains "Agreed".\n');
  expect(reason).not.toContain('`req ');
  expect(deniedBecause(edit())).toContain(
    'Still held by `plan`: there is no Markdown file in .claude/plans.',
  );
  expect(rig.req(['status', '--session', KEY]).stdout).toContain('-> add the missing evidence');
});

it.each([
  ["{command: 'test -e done'}", 'Make sure that `test -e done` succeeds'],
  ['{dirs: [docs, notes]}', 'Write a Markdown file in docs or notes'],
  [
    '{require_markers: ["## Risks", "## Tests"], require_verdict: OK, max_age_seconds: 60}',
    'Write a Markdown file in .claude/plans that contains "## Risks", "## Tests" and "OK" under "## Verdict" (at most 1m old)',
  ],
])('a rule without a description names its evidence at the first hold: %s', (evidence, asked) => {
  const { edit, rig, on } = open(`plan: {enabled: true, evidence: ${evidence}}`);
  expect(contextOf(rig.hook(on.start('startup')))).toContain(
    `- This project requires \`plan\` before an edit. ${asked}.\n`,
  );
  expect(deniedBecause(edit())).toContain(`\n${asked}, then record it: \`${record('plan')}\`\n`);
});

it('a turn that may not end is told what to do first', () => {
  const { rig, on, edit } = open(
    'log: {enabled: true, stop_only: true, description: Add a line to the changelog.}',
  );
  expect(edit()).toMatchObject(SILENT);
  const reason = heldBecause(rig.hook(on.stop(false)));
  expect(reason).toMatch(/^Add a line to the changelog\.\nThe turn is held: `log` was triggered/);
  expect(reason).toContain(`Do that, then record it: \`${record('log')}\``);
  expect(reason.split('\n').length).toBeLessThanOrEqual(6);
});

describe('a file of the old framework keeps its landmarks', () => {
  const OLD = '.claude/requirements.yaml';

  it('and the description leads', () => {
    const { edit } = open('plan: {enabled: true, description: Say which commits.}', OLD);
    const reason = deniedBecause(edit());
    expect(reason).toMatch(/^## Blocked: plan\nSay which commits\.\nEdit is held/);
    expect(reason).toContain(`**Action**: \`${record('plan')}\``);
    expect(reason).toContain(`Fallback (user action): \`${record('plan')}\``);
  });

  it('and the evidence is named before it is found missing', () => {
    const { edit } = open('plan: {enabled: true, evidence: {require_markers: ["## Commits"]}}', OLD);
    expect(deniedBecause(edit())).toMatch(
      /^## Blocked: plan\nWrite a Markdown file .*"## Commits"\.\nEdit is held/,
    );
  });

  it('and a protected branch is left, not satisfied', () => {
    const { rig, on, edit } = open(`safe: {enabled: true, ${BRANCH}}`, OLD);
    const texts = [
      contextOf(rig.hook(on.start('startup'))),
      deniedBecause(edit()),
      deniedBecause(rig.hook(on.pre('Write', { file_path: 'b' }))),
    ];
    for (const text of texts) {
      expect(text).toContain(SWITCH);
      expect(text).toContain(approve('safe'));
      expect(text).not.toContain('req satisfy safe');
    }
    expect(texts[1]).toContain('## Blocked: safe');
  });

  it.each([
    ['alone', 'sign: {enabled: true, agent_may_satisfy: false}'],
    ['with a skill', 'sign: {enabled: true, agent_may_satisfy: false, satisfied_by_skill: review}'],
    [
      'beside others',
      'sign: {enabled: true, agent_may_satisfy: false, satisfied_by_skill: review}, size: {enabled: true, type: dynamic, calculator: echo 9, thresholds: {block: 1}}',
    ],
  ])('and a reserved rule names the person who has to approve it: %s', (_what, requirements) => {
    const { rig, on, edit } = open(requirements, OLD);
    const texts = [contextOf(rig.hook(on.start('startup'))), deniedBecause(edit()), deniedBecause(edit())];
    for (const text of texts) {
      expect(text).toMatch(
        new RegExp(`erson has to approve (?:it|\`sign\`): .*or ask the user to run \`${approve('sign')}\``),
      );
      expect(text).not.toContain('req satisfy');
      expect(text).not.toContain('Satisfies');
    }
    expect(texts[1]).toContain('## Blocked:');
  });

  it('and the end of a turn names the person who has to approve a reserved rule', () => {
    const { rig, on, edit } = open('sign: {enabled: true, agent_may_satisfy: false, stop_only: true}', OLD);
    edit();
    const reason = heldBecause(rig.hook(on.stop(false)));
    expect(reason).toMatch(/^## Cannot Complete: Unsatisfied Requirements: sign\n/);
    expect(reason).toContain(`ask the user to run \`${approve('sign')}\``);
    expect(reason).not.toContain('req satisfy');
  });
});

describe('every host passes the whole text on', () => {
  const cursor = (members: HostDocument): HostDocument => ({
    conversation_id: SESSION,
    generation_id: 'g1',
    hook_event_name: 'preToolUse',
    cursor_version: '2.4.21',
    workspace_roots: [project.rig.repo],
    cwd: project.rig.repo,
    ...members,
  });
  const forms: [string, (repo: string) => HostDocument, (ended: Ended) => unknown][] = [
    ['codex', (repo) => codex.edit(repo, 'a.ts'), codex.denied],
    ['gemini', (repo) => gemini.edit(repo, 'a.ts'), gemini.denied],
    [
      'copilot',
      (cwd) => ({ sessionId: SESSION, timestamp: 1, cwd, toolName: 'edit', toolArgs: { path: 'a.ts' } }),
      ({ json }) => at(json, 'permissionDecisionReason'),
    ],
    [
      'cursor',
      () => cursor({ tool_name: 'Write', tool_input: { file_path: 'a.ts', content: 'x' }, tool_use_id: 't' }),
      ({ json }) => at(json, 'agent_message'),
    ],
  ];

  it.each(forms)('%s', (host, document, reasonIn) => {
    const { rig } = open('plan: {enabled: true, description: Say which commits.}');
    const reason = reasonIn(rig.hook(document(rig.repo), { args: ['--host', host] }));
    expect(reason).toMatch(/^Say which commits\.\n/);
    expect(reason).toContain(`Do that, then record it: \`${record('plan')}\``);
    expect(reason).toContain('holdpoint why');
  });
});
