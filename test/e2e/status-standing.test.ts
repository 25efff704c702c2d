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
const json = (env: Record<string, string> = {}): unknown => rig.holdpoint(['status', '--json'], { env }).json;
const glance = (env: Record<string, string> = {}): string => {
  const input = JSON.stringify({ session_id: SESSION, workspace: { current_dir: rig.repo } });
  return runNow('holdpoint', ['statusline'], input, { cwd: rig.home, env: rig.environment(env) }).stdout;
};
const inHome = (path: string): string => join(rig.home, path);
const LAUNCH = '.config/holdpoint/launch';
const withoutEvent = (event: string): void => {
  const settings = JSON.parse(readFileSync(join(rig.repo, SETTINGS), 'utf8'));
  delete settings.hooks[event];
  rig.write(SETTINGS, JSON.stringify(settings));
};

interface Row {
  readonly what: string;
  spoil(): void;
  readonly line: RegExp;
  readonly glance: string;
  mend(): void;
}

const OFF_BY_CONFIG: readonly Row[] = [
  {
    what: '`req disable`',
    spoil: () => rig.req(['disable']),
    line: /^Holdpoint off: requirements are switched off .*; `req enable` switches them on$/,
    glance: 'holdpoint off: requirements disabled\n',
    mend: () => rig.req(['enable']),
  },
  {
    what: 'a requirement that is not enabled',
    spoil: () => rig.req(['disable', 'plan']),
    line: /^Holdpoint off: no requirement is enabled; `req enable NAME` enables one$/,
    glance: 'holdpoint off: no requirement enabled\n',
    mend: () => rig.req(['enable', 'plan']),
  },
  {
    what: 'a requirement with a mistake',
    spoil: () => rig.write(CONFIG, PLAN.replace('true', '"yes"')),
    line: /^Holdpoint off: requirements\.plan is switched off by a mistake in the config; mend it at \.holdpoint\/config\.yaml:1:32$/,
    glance: 'holdpoint off: config mistake\n',
    mend: () => rig.write(CONFIG, PLAN),
  },
  {
    what: 'a section of another name',
    spoil: () => rig.write(CONFIG, PLAN.replace('requirements', 'requirments')),
    line: /^Holdpoint off: requirments is switched off by a mistake in the config; mend it at /,
    glance: 'holdpoint off: config mistake\n',
    mend: () => rig.write(CONFIG, PLAN),
  },
];

const OFF_BY_INSTALLATION: readonly Row[] = [
  {
    what: 'a launch file that is gone',
    spoil: () => rmSync(inHome(LAUNCH)),
    line: /^Holdpoint off: .*launch is gone or cannot be read.*; `holdpoint install --host claude-code` writes it anew$/,
    glance: 'holdpoint off: launch file gone\n',
    mend: install,
  },
  {
    what: 'a launch file that is something else',
    spoil: () => writeFileSync(inHome(LAUNCH), 'garbage\n'),
    line: /^Holdpoint off: .*launch is damaged, .*`holdpoint install --host claude-code`/,
    glance: 'holdpoint off: launch file damaged\n',
    mend: install,
  },
  {
    what: 'a launch file that is cut short',
    spoil: () => writeFileSync(inHome(LAUNCH), readFileSync(inHome(LAUNCH), 'utf8').slice(0, -40)),
    line: /^Holdpoint off: .*launch is damaged, .*`holdpoint install --host claude-code`/,
    glance: 'holdpoint off: launch file damaged\n',
    mend: install,
  },
  {
    what: 'a directory of ours that is gone',
    spoil: () => rmSync(inHome('.config/holdpoint'), { recursive: true }),
    line: /^Holdpoint off: .*launch is gone/,
    glance: 'holdpoint off: launch file gone\n',
    mend: install,
  },
  {
    what: '`disableAllHooks`',
    spoil: () => rig.write('.claude/settings.local.json', '{"disableAllHooks": true}'),
    line: /^Holdpoint off: .*settings\.local\.json says `disableAllHooks`.*\. Remove `disableAllHooks` from /,
    glance: 'holdpoint off: hooks disabled\n',
    mend: () => rmSync(join(rig.repo, '.claude/settings.local.json')),
  },
  {
    what: 'settings that are no JSON',
    spoil: () => rig.write(SETTINGS, `${readFileSync(join(rig.repo, SETTINGS), 'utf8')},`),
    line: /^Holdpoint off: .*settings\.json:\d+:\d+: .*; mend .*settings\.json$/,
    glance: 'holdpoint off: settings unreadable\n',
    mend: () => rig.write(SETTINGS, readFileSync(join(rig.repo, SETTINGS), 'utf8').slice(0, -1)),
  },
];

describe('nothing is held, and nobody calls that armed', () => {
  it.each([...OFF_BY_CONFIG, ...OFF_BY_INSTALLATION])('$what', ({ spoil, line, glance: short, mend }) => {
    open();
    expect([firstLine(), glance()]).toEqual(['Holdpoint armed', 'holdpoint armed · 1/1 req open\n']);
    spoil();
    expect(firstLine()).toMatch(line);
    expect(glance()).toBe(short);
    expect(json()).toMatchObject({ state: 'off', session_states: [{ id: KEY, state: 'off' }] });
    mend();
    expect([firstLine(), glance()]).toEqual(['Holdpoint armed', 'holdpoint armed · 1/1 req open\n']);
  });

  it.each(OFF_BY_INSTALLATION)('as doctor says too: $what', ({ spoil }) => {
    open();
    spoil();
    expect(rig.holdpoint(['doctor']).exitCode).toBe(1);
  });

  it.each([
    ['HOLDPOINT_DISABLE', 'HOLDPOINT_DISABLE is set'],
    ['CLAUDE_SKIP_REQUIREMENTS', 'requirements off by CLAUDE_SKIP_REQUIREMENTS'],
  ])('%s, which is of this environment and not of that of a session', (variable, short) => {
    open();
    const env = { [variable]: '1' };
    expect(firstLine(env)).toMatch(new RegExp(`^Holdpoint off: .*${variable} .*; unset it`));
    expect(glance(env)).toBe(`holdpoint off: ${short}\n`);
    expect(json(env)).toMatchObject({ state: 'off', session_states: [{ state: 'armed' }] });
  });

  it('a workflow or a loop that does not go on', () => {
    open('workflow: {}\n');
    expect(firstLine()).toMatch(
      /^Holdpoint off: no workflow is under way; `holdpoint flow start` begins one$/,
    );
    rig.holdpoint(['loop', 'start', '--session', SESSION, 'go']);
    expect(firstLine()).toBe('Holdpoint armed');
    rig.holdpoint(['loop', 'pause', '--session', SESSION]);
    expect(firstLine()).toMatch(/^Holdpoint off: .*the loop is paused; `holdpoint loop resume`/);
  });
});

describe('a part that is not held is named', () => {
  it.each<[string, () => void, RegExp, string]>([
    [
      'an event at which nobody calls',
      () => withoutEvent('PreToolUse'),
      /settings\.json does not call it everywhere; missing: PreToolUse; `holdpoint install --host claude-code` puts it back$/,
      'hooks incomplete · 1/1 req open · gates not run',
    ],
    [
      'requirements that are switched off beside gates',
      () => rig.req(['disable']),
      /requirements are switched off .*`req enable`/,
      'requirements disabled · gates not run',
    ],
    [
      'gates that are switched off',
      () => rig.write(CONFIG, `${PLAN}${GATES.replace('{', '{stop_hook: {enabled: false}, ')}`),
      /no gates at the end of turns, by `stop_hook\.enabled`; `true` there changes that$/,
      'gates disabled · 1/1 req open · gates not run',
    ],
    [
      'gates with a mistake',
      () => rig.write(CONFIG, `${PLAN}${GATES.replace('command', 'comand')}`),
      /gates hold nothing while there is a mistake in their config; `holdpoint gates validate` shows it$/,
      'gates: config mistake · 1/1 req open · gates not run',
    ],
    [
      'a requirement with a mistake beside one without',
      () => rig.write(CONFIG, `${PLAN.replace('}}', '}, review: {enabled: 1}}')}${GATES}`),
      /requirements\.review is switched off by a mistake in the config; mend it at \.holdpoint\/config\.yaml:1:73$/,
      'config mistake · 1/1 req open · gates not run',
    ],
    [
      'a config file that cannot be read',
      () => rig.write('.holdpoint/config.local.yaml', 'requirements:\n  plan: {enabled: true}\n bad'),
      /the config cannot be read: \.holdpoint\/config\.local\.yaml:\d+:\d+; mend it there$/,
      'gates: config mistake, config unreadable · 1/1 req open · gates not run',
    ],
  ])('%s', (_what, spoil, line, short) => {
    open(`${PLAN}${GATES}`);
    spoil();
    expect(firstLine()).toMatch(/^Holdpoint partly armed: /);
    expect(firstLine()).toMatch(line);
    expect(glance()).toBe(`holdpoint partly armed: ${short}\n`);
    const said = json();
    expect(said).toMatchObject({ state: 'partly armed', session_states: [{ state: 'partly armed' }] });
    expect(at(said, 'state_reason')).toMatch(line);
  });

  it('one of two hosts', () => {
    open();
    install('codex');
    expect(firstLine()).toMatch(
      /^Holdpoint partly armed: Codex skips the hooks .* trust the Holdpoint hooks$/,
    );
    expect(glance()).toBe('holdpoint armed · 1/1 req open\n');
    rig.holdpoint(['uninstall', '--host', 'claude-code']);
    expect(firstLine()).toMatch(/^Holdpoint off: Codex skips the hooks/);
  });

  it('a session that calls, while no settings do', () => {
    open();
    rig.write(SETTINGS, '{}');
    expect(firstLine()).toMatch(/^Holdpoint partly armed: a live session calls it, .*`holdpoint install`/);
    expect(json()).toMatchObject({ session_states: [{ id: KEY, state: 'armed' }] });
    expect(glance()).toBe('holdpoint armed · 1/1 req open\n');
    rig.hook(eventsIn(rig).end());
    expect(firstLine()).toBe('Holdpoint off: no host calls it; `holdpoint install` changes that');
  });

  it('guards are told with whether they hold', () => {
    open(`${PLAN}${GATES}workflow: {}\n`);
    rig.req(['disable']);
    const { stdout } = rig.holdpoint(['status']);
    expect(stdout).toMatch(/^Guards +requirements \(off\), workflow \(idle\), gates$/m);
    expect(stdout).toMatch(/^Requirements .*, none of which holds now$/m);
    expect(json()).toMatchObject({
      guards: ['requirements', 'workflow', 'gates'],
      guards_holding: ['gates'],
      switched_off: [expect.stringContaining('`req enable`')],
    });
  });
});

describe('what calls us otherwise', () => {
  const settings = (value: unknown): void => rig.write(SETTINGS, JSON.stringify(value));

  it('needs no launch file: the plugin, unless no hook is run at all', () => {
    rig = makeRig(PLAN, CONFIG);
    const enabledPlugins = { 'holdpoint@holdpoint': true };
    settings({ enabledPlugins });
    expect(firstLine()).toBe('Holdpoint armed');
    settings({ enabledPlugins, disableAllHooks: true });
    expect(firstLine()).toMatch(/^Holdpoint off: .*`disableAllHooks`/);
  });

  it('needs no launch file: a line that was written by hand', () => {
    rig = makeRig(PLAN, CONFIG);
    settings({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'holdpoint hook' }] }] } });
    expect(firstLine()).toBe('Holdpoint armed');
  });

  it('is looked at in its own file: a host that runs us in its own process', () => {
    open(PLAN, 'opencode');
    expect(firstLine()).toBe('Holdpoint armed');
    rmSync(inHome('.config/holdpoint/library.cjs'));
    expect(firstLine()).toMatch(
      /^Holdpoint off: .*library\.cjs is gone .*`holdpoint install --host opencode`/,
    );
    install('opencode');
    rmSync(join(rig.repo, '.opencode/plugin/holdpoint.js'));
    expect(firstLine()).toMatch(
      /^Holdpoint off: .*holdpoint\.js is gone; `holdpoint install --host opencode`/,
    );
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
    expect(stdout.split('\n')[0]).toMatch(
      new RegExp(`^Holdpoint degraded: its state cannot be written\\. ${join(rig.repo, '.git', place)} `),
    );
    const sentence = 'What is held stays held, and nothing can be recorded as satisfied until that is fixed.';
    for (const text of [told, stdout, String(at(json(), 'state_trouble'))]) expect(text).toContain(sentence);
    expect(glance()).toMatch(/^holdpoint degraded: state cannot be written · 1\/1 req open/);
    expect(json()).toMatchObject({ state: 'degraded', session_states: [{ state: 'degraded' }] });
  });

  it('is nothing to speak of where there is nothing to hold', () => {
    rig = makeRig('');
    rig.write(DIRECTORY, '');
    const { stdout } = rig.holdpoint(['status']);
    expect(stdout).toMatch(/^Holdpoint off: nothing is configured here\n/);
    expect(stdout).not.toContain('cannot write');
  });
});

it('a mark of a pause that cannot be read is none, as for the hook', () => {
  open();
  rig.write(`.git/requirements/sessions/${KEY}.paused`, '{bad');
  const denied = rig.hook(eventsIn(rig).pre('Edit', { file_path: 'a' }));
  expect(denied.stdout).toContain('"deny"');
  expect(firstLine()).toBe('Holdpoint armed');
  expect(rig.req(['status', '--session', SESSION]).stdout).not.toMatch(/paused/i);
});
