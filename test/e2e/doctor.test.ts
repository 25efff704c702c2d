import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { shareCompiledCode } from './compiled-code';
import { eventsIn, KEY, OTHER_SESSION, SESSION } from './events';
import { type Check, type Circumstances, makeRig, type Rig } from './rig';

let rig: Rig;
afterEach(() => rig.remove());

const CONFIG =
  '{requirements: {commit_plan: {enabled: true, scope: session}}, gates: {checks: {t: {command: "true"}}, entry_points: [{path: ".", checks: [t]}]}}\n';
const SETTINGS = '.claude/settings.json';

function open(config = CONFIG): void {
  rig = makeRig(config, '.holdpoint/config.yaml');
}

function install(...args: string[]): void {
  const ended = rig.holdpoint(['install', '--host', 'claude-code', ...args]);
  expect(ended.exitCode, ended.stderr).toBe(0);
}

function examine(how?: Circumstances): { exitCode: number | null; checks: readonly Check[] } {
  const ended = rig.holdpoint(['doctor', '--json'], how);
  expect(ended.stderr).toBe('');
  return { exitCode: ended.exitCode, checks: (ended.json as { checks: Check[] }).checks };
}

const settings = (file = join(rig.repo, SETTINGS)): Record<string, never> =>
  JSON.parse(readFileSync(file, 'utf8'));
const spoil = (change: (value: Record<string, Record<string, unknown>>) => void): void => {
  const value = settings();
  change(value);
  rig.write(SETTINGS, JSON.stringify(value));
};

describe('a sound installation', () => {
  it('is proven by an event that is held, says what is armed, and nothing is left behind', () => {
    open();
    install();
    const before = [
      rig.git('status', '--porcelain', '--ignored'),
      readdirSync(join(rig.repo, '.git')).sort(),
    ];
    const { exitCode, checks } = examine();
    expect(checks.filter(({ status }) => status !== 'pass')).toEqual([]);
    expect(exitCode).toBe(0);
    const fired = checks.filter(({ id }) => id === 'hook.fires').map(({ message }) => message);
    expect(fired).toEqual([
      expect.stringContaining('started from here: a commit that must be held is held'),
      expect.stringContaining('started from a desktop: a commit that must be held is held'),
    ]);
    const armed = checks.find(({ id }) => id === 'project.armed')?.message;
    expect(armed).toBe('Holdpoint is on');
    expect([
      rig.git('status', '--porcelain', '--ignored'),
      readdirSync(join(rig.repo, '.git')).sort(),
    ]).toEqual(before);
    const kept = readdirSync(join(rig.home, '.config/holdpoint')).sort();
    expect(kept).toEqual(['installed.json', 'launch', 'launch.seal', 'lib', 'library.cjs']);
    expect(readdirSync(rig.home)).toEqual(['.config']);
    expect(readdirSync(rig.tmp)).toEqual([]);
  });
});

it('says how to put `req` on the PATH, unless it is there', () => {
  open();
  const version = (PATH: string): unknown =>
    examine({ env: { PATH } }).checks.find(({ id }) => id === 'runtime.version')?.message;
  const path = '/usr/bin:/bin';
  expect(version(path)).toMatch(/not on your PATH: \(cd .* && npm link\)$/);
  for (const name of ['req', 'holdpoint']) {
    rig.writeHome(`bin/${name}`, '');
    chmodSync(join(rig.home, 'bin', name), 0o755);
  }
  expect(version(`${rig.home}/bin:${path}`)).toMatch(/dist$/);
});

it('a config with another extension is told its right name', () => {
  open();
  renameSync(join(rig.repo, '.holdpoint/config.yaml'), join(rig.repo, '.holdpoint/config.yml'));
  const found = examine().checks.find(({ id }) => id === 'project.config');
  const fix = { description: 'Rename it to .holdpoint/config.yaml' };
  expect(found).toMatchObject({ status: 'warn', message: '.holdpoint/config.yml is not read', fix });
});

it('a project without a config is told to run `holdpoint init`', () => {
  open();
  rmSync(join(rig.repo, '.holdpoint'), { recursive: true });
  const found = examine().checks.find(({ id }) => id === 'project.config');
  expect(found).toMatchObject({ status: 'warn', fix: { command: 'holdpoint init' } });
});

type Row = [what: string, spoilt: () => void, expected: Partial<Check>, exitCode: 0 | 1];

const ROWS: readonly Row[] = [
  [
    'no entry at all',
    () => rmSync(join(rig.repo, SETTINGS)),
    { id: 'hook.installed', status: 'fail', message: expect.stringContaining('new sessions are not held') },
    1,
  ],
  [
    'one event missing',
    () => spoil(({ hooks }) => delete hooks?.['Stop']),
    { id: 'hook.missing', status: 'fail', message: expect.stringContaining('hooks.Stop') },
    1,
  ],
  [
    'a trailing comma in the settings',
    () => rig.write(SETTINGS, readFileSync(join(rig.repo, SETTINGS), 'utf8').replace(/\}\s*$/, ',}')),
    { id: 'hook.settings', message: expect.stringContaining('silently ignore the whole file') },
    1,
  ],
  [
    'a key of the wrong type',
    () =>
      spoil((value) => {
        Object.assign(value, {
          permissions: 'x',
          hooks: {
            ...value['hooks'],
            Notification: [{ hooks: [{ type: 'command', command: 'x', timeout: '5' }] }],
          },
        });
      }),
    {
      id: 'hook.wrong-key',
      status: 'fail',
      message: expect.stringMatching(/permissions, hooks\.Notification\[0\]\.hooks\[0\]\.timeout/),
    },
    1,
  ],
  [
    'hooks switched off in another layer',
    () => rig.write('.claude/settings.local.json', '{"disableAllHooks": true}'),
    { id: 'hook.hooks-disabled', status: 'fail', message: expect.stringContaining('settings.local.json') },
    1,
  ],
  [
    "somebody else's hook at the same event",
    () =>
      spoil(({ hooks }) => {
        const stop = (hooks?.['Stop'] ?? []) as unknown[];
        stop.push({ hooks: [{ type: 'command', command: 'say done' }] });
      }),
    { id: 'hook.other-hooks', status: 'pass', message: expect.stringContaining('Stop: say done') },
    0,
  ],
  [
    "an older program's line beside ours",
    () =>
      rig.write(
        '.claude/settings.local.json',
        '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"agent-gauntlet stop-hook"}]}]}}',
      ),
    {
      id: 'hook.older-program',
      status: 'warn',
      fix: expect.objectContaining({ command: 'holdpoint install --host claude-code --local --replace' }),
    },
    0,
  ],
  [
    'an installation for the person too, with the same line',
    () => install('--user'),
    { id: 'hook.twice', status: 'pass', message: expect.stringContaining('runs once') },
    0,
  ],
  [
    'the plugin switched on beside the entries',
    () => spoil((value) => Object.assign(value, { enabledPlugins: { 'holdpoint@holdpoint': true } })),
    { id: 'hook.plugin-and-settings', status: 'warn' },
    0,
  ],
  [
    'a config that arms nothing',
    () => rig.write('.holdpoint/config.yaml', 'requirements: {plan: {enabled: false}}\n'),
    { id: 'project.armed', status: 'warn' },
    0,
  ],
  [
    'a rule for the hub without a hub',
    () => rig.write('.holdpoint/config.yaml', 'requirements: {plan: {enabled: true, approval: hub}}\n'),
    { id: 'project.hub', status: 'warn', message: expect.stringContaining('nobody can approve plan') },
    0,
  ],
  [
    'a place for compiled code that is a file',
    () => {
      rmSync(join(rig.home, '.config/holdpoint/code'));
      rig.writeHome('.config/holdpoint/code', '');
    },
    { id: 'runtime.code-cache', status: 'warn' },
    0,
  ],
  [
    'a session of Claude Code that never called',
    () =>
      rig.writeHome(
        `.claude/sessions/${process.pid}.json`,
        JSON.stringify({ pid: process.pid, sessionId: OTHER_SESSION, cwd: join(rig.repo, 'src') }),
      ),
    {
      id: 'state.unheard',
      status: 'warn',
      message: expect.stringMatching(/aaaaaaaa of Claude Code runs here in .*\/src, where it does not load/),
    },
    0,
  ],
  [
    'a session that was heard of at a tool only',
    () => {
      const on = eventsIn(rig);
      rig.hook(on.pre('Edit', { file_path: 'a' }), { env: { CLAUDE_PID: String(process.pid) } });
    },
    {
      id: 'state.no-start',
      status: 'warn',
      message: expect.stringContaining(KEY),
      fix: { description: expect.stringContaining('restart the agent'), command: null },
    },
    0,
  ],
];

describe('a finding with its fix', () => {
  it.each(ROWS)('%s', (_what, spoilt, expected, exitCode) => {
    open();
    shareCompiledCode(rig.home);
    install();
    spoilt();
    const report = examine();
    const found = report.checks.find(({ id }) => id === expected.id);
    expect(found, JSON.stringify(report.checks, null, 1)).toMatchObject(expected);
    if (found?.status !== 'pass')
      expect(found?.fix).toMatchObject({ description: expect.stringMatching(/./) });
    expect(report.exitCode).toBe(exitCode);
  });

  it('a line that was written by hand is fired too, and what came back is told', () => {
    open();
    const command = 'echo not today >&2; : holdpoint hook';
    rig.write(
      SETTINGS,
      JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } }),
    );
    const { exitCode, checks } = examine();
    expect(exitCode).toBe(1);
    expect(checks.find(({ id }) => id === 'hook.by-hand')).toMatchObject({ status: 'warn' });
    const fired = checks.find(({ id }) => id === 'hook.fires');
    expect(fired).toMatchObject({ status: 'fail' });
    for (const part of [command, 'not today', 'exit code 0']) expect(fired?.message).toContain(part);
  });

  it('a directory below the root, and a switch of the environment', () => {
    open();
    install();
    mkdirSync(join(rig.repo, 'src'));
    const { checks } = examine({ cwd: join(rig.repo, 'src'), env: { HOLDPOINT_DISABLE: '1' } });
    const ids = checks.filter(({ status }) => status !== 'pass').map(({ id, status }) => [id, status]);
    expect(ids).toEqual([
      ['runtime.switches', 'fail'],
      ['project.cwd', 'warn'],
      ['project.armed', 'warn'],
      ['hook.fires', 'fail'],
    ]);
  });

  it('files that are gone, of which the copy is used, and an installed version that is another', () => {
    open();
    install();
    const launch = join(rig.home, '.config/holdpoint/launch');
    const elsewhere = readFileSync(launch, 'utf8').replace(
      /^holdpoint_hook=.*$/m,
      "holdpoint_hook='/gone/dist/hook.cjs'",
    );
    writeFileSync(launch, elsewhere);
    utimesSync(launch, 0, 0);
    const { checks } = examine();
    expect(checks.find(({ id }) => id === 'hook.launch')).toMatchObject({ status: 'warn' });
    expect(checks.filter(({ id }) => id === 'hook.fires').map(({ status }) => status)).toEqual([
      'pass',
      'pass',
    ]);
    rmSync(join(rig.home, '.config/holdpoint/lib'), { recursive: true });
    const broken = examine();
    expect(broken.exitCode).toBe(1);
    expect(broken.checks.find(({ id }) => id === 'hook.fires')?.message).toContain('its files are gone');
  });
});

it('a session that begins is noted and told of, and forgotten when it ends', () => {
  open();
  install();
  const on = eventsIn(rig);
  const env = { CLAUDE_PID: String(process.pid) };
  rig.hook(on.start('startup'), { env });
  const status = rig.holdpoint(['status', '--json']).json;
  expect(status).toMatchObject({ state: 'on', session_states: [{ id: KEY, state: 'on' }] });
  expect(rig.readJson('.git/holdpoint/heartbeats.json')).toMatchObject({
    sessions: { [KEY]: { session_id: SESSION } },
  });
  rig.hook(on.end(), { env });
  expect(rig.readJson('.git/holdpoint/heartbeats.json')).toMatchObject({ sessions: {} });
});
