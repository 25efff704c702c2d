import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { EDIT, eventsIn, KEY, OTHER_SESSION, SESSION } from './events';
import { at, deniedBecause, type Ended, makeRig, type Rig } from './rig';

let rig: Rig;
afterEach(() => rig.remove());

const CONFIG = `requirements:
  plan: {enabled: true, trigger_tools: [Edit], agent_may_satisfy: false, description: Agree on a plan first.}
  ship: {enabled: true, trigger_tools: [Bash], agent_may_satisfy: false, scope: single_use}
  notes: {enabled: true, trigger_tools: [Write]}
  signed: {enabled: true, trigger_tools: [Read], approval: hub}
`;
const HERE = { env: { CLAUDE_PID: String(process.pid) } };
const AGENT = { env: { CLAUDECODE: '1' } };
const OTHER_KEY = OTHER_SESSION.replaceAll('-', '').slice(0, 8);

const open = (): void => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  rig.hook(eventsIn(rig).start('startup'), HERE);
};
const edit = (more = {}): Ended => rig.hook(eventsIn(rig).pre('Edit', EDIT, more), HERE);
const bash = (): Ended => rig.hook(eventsIn(rig).pre('Bash', { command: 'true' }), HERE);
const run = (...args: string[]): Ended => rig.holdpoint(args);
const waiting = (): unknown => run('waiting', '--json').json;
const isHeld = (ended: Ended): boolean => ended.stdout.includes('"deny"');

describe('a rule that is reserved for people', () => {
  it.each([
    ['for its session', ['--session', KEY]],
    ['for a branch', ['--branch', 'feature/auth']],
  ])('stays open where an agent records it %s in a work tree without the rule', (_whose, args) => {
    rig = makeRig('');
    const tree = `${rig.dir}/older`;
    rig.git('worktree', 'add', '--quiet', '--detach', tree);
    rig.git('-C', tree, 'switch', '--quiet', '--ignore-other-worktrees', 'feature/auth');
    rig.write('.holdpoint/config.yaml', CONFIG);
    rig.hook(eventsIn(rig).start('startup'), HERE);
    const recorded = rig.req(['satisfy', 'plan', '--force', ...args], { ...AGENT, cwd: tree });
    expect(recorded).toMatchObject({ exitCode: 0 });
    expect(isHeld(edit())).toBe(true);
    expect(at(rig.req(['status', '--json', '--session', KEY]).json, 'needed')).toContain('plan');
  });
});

it('a session that begins is told who approves what, and that some need a hub', () => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  const { stdout } = rig.hook(eventsIn(rig).start('startup'), HERE);
  expect(stdout).toContain(
    'A person has to approve `plan`, `ship`: when a call is held for one of them, call Ask',
  );
  expect(stdout).toContain(
    '`signed` can only be approved on a hub, and this machine has not joined one. A person',
  );
});

describe('in a session whose start was not seen', () => {
  it('the hold, the note and the list name the terminal alone, since a question would not count', () => {
    rig = makeRig(CONFIG, '.holdpoint/config.yaml');
    const { stdout } = edit();
    expect(stdout).toContain(
      `ask the user to run \`req approve plan --session ${KEY}\` in their own terminal`,
    );
    expect(stdout).not.toContain('AskUserQuestion');
    expect(stdout).toContain(`(run \`holdpoint approve plan --session ${KEY}\` in a terminal of your own)`);
    expect(waiting()).toMatchObject([{ rule: 'plan', channel: 'terminal' }]);
    expect(run('waiting').stdout).toMatch(/only here.*Answer here: /s);
    const questions = [{ question: 'May I?', header: 'Holdpoint', options: [] }];
    const asked = rig.hook(eventsIn(rig).pre('AskUserQuestion', { questions }), HERE);
    expect(deniedBecause(asked)).toMatch(
      /^`plan` cannot be approved by a question in this session, because the session began before .*\nThe user can run /,
    );
  });
});

describe('a rule that only the hub approves', () => {
  const read = (): Ended => rig.hook(eventsIn(rig).pre('Read', { file_path: 'a' }), HERE);

  it('is refused by `req satisfy` and `req approve`, and goes on waiting', () => {
    open();
    read();
    for (const verb of ['satisfy', 'approve'])
      for (const more of [['--session', KEY], ['--branch']])
        expect(rig.req([verb, 'signed', ...more])).toMatchObject({
          exitCode: 1,
          stdout: '',
          stderr: '`signed` can be approved on the hub only.\n',
        });
    expect(waiting()).toMatchObject([{ rule: 'signed', channel: 'hub' }]);
    expect(run('waiting').stdout).toMatch(/only on the hub's page *\n$/);
    expect(isHeld(read())).toBe(true);
  });

  const FILES = ['.holdpoint/config.yaml', '.claude/requirements.yaml'];
  const KEYS = [
    '',
    'plan: {enabled: true, agent_may_satisfy: false}',
    '}, hooks: {session_start: {briefing_format: standard}',
  ];
  it.each(FILES.flatMap((file) => KEYS.map((keys) => [file, keys] as const)))(
    'is nowhere offered with a command: %s %s',
    (file, keys) => {
      rig = makeRig(`{requirements: {signed: {enabled: true, approval: hub}, ${keys}}}`, file);
      const told = [
        rig.hook(eventsIn(rig).start('startup'), HERE).stdout,
        edit().stdout,
        edit().stdout,
        rig.req(['status', '-v', '--session', KEY]).stdout,
      ];
      for (const text of told) {
        expect(text).toMatch(/on (?:the|a) hub/);
        expect(text).not.toMatch(/(?:req|holdpoint) (?:satisfy|approve)(?: \w+)* signed/);
      }
    },
  );
});

describe('holdpoint waiting', () => {
  it('lists what waits, with exactly these keys', () => {
    open();
    expect(waiting()).toEqual([]);
    expect(run('waiting').stdout).toMatch(/^Nothing waits for a person here\. When a rule with/);
    edit();
    edit();
    expect(waiting()).toEqual([
      {
        rule: 'plan',
        session: KEY,
        project: rig.repo,
        branch: 'feature/auth',
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        channel: expect.any(String),
      },
    ]);
    expect(run('waiting').stdout).toMatch(
      /^ {2}plan +\w{8} +feature\/auth +just now .*Agree on a plan first\./,
    );
  });

  it('forgets what was satisfied in another way, and sessions whose client has ended', () => {
    open();
    edit();
    rig.req(['satisfy', 'plan', '--branch']);
    expect(waiting()).toEqual([]);
    rig.hook(eventsIn(rig).pre('Bash', { command: 'true' }, { session_id: OTHER_SESSION }), {
      env: { CLAUDE_PID: '1' },
    });
    expect(waiting()).toMatchObject([{ rule: 'ship', session: OTHER_KEY }]);
    const registry = `${rig.home}/.claude/sessions.json`;
    const known = JSON.stringify(rig.readJson(registry)).replaceAll('"ppid":1,', '"ppid":999999999,');
    writeFileSync(registry, known);
    expect(waiting()).toEqual([]);
  });
});

describe('holdpoint approve', () => {
  it('satisfies a rule in its scope, and says who did so and how', () => {
    open();
    const [, id = ''] = /holdpoint why (\w+)/.exec(edit().stdout) ?? [];
    expect(run('approve', 'plan', '--note', 'as discussed')).toMatchObject({
      exitCode: 0,
      stdout: `Approved plan for session ${KEY}.\n`,
      stderr: '',
    });
    expect(isHeld(edit())).toBe(false);
    expect(waiting()).toEqual([]);
    const entry = at(rig.readJson('.git/requirements/feature-auth.json'), 'requirements', 'plan');
    expect(at(entry, 'sessions', KEY)).toMatchObject({
      actor: 'person',
      channel: 'terminal',
      metadata: { note: 'as discussed' },
    });
    expect(run('why', id).stdout).toMatch(
      /outcome +approved at \S+ by a person in a terminal with `holdpoint approve`/,
    );
    expect(run('log').stdout).toMatch(/changed +approve .*plan by a person in a terminal/);
    expect(run('status').stdout).toMatch(/✓ +plan +session +by a person in a terminal/);
    const [shown] = (at(run('status', '--json').json, 'requirements') as unknown[]) ?? [];
    expect(shown).toMatchObject({ name: 'plan', actor: 'person', channel: 'terminal' });
    const lines = run('log', '--all', '--json').stdout.trim().split('\n');
    for (const line of lines.map((one) => JSON.parse(one)))
      expect(line, JSON.stringify(line)).toMatchObject({
        actor: expect.stringMatching(/^(person|agent|skill|system)$/),
        channel: expect.stringMatching(/^(terminal|hook|cli)$/),
      });
  });

  it('without a name answers the only one that waits, after showing it, and else lists them', () => {
    open();
    expect(run('approve')).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^Nothing waits/) });
    edit();
    expect(run('approve')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('Agree on a plan first.'),
      stdout: `Approved plan for session ${KEY}.\n`,
    });
    bash();
    edit({ session_id: OTHER_SESSION });
    expect(run('reject', '--session', OTHER_SESSION.slice(0, 4)).stdout).toMatch(/^Rejected plan for /);
    edit({ session_id: OTHER_SESSION });
    const several = run('approve');
    expect(several).toMatchObject({ exitCode: 1, stdout: '' });
    expect(several.stderr).toMatch(
      /^2 rules wait for a person\. Say which: `holdpoint approve NAME`\.\n {2}/,
    );
    expect(several.stderr).toMatch(/ship .*\n.*plan /);
  });

  it('asks for a session only where several wait for the same rule', () => {
    open();
    edit();
    bash();
    edit({ session_id: OTHER_SESSION });
    expect(run('approve', 'ship')).toMatchObject({
      exitCode: 0,
      stdout: `Approved ship for one call of session ${KEY}.\n`,
    });
    const refused = run('approve', 'plan');
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^2 sessions wait for plan\. Choose one with --session ID:/);
    for (const key of [KEY, OTHER_KEY]) expect(refused.stderr).toContain(key);
    expect(run('approve', 'plan', '--session', OTHER_SESSION)).toMatchObject({ exitCode: 0 });
    expect(isHeld(edit())).toBe(true);
    expect(isHeld(edit({ session_id: OTHER_SESSION }))).toBe(false);
  });

  it.each([
    ['scope: branch', '.holdpoint/config.yaml', 'Approved plan for every session on next.\n'],
    ['scope: session', '.claude/requirements.yaml', `Approved plan for session ${KEY}.\n`],
  ])('is for the branch where the agent is held now (%s in %s)', (scope, file, stdout) => {
    rig = makeRig(`requirements: {plan: {enabled: true, ${scope}, agent_may_satisfy: false}}`, file);
    rig.hook(eventsIn(rig).start('startup'), HERE);
    edit();
    rig.git('switch', '--quiet', '-c', 'next');
    expect(isHeld(edit())).toBe(true);
    expect(waiting()).toMatchObject([{ rule: 'plan', branch: 'next' }]);
    expect(run('approve', 'plan')).toMatchObject({ exitCode: 0, stdout });
    expect(isHeld(edit())).toBe(false);
    rig.git('switch', '--quiet', 'feature/auth');
    expect(isHeld(edit())).toBe(true);
  });

  it('says that a session has not begun', () => {
    rig = makeRig(CONFIG, '.holdpoint/config.yaml');
    expect(run('approve', 'plan', '--session', SESSION).stdout).toBe(
      `Approved plan for session ${KEY}.\nNo session ${KEY} has been seen here yet. This counts once it starts.\n`,
    );
  });

  it('is for the branch that the held line goes to', () => {
    rig = makeRig(
      'requirements: {plan: {enabled: true, scope: branch, on: commit, agent_may_satisfy: false}}',
      '.holdpoint/config.yaml',
    );
    rig.git('branch', 'next');
    rig.hook(eventsIn(rig).start('startup'), HERE);
    const command = 'git switch next && git commit -m x';
    const commit = (): Ended => rig.hook(eventsIn(rig).pre('Bash', { command }), HERE);
    expect(isHeld(commit())).toBe(true);
    run('approve', 'plan');
    expect(isHeld(commit())).toBe(true);
    expect(waiting()).toMatchObject([{ rule: 'plan', branch: 'next' }]);
    expect(run('approve', 'plan').stdout).toBe('Approved plan for every session on next.\n');
    expect(isHeld(commit())).toBe(false);
  });

  it.each([
    ['holdpoint', ['--session', KEY]],
    ['req', ['--session', KEY]],
    ['req', ['--branch']],
  ] as const)('lasts as long as `approval_ttl` says (%s approve plan %j)', (program, args) => {
    rig = makeRig(
      'requirements: {plan: {enabled: true, on: edit, agent_may_satisfy: false, approval_ttl: 30m}}',
      '.holdpoint/config.yaml',
    );
    expect(rig[program](['approve', 'plan', ...args])).toMatchObject({ exitCode: 0 });
    const state = JSON.stringify(rig.readJson('.git/requirements/feature-auth.json'));
    const [, from, to] = /"satisfied_at":(\d+).*?"expires_at":(\d+)/.exec(state) ?? [];
    expect(Number(to) - Number(from)).toBe(1800);
  });

  it.each(['session', 'branch', 'permanent', 'single_use'])(
    'ends with its `approval_ttl`, whatever the scope (%s)',
    (scope) => {
      rig = makeRig(
        `requirements: {plan: {enabled: true, on: edit, agent_may_satisfy: false, approval_ttl: 30m, scope: ${scope}}}`,
        '.holdpoint/config.yaml',
      );
      run('approve', 'plan', '--session', KEY);
      const file = `.git/requirements/${scope === 'permanent' ? '_project' : 'feature-auth'}.json`;
      rig.write(file, JSON.stringify(rig.readJson(file)).replace(/"expires_at":\d+/, '"expires_at":1'));
      expect(isHeld(edit())).toBe(true);
    },
  );

  it.each(['session', 'branch', 'permanent', 'single_use'])(
    'counts for a whole branch with `req approve --branch` (scope: %s)',
    (scope) => {
      rig = makeRig(
        `requirements: {plan: {enabled: true, on: edit, agent_may_satisfy: false, scope: ${scope}}}`,
        '.holdpoint/config.yaml',
      );
      expect(isHeld(edit())).toBe(true);
      expect(rig.req(['approve', 'plan', '--branch'])).toMatchObject({ exitCode: 0 });
      expect(isHeld(edit())).toBe(false);
      rig.git('switch', '--quiet', '-c', 'next');
      expect(isHeld(edit())).toBe(true);
    },
  );

  it('of a value is for the session, whatever the scope of its rule, and says so', () => {
    rig = makeRig(
      `requirements: {size: {enabled: true, type: dynamic, scope: branch, calculator: 'echo 9', thresholds: {block: 5}}}`,
      '.holdpoint/config.yaml',
    );
    rig.hook(eventsIn(rig).start('startup'), HERE);
    expect(run('approve', 'size', '--session', KEY).stdout).toBe(`Approved size for session ${KEY}.\n`);
    expect(isHeld(edit())).toBe(false);
    expect(isHeld(edit({ session_id: OTHER_SESSION }))).toBe(true);
  });

  it('works before anybody has asked', () => {
    open();
    expect(run('approve', 'plan', 'notes', '--session', SESSION)).toMatchObject({ exitCode: 0 });
    expect(isHeld(edit())).toBe(false);
  });

  it.each([
    ['an unknown name', ['approve', 'plam'], "Unknown rule 'plam'. Did you mean 'plan'?"],
    ['a rule for the hub', ['approve', 'signed'], '`signed` can be approved on the hub only.'],
    [
      'an unknown session',
      ['approve', 'plan', '--session', 'nobody'],
      "holdpoint approve: unknown session 'nobody'.",
    ],
  ])('refuses %s', (_name, args, words) => {
    open();
    edit();
    const refused = run(...args);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain(words);
  });

  it.each(['approve', 'reject'])('%s is refused in one sentence where an agent runs it', (verb) => {
    open();
    edit();
    const refused = rig.holdpoint([verb, 'plan'], AGENT);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      new RegExp(`^Only a person can ${verb} a rule: ask the user to run it in their own terminal.*\n$`),
    );
    expect(isHeld(edit())).toBe(true);
  });

  it('is the same act as `req approve` of a reserved rule', () => {
    open();
    edit();
    expect(rig.req(['approve', 'plan', '--session', SESSION])).toMatchObject({ exitCode: 0 });
    expect(isHeld(edit())).toBe(false);
    expect(rig.readJson('.git/holdpoint/approvals.json')).toMatchObject({ requests: [] });
  });
});

describe('holdpoint reject', () => {
  it('leaves the rule open, and the agent reads the note at its next attempt', () => {
    open();
    const [, id = ''] = /holdpoint why (\w+)/.exec(edit().stdout) ?? [];
    expect(run('reject', 'plan', '--note', 'split\nit first')).toMatchObject({
      exitCode: 0,
      stdout: `Rejected plan for session ${KEY}. The agent reads it at its next attempt.\n`,
    });
    expect(waiting()).toEqual([]);
    expect(run('why', id).stdout).toMatch(/outcome +still open; rejected at \S+ by a person in a terminal/);
    expect(deniedBecause(edit())).toMatch(/^Rejected by a person: split it first/);
    expect(waiting()).toMatchObject([{ rule: 'plan' }]);
    run('approve', 'plan');
    expect(isHeld(edit())).toBe(false);
  });

  it.each([
    ['session', `for session ${KEY}`],
    ['single_use', `for one call of session ${KEY}`],
    ['branch', 'for every session on feature/auth'],
    ['permanent', 'for this project'],
  ])('takes back what was approved, with scope %s', (scope, where) => {
    rig = makeRig(CONFIG.replace('[Edit]', `[Edit], scope: ${scope}`), '.holdpoint/config.yaml');
    rig.hook(eventsIn(rig).start('startup'), HERE);
    edit();
    run('approve', 'plan');
    expect(run('reject', 'plan', '--session', SESSION, '--note', 'split it').stdout).toBe(
      `Rejected plan for session ${KEY}. It was satisfied; that is taken back ${where}. The agent reads it at its next attempt.\n`,
    );
    expect(deniedBecause(edit())).toMatch(/^Rejected by a person: split it/);
  });

  it('says so where the condition of a rule is met anyway', () => {
    const on = 'enabled: true, type: guard, guard_type: protected_branch, protected_branches: [main]';
    rig = makeRig(`requirements: {plan: {${on}}}\n`, '.holdpoint/config.yaml');
    rig.hook(eventsIn(rig).start('startup'), HERE);
    const { stdout } = run('reject', 'plan', '--session', SESSION);
    expect(stdout).toContain('But its condition is met now, so it does not hold');
  });
});

describe('entries from before actor and channel were recorded', () => {
  it('are unknown, not guessed', () => {
    open();
    const entry = {
      scope: 'session',
      sessions: { [KEY]: { satisfied: true, satisfied_at: 1700000000, satisfied_by: 'cli' } },
    };
    rig.write('.git/requirements/feature-auth.json', JSON.stringify({ requirements: { notes: entry } }));
    expect(run('status').stdout).toMatch(/✓ +notes +session +by whom is unknown/);
    const shown = at(run('status', '--json').json, 'requirements') as { name: string }[];
    expect(shown.find(({ name }) => name === 'notes')).toMatchObject({
      actor: 'unknown',
      channel: 'unknown',
    });
  });
});

describe('a file of the older framework', () => {
  it('keeps its meaning where the agent may satisfy a rule, and doctor mentions it once', () => {
    const rules = '{a: {enabled: true}, b: {enabled: true, agent_may_satisfy: true}, c: {enabled: true}}';
    rig = makeRig(`{inherit: false, requirements: ${rules}}`);
    const { checks } = rig.holdpoint(['doctor', '--json']).json as {
      checks: { id: string; message: string }[];
    };
    const told = checks.filter(({ id }) => id === 'project.agent-may-satisfy');
    expect(told).toMatchObject([
      { status: 'pass', message: expect.stringContaining('can satisfy a, c, as in') },
    ]);
    expect(rig.req(['satisfy', 'a', '--branch'], AGENT)).toMatchObject({ exitCode: 0 });
  });

  it('keeps its meaning where a protected branch holds only edits, and doctor mentions it once', () => {
    const guard = 'enabled: true, type: guard, guard_type: protected_branch';
    const rules = `{a: {${guard}}, b: {${guard}, on: [edit, push]}, c: {${guard}, trigger_tools: [Bash]}}`;
    rig = makeRig(`{inherit: false, requirements: ${rules}}`);
    const { checks } = rig.holdpoint(['doctor', '--json']).json as { checks: { id: string }[] };
    const told = checks.filter(({ id }) => id === 'project.protected-branch');
    expect(told).toMatchObject([
      { status: 'pass', message: expect.stringMatching(/^a holds only edits, as in/) },
    ]);
  });
});
