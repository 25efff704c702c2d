import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventsIn, KEY, SESSION } from './events';
import { at, makeRig, type Rig, runNow } from './rig';

let rig: Rig;
afterEach(() => rig.remove());

const CONFIG = '.holdpoint/config.yaml';
const SETTINGS = '.claude/settings.json';
const PLAN = 'requirements: {plan: {enabled: true, scope: session}}\n';
const CHECK = 'checks: {t: {command: "true"}}, entry_points: [{path: ".", checks: [t]}]';
const GATES = `gates: {${CHECK}}\n`;

/** A project that is installed, with one session that has begun. */
function open(config = PLAN, host = 'claude-code'): void {
  rig = makeRig(config, CONFIG);
  install(host);
  rig.hook(eventsIn(rig).start('startup'), { env: { CLAUDE_PID: String(process.pid) } });
}

function install(host = 'claude-code'): void {
  const ended = rig.holdpoint(['install', '--host', host]);
  expect(ended.exitCode, ended.stderr).toBe(0);
}

const firstLine = (env: Record<string, string> = {}): string =>
  rig.holdpoint(['status'], { env }).stdout.split('\n')[0] ?? '';
const twoLines = (): string[] => {
  const [first = '', second = ''] = rig.holdpoint(['status']).stdout.split('\n');
  return [first, second.trim()];
};
const json = (env: Record<string, string> = {}): unknown => rig.holdpoint(['status', '--json'], { env }).json;
const glance = (env: Record<string, string> = {}): string => {
  const input = JSON.stringify({ session_id: SESSION, workspace: { current_dir: rig.repo } });
  return runNow('holdpoint', ['statusline'], input, { cwd: rig.home, env: rig.environment(env) }).stdout;
};
/** A person has changed the config while an agent works, and accepted that. */
const agreed = (text: string, file = CONFIG): void => {
  rig.write(file, text);
  expect(rig.holdpoint(['trust', '--accept']).stdout).toContain('Accepted');
};
const inHome = (path: string): string => join(rig.home, path);
const LAUNCH = '.config/holdpoint/launch';

interface Row {
  readonly what: string;
  spoil(): void;
  readonly says: string;
  readonly fix: string;
  mend(): void;
}

const OFF_BY_CONFIG: readonly Row[] = [
  {
    what: '`req disable`',
    spoil: () => rig.req(['disable']),
    says: 'requirements are disabled (.holdpoint/config.local.yaml:3)',
    fix: 'Run `req enable`',
    mend: () => rig.req(['enable']),
  },
  {
    what: 'a requirement that is not enabled',
    spoil: () => rig.req(['disable', 'plan']),
    says: 'rule plan is disabled (.holdpoint/config.local.yaml:3)',
    fix: 'Run `req enable plan`',
    mend: () => rig.req(['enable', 'plan']),
  },
  {
    what: 'a requirement with two mistakes',
    spoil: () => agreed(PLAN.replace('true', 'true, type: dynamic')),
    says: 'requirements.plan is invalid (.holdpoint/config.yaml:1:16)',
    fix: 'Fix it there',
    mend: () => rig.write(CONFIG, PLAN),
  },
  {
    what: 'a section of another name',
    spoil: () => agreed(PLAN.replace('requirements', 'requirments')),
    says: 'requirments is invalid (.holdpoint/config.yaml:1:1)',
    fix: 'Fix it there',
    mend: () => rig.write(CONFIG, PLAN),
  },
];

const OFF_BY_INSTALLATION: readonly Row[] = [
  {
    what: 'a launch file that is something else',
    spoil: () => writeFileSync(inHome(LAUNCH), 'garbage\n'),
    says: '~/.config/holdpoint/launch is damaged',
    fix: 'Run `holdpoint install --host claude-code`',
    mend: install,
  },
  {
    what: 'a launch file that is cut short',
    spoil: () => writeFileSync(inHome(LAUNCH), readFileSync(inHome(LAUNCH), 'utf8').slice(0, -40)),
    says: '~/.config/holdpoint/launch is damaged',
    fix: 'Run `holdpoint install --host claude-code`',
    mend: install,
  },
  {
    what: 'a directory of ours that is gone',
    spoil: () => rmSync(inHome('.config/holdpoint'), { recursive: true }),
    says: '~/.config/holdpoint/launch is missing or cannot be read',
    fix: 'Run `holdpoint install --host claude-code`',
    mend: install,
  },
  {
    what: 'settings that are no JSON',
    spoil: () => rig.write(SETTINGS, `${readFileSync(join(rig.repo, SETTINGS), 'utf8')},`),
    says: '.claude/settings.json:137:1: not valid JSON (end of file expected): most hosts silently ignore the whole file',
    fix: 'Fix .claude/settings.json',
    mend: () => rig.write(SETTINGS, readFileSync(join(rig.repo, SETTINGS), 'utf8').slice(0, -1)),
  },
];

describe('nothing is held, and nobody calls that on', () => {
  it.each([...OFF_BY_CONFIG, ...OFF_BY_INSTALLATION])('$what', ({ spoil, says, fix, mend }) => {
    open();
    expect([firstLine(), glance()]).toEqual(['Holdpoint on', 'holdpoint on · 1/1 req open\n']);
    spoil();
    expect(twoLines()).toEqual([`Holdpoint off: ${says}`, fix]);
    expect(glance()).toBe(`holdpoint off: ${says}\n`);
    expect(json()).toMatchObject({ state: 'off', session_states: [{ id: KEY, state: 'off' }] });
    mend();
    expect([firstLine(), glance()]).toEqual(['Holdpoint on', 'holdpoint on · 1/1 req open\n']);
  });

  it.each([
    ['HOLDPOINT_DISABLE', 'HOLDPOINT_DISABLE is set'],
    ['CLAUDE_SKIP_REQUIREMENTS', 'requirements are off: CLAUDE_SKIP_REQUIREMENTS is set'],
  ])('%s, which is of this environment and not of that of a session', (variable, short) => {
    open();
    const env = { [variable]: '1' };
    expect(firstLine(env)).toBe(`Holdpoint off: ${short}`);
    expect(at(json(env), 'state_reason')).toBe(`${short}; Unset it where the agent is started`);
    expect(glance(env)).toBe(`holdpoint off: ${short}\n`);
    expect(json(env)).toMatchObject({ state: 'off', session_states: [{ state: 'on' }] });
  });

  it('a workflow or a loop that does not go on', () => {
    open('workflow: {}\n');
    expect(twoLines()).toEqual(['Holdpoint off: no workflow is active', '`holdpoint flow start` starts one']);
    rig.holdpoint(['loop', 'start', '--session', SESSION, 'go']);
    expect(firstLine()).toBe('Holdpoint on');
    rig.holdpoint(['loop', 'pause', '--session', SESSION]);
    expect(firstLine()).toBe('Holdpoint off: no workflow is active; the loop is paused');
    expect(at(json(), 'state_reason')).toContain('Run `holdpoint loop resume`');
  });
});

describe('a part that is not held is named', () => {
  it('gates for a place that is not there', () => {
    open(`${PLAN}${GATES}`);
    agreed(`${PLAN}${GATES.replace('"."', 'scr/*')}`);
    const says = 'gates are off while there is no scr/* (.holdpoint/config.yaml:2:56)';
    const fix = 'Correct `entry_points` if it is misspelled';
    expect(twoLines()).toEqual([`Holdpoint on in part: ${says}`, fix]);
    expect(glance()).toBe(`holdpoint on in part: ${says} · 1/1 req open · gates not run\n`);
    const said = json();
    expect(said).toMatchObject({ state: 'on in part', session_states: [{ state: 'on in part' }] });
    expect(at(said, 'state_reason')).toContain(fix);
  });

  it('one of two hosts', () => {
    open();
    install('codex');
    expect(twoLines()).toEqual([
      expect.stringMatching(/^Holdpoint on in part: Codex skips the hooks/),
      expect.stringMatching(/trust the Holdpoint hooks$/),
    ]);
    expect(glance()).toMatch(/^holdpoint on in part: Codex skips the hooks/);
    rig.holdpoint(['uninstall', '--host', 'claude-code']);
    expect(firstLine()).toMatch(/^Holdpoint off: Codex skips the hooks/);
  });

  it('a session that calls, while no settings do', () => {
    open();
    rig.write(SETTINGS, '{}');
    expect(twoLines()).toEqual([
      'Holdpoint on',
      'New sessions are not held: no settings file calls the hook. Run `holdpoint install`',
    ]);
    expect(json()).toMatchObject({ session_states: [{ id: KEY, state: 'on' }] });
    expect(glance()).toBe('holdpoint on · 1/1 req open\n');
    rig.hook(eventsIn(rig).end());
    expect(twoLines()).toEqual(['Holdpoint off: no settings file calls the hook', 'Run `holdpoint install`']);
  });

  it('guards are told with whether they hold', () => {
    open(`${PLAN}${GATES}workflow: {}\n`);
    rig.req(['disable']);
    const { stdout } = rig.holdpoint(['status']);
    expect(stdout).toMatch(/^Rules +requirements \(off\), workflow \(idle\), gates$/m);
    expect(stdout).toMatch(/^Requirements .* \(not enforced now\)$/m);
    expect(json()).toMatchObject({
      guards: ['requirements', 'workflow', 'gates'],
      guards_holding: ['gates'],
      switched_off: [expect.stringContaining('`req enable`')],
    });
  });
});

describe('a config that is edited while an agent works', () => {
  const LINT = GATES.replace('checks: {', 'checks: {lint: {command: "true"}, ').replace('[t]', '[t, lint]');
  const WAITS = 'a change waits for a person';
  const edit = (): unknown =>
    rig.hook(eventsIn(rig).pre('Edit', { file_path: join(rig.repo, 'a') }, { tool_use_id: `t${++calls}` }))
      .json;
  let calls = 0;

  it.each([
    ['a rule that is taken out', 'requirements: {}\n'],
    ['a rule that is disabled', PLAN.replace('true', 'false')],
    ['a rule with a mistake', PLAN.replace('true', '"yes"')],
    ['a rule that asks for less', PLAN.replace('scope', 'trigger_tools: [Bash], scope')],
    ['a config that does not parse', `${PLAN} bad\n`],
    ['no config', ''],
  ])('holds as it was, and every view says so, until a person accepts: %s', (_what, text) => {
    open();
    if (text === '') rmSync(join(rig.repo, CONFIG));
    else rig.write(CONFIG, text);
    const told = edit();
    expect(at(told, 'hookSpecificOutput', 'permissionDecision')).toBe('deny');
    expect(at(told, 'systemMessage')).toMatch(/^Holdpoint: changed while an agent works: .*config\.yaml/);
    expect(at(edit(), 'systemMessage'), 'told once').toBeUndefined();
    expect(twoLines()).toEqual([
      `Holdpoint on: ${WAITS}`,
      expect.stringContaining('`holdpoint trust --accept`'),
    ]);
    expect(glance()).toBe(`holdpoint on: ${WAITS} · 1/1 req open\n`);
    expect(json()).toMatchObject({ state: 'on', tampering: [{ file: join(rig.repo, CONFIG) }] });
    for (const command of [rig.holdpoint, rig.req]) {
      expect(command(['config']).stdout).toMatch(/^This config is not in effect: .*`holdpoint trust`/);
      expect(command(['config', '--json']).json).toMatchObject({ in_effect: false });
    }
    rig.holdpoint(['trust', '--accept']);
    expect(rig.holdpoint(['config']).stdout).not.toContain('not in effect');
    expect(edit()).toBeUndefined();
    expect(json()).toMatchObject({ tampering: [] });
  });

  it.each([
    ['a new rule', PLAN.replace('}}', '}, review: {enabled: true, scope: session}}'), '2/2 req open'],
    ['a new rule that comes first', PLAN.replace('{plan', '{review: {enabled: true}, plan'), '2/2 req open'],
    ['a comment, and lines that move', `# Why\n\n${PLAN}`, '1/1 req open'],
    ['a description', PLAN.replace('scope', 'description: Say how, scope'), '1/1 req open'],
    ['gates', PLAN + GATES, '1/1 req open · gates not run'],
    [
      'a person instead of the agent',
      PLAN.replace('scope', 'agent_may_satisfy: false, scope'),
      'waiting for you: plan · 1/1 req open',
    ],
    [
      'more tools',
      PLAN.replace('scope', 'trigger_tools: [Edit, Write, MultiEdit, Bash], scope'),
      '1/1 req open',
    ],
    [
      'more scopes at the end of a turn',
      `${PLAN}hooks: {stop: {verify_scopes: [session, branch]}}`,
      '1/1 req open',
    ],
  ])('counts at once, and nobody is asked, where nothing is loosened: %s', (_what, text, says) => {
    open();
    rig.write(CONFIG, text);
    expect(String(at(edit(), 'systemMessage'))).not.toContain('changed while an agent works');
    expect(glance()).toBe(`holdpoint on · ${says}\n`);
    expect(json()).toMatchObject({ state: 'on', tampering: [] });
  });

  it('counts at once where it turns requirements on', () => {
    rig = makeRig('{enabled: false, requirements: {plan: {enabled: true}}}', '.claude/requirements.yaml');
    rig.hook(eventsIn(rig).start('startup'), { env: { CLAUDE_PID: String(process.pid) } });
    expect(edit()).toBeUndefined();
    rig.write('.claude/requirements.yaml', '{requirements: {plan: {enabled: true}}}');
    expect(at(edit(), 'hookSpecificOutput', 'permissionDecision')).toBe('deny');
    expect(json()).toMatchObject({ tampering: [] });
  });

  it.each<[string, () => unknown]>([
    ['req status', () => rig.req(['status'])],
    ['holdpoint rules', () => rig.holdpoint(['rules'])],
    ['the end of another session', () => rig.hook(eventsIn(rig).end({ session_id: 'another' }))],
    [
      'the end of a subagent',
      () => rig.hook({ ...eventsIn(rig).stop(false), hook_event_name: 'SubagentStop' }),
    ],
  ])('is told of by the next event that can tell a person, though %s was first to see it', (_, first) => {
    open();
    rig.write(CONFIG, 'requirements: {}\n');
    first();
    expect(at(edit(), 'systemMessage')).toMatch(/^Holdpoint: changed while an agent works: .*config\.yaml/);
    expect(at(edit(), 'systemMessage'), 'told once').toBeUndefined();
  });

  it('is told of though its compiled form was removed and a command has compiled it', () => {
    open();
    rmSync(join(rig.repo, '.git/holdpoint/config.jsonl'));
    rig.write(CONFIG, PLAN.replace('session', 'branch'));
    rig.req(['status']);
    expect(at(edit(), 'systemMessage')).toContain('were removed or changed while an agent works');
    expect(at(edit(), 'systemMessage'), 'told once').toBeUndefined();
  });

  it('is not told of any more once a person has accepted it', () => {
    open();
    rig.write(CONFIG, 'requirements: {}\n');
    rig.req(['status']);
    rig.holdpoint(['trust', '--accept']);
    expect(edit()).toBeUndefined();
  });

  it('runs the gates at once where it turns them on', () => {
    open(GATES.replace('gates: {', 'gates: {stop_hook: {enabled: false}, '));
    expect(firstLine()).toMatch(/^Holdpoint off: gates are disabled/);
    rig.write(CONFIG, GATES);
    expect(firstLine()).toBe('Holdpoint on');
  });

  it('asks for more checks at once, and for none less', () => {
    open(GATES);
    rig.write(CONFIG, LINT);
    expect(glance()).toBe('holdpoint on · gates not run\n');
    rig.write(CONFIG, GATES);
    expect(glance()).toBe(`holdpoint on: ${WAITS} · gates not run\n`);
  });

  it('is agreed on where a person uses our own commands, and waits where nobody is known to', () => {
    open();
    expect(rig.req(['disable', 'plan']).stderr).toBe('');
    expect(firstLine()).toMatch(/^Holdpoint off: rule plan is disabled/);
    expect(rig.req(['enable', 'plan']).exitCode).toBe(0);
    const { stderr } = rig.req(['disable', 'plan'], { env: { CLAUDECODE: '1' } });
    expect(stderr).toContain('until a person accepts the changes with `holdpoint trust --accept`');
    expect(firstLine()).toBe(`Holdpoint on: ${WAITS}`);
  });

  it('is told of by doctor', () => {
    open();
    rmSync(join(rig.repo, CONFIG));
    edit();
    expect(rig.holdpoint(['doctor']).stdout).toContain(`Holdpoint is on: ${WAITS}`);
  });

  it('counts as it is once the agent has left', () => {
    open();
    rig.hook(eventsIn(rig).end());
    rig.write(CONFIG, 'requirements: {}\n');
    expect(edit()).toBeUndefined();
  });
});

describe('what calls us otherwise', () => {
  const settings = (value: unknown): void => rig.write(SETTINGS, JSON.stringify(value));

  it('needs no launch file: a line that was written by hand', () => {
    rig = makeRig(PLAN, CONFIG);
    settings({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'holdpoint hook' }] }] } });
    expect(firstLine()).toBe('Holdpoint on');
  });

  it('is looked at in its own file: a host that runs us in its own process', () => {
    open(PLAN, 'opencode');
    expect(firstLine()).toBe('Holdpoint on');
    rmSync(inHome('.config/holdpoint/library.cjs'));
    expect(twoLines()).toEqual([
      'Holdpoint off: ~/.config/holdpoint/library.cjs is missing or cannot be read',
      'Run `holdpoint install --host opencode`',
    ]);
    install('opencode');
    rmSync(join(rig.repo, '.opencode/plugin/holdpoint.js'));
    expect(twoLines()).toEqual([
      'Holdpoint off: .opencode/plugin/holdpoint.js is missing',
      'Run `holdpoint install --host opencode`',
    ]);
  });
});

describe('state that cannot be written', () => {
  const DIRECTORY = '.git/holdpoint';
  const aside = (path: string): void => renameSync(join(rig.repo, path), join(rig.dir, 'aside'));

  it.each<[string, () => void, string]>([
    [
      'a file in the place of our directory',
      () => {
        aside(DIRECTORY);
        rig.write(DIRECTORY, '');
      },
      'holdpoint',
    ],
    [
      'a link that leads out of the repository',
      () => {
        aside(DIRECTORY);
        mkdirSync(join(rig.dir, 'elsewhere'));
        symlinkSync(join(rig.dir, 'elsewhere'), join(rig.repo, DIRECTORY));
      },
      'holdpoint',
    ],
    [
      'a file in the place of what requirements keep',
      () => {
        aside('.git/requirements');
        rig.write('.git/requirements', '');
      },
      'requirements',
    ],
  ])('is told as a session that begins is told: %s', (_what, spoil, place) => {
    open();
    spoil();
    const told = String(at(rig.hook(eventsIn(rig).start('startup')).json, 'systemMessage'));
    const { stdout } = rig.holdpoint(['status']);
    const statement = `on in part: state cannot be written (.git/${place}`;
    expect(stdout.split('\n')[0]).toContain(`Holdpoint ${statement}`);
    expect(told).toContain(`Holdpoint is ${statement}`);
    const sentence = 'What is held stays held, but nothing can be recorded as satisfied until this is fixed.';
    for (const text of [told, stdout, String(at(json(), 'state_trouble'))]) expect(text).toContain(sentence);
    expect(glance()).toContain(`holdpoint ${statement}`);
    expect(json()).toMatchObject({ state: 'on in part', session_states: [{ state: 'on in part' }] });
  });

  it('is nothing to speak of where there is nothing to hold', () => {
    rig = makeRig('');
    rig.write(DIRECTORY, '');
    const { stdout } = rig.holdpoint(['status']);
    expect(stdout).toMatch(/^Holdpoint off: this project has no config\n/);
    expect(stdout).not.toContain('cannot write');
  });
});

it('a mark of a pause that cannot be read is none, as for the hook', () => {
  open();
  rig.write(`.git/requirements/sessions/${KEY}.paused`, '{bad');
  const denied = rig.hook(eventsIn(rig).pre('Edit', { file_path: 'a' }));
  expect(denied.stdout).toContain('"deny"');
  expect(firstLine()).toBe('Holdpoint on');
  expect(rig.req(['status', '--session', SESSION]).stdout).not.toMatch(/paused/i);
});
