import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn } from './events';
import { commandFile, type Ended, makeRig, type Rig } from './rig';

let rig: Rig;
let on: Events;

beforeEach(() => {
  rig = makeRig();
  on = eventsIn(rig);
});
afterEach(() => rig.remove());

interface Check {
  readonly id: string;
  readonly category: string;
  readonly status: string;
  readonly severity: string;
  readonly message: string;
  readonly fix: object | null;
}

interface Report {
  readonly status: string;
  readonly exit_code: number;
  readonly summary: Record<'total' | 'passed' | 'warnings' | 'critical', number>;
  readonly checks: readonly Check[];
}

function examine(...args: string[]): Report {
  const ended = rig.req(['doctor', '--json', ...args]);
  const report = ended.json as Report;
  expect(ended, ended.stderr).toMatchObject({ stderr: '', exitCode: report.exit_code });
  return report;
}

const found = (id: string, ...args: string[]): Check | undefined =>
  examine(...args).checks.find((one) => one.id === id);

const settings = (command: string, event = 'PreToolUse'): string =>
  JSON.stringify({ hooks: { [event]: [{ matcher: '*', hooks: [{ type: 'command', command }] }] } });

/** Everything that warns about a project in which nothing has happened yet. */
const NEW = ['hook.registered', 'hook.last-run'];

describe('req doctor', () => {
  it('gives a document of a known shape, and counts right', () => {
    const { status, exit_code, summary, checks } = examine();
    expect({ status, exit_code }).toEqual({ status: 'warning', exit_code: 0 });
    expect(checks.filter((one) => one.status !== 'pass').map(({ id }) => id)).toEqual(NEW);
    const total = checks.length;
    expect(summary).toEqual({ total, passed: total - NEW.length, warnings: NEW.length, critical: 0 });
    for (const check of checks)
      expect(check).toEqual({
        id: expect.stringMatching(/^[a-z]+\.[a-z-]+$/),
        category: expect.stringMatching(/^(runtime|project|state|hook)$/),
        status: expect.stringMatching(/^(pass|warn|fail)$/),
        severity: expect.stringMatching(/^(info|warning|critical)$/),
        message: expect.stringMatching(/./),
        fix: check.fix && {
          description: expect.any(String),
          safe: expect.any(Boolean),
          command: expect.toSatisfy((command) => command === null || typeof command === 'string'),
        },
      });
  });

  it('finds nothing to complain of where the hook is wired and has run', () => {
    rig.write('.claude/settings.json', settings('holdpoint hook'));
    rig.hook(on.pre('Edit', EDIT));
    const report = examine();
    expect(report.checks.filter((one) => one.status !== 'pass')).toEqual([]);
    expect(report.status).toBe('ok');
    expect(report.checks.find(({ id }) => id === 'hook.last-run')?.message).toContain('PreToolUse');
  });

  it.each([
    ['project', '.claude/settings.json', 'npx holdpoint hook --host claude-code'],
    ['project', '.claude/settings.local.json', 'node "/opt/holdpoint/dist/hook.cjs"'],
    ['home', '.claude/settings.json', 'holdpoint hook'],
  ])('finds the hook in the settings of the %s: %s with %s', (where, file, command) => {
    if (where === 'home') rig.writeHome(file, settings(command));
    else rig.write(file, settings(command));
    expect(found('hook.registered')).toMatchObject({
      status: 'pass',
      message: expect.stringContaining(file),
    });
  });

  it.each([
    ['calls somebody else', settings('other hook')],
    ['only talks of us', JSON.stringify({ note: 'holdpoint hook', hooks: {} })],
    ['does not call us before a tool', settings('holdpoint hook', 'Stop')],
    ['is no JSON', '{bad'],
  ])('warns of a settings file that %s', (_what, text) => {
    rig.write('.claude/settings.json', text);
    expect(found('hook.registered')).toMatchObject({ status: 'warn', severity: 'warning' });
  });

  it('is not taken in by what a command of ours noted', () => {
    rig.req(['satisfy', 'commit_plan', '--branch']);
    expect(found('hook.last-run')).toMatchObject({ status: 'warn' });
  });

  it.each([
    ['project.config', () => rig.write('.claude/requirements.yaml', 'requirements: {a: {scope: weekly}}')],
    ['state.files', () => rig.write('.git/requirements/feature-auth.json', '{bad')],
  ])('calls it critical, with exit code 1: %s', (id, spoil) => {
    spoil();
    const report = examine();
    expect(report).toMatchObject({ status: 'critical', exit_code: 1, summary: { critical: 1 } });
    expect(report.checks.find((one) => one.status === 'fail')).toMatchObject({ id, severity: 'critical' });
  });

  it('warns of a registry that cannot be read, and of a project without a config', () => {
    rig.writeHome('.claude/sessions.json', '{bad');
    expect(found('state.registry')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('sessions.json'),
    });
    rmSync(join(rig.repo, '.claude/requirements.yaml'));
    expect(found('project.config')).toMatchObject({ status: 'warn', fix: { command: 'req init' } });
  });

  it('tells a lock that lives from one that was left behind', () => {
    rig.req(['satisfy', 'commit_plan', '--branch']);
    const lock = (pid: number): void =>
      rig.write('.git/holdpoint/lock', JSON.stringify({ pid, host: hostname(), nonce: 'x', at: Date.now() }));
    lock(process.pid);
    expect(found('state.lock')).toMatchObject({ status: 'warn', message: `held by process ${process.pid}` });
    lock(4_194_305);
    expect(found('state.lock')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('has ended'),
    });
  });

  it('tells of sessions that went unchecked', () => {
    const mark = { at: 1, code: 'bug', detail: 'a loose wire', told: false };
    rig.write('.git/holdpoint/sessions/abc.json', JSON.stringify({ session_id: 'abc', degraded: [mark] }));
    expect(found('state.degraded')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('loose wire'),
    });
  });

  it('shows people every check, and with --ci only what is not well', () => {
    const all = rig.req(['doctor']);
    expect(all).toMatchObject({ exitCode: 0, stderr: '' });
    for (const id of ['runtime.node', 'hook.denies', ...NEW]) expect(all.stdout).toContain(id);
    expect(all.stdout).toMatch(/\d+ of \d+ checks passed, 2 warnings, 0 critical\n$/);
    const quiet = rig.req(['doctor', '--ci']).stdout;
    expect(quiet).not.toContain('runtime.node');
    for (const id of NEW) expect(quiet).toContain(id);
  });

  it('works outside a repository, and on another one', () => {
    const outside = rig.req(['doctor', '--json'], { cwd: rig.home });
    expect(outside.exitCode).toBe(0);
    expect((outside.json as Report).checks.find(({ id }) => id === 'project.repository')).toMatchObject({
      status: 'warn',
      message: 'Not in a git repository',
    });
    const bare = join(rig.home, 'bare');
    mkdirSync(join(bare, '.holdpoint'), { recursive: true });
    const without = rig.req(['doctor', '--json'], { cwd: bare }).json as Report;
    expect(without.checks.find(({ id }) => id === 'project.repository')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('is not a git repository'),
    });
    const there = rig.req(['doctor', '--json', '--repo', rig.repo], { cwd: rig.home }).json as Report;
    expect(there.checks.find(({ id }) => id === 'project.repository')).toMatchObject({ message: rig.repo });
  });

  it('changes nothing here and leaves nothing behind', () => {
    const before = rig.git('status', '--porcelain', '--ignored');
    examine();
    expect(rig.git('status', '--porcelain', '--ignored')).toBe(before);
    expect(readdirSync(join(rig.repo, '.git'))).not.toContain('requirements');
    expect(readdirSync(rig.home)).toEqual([]);
    expect(readdirSync(rig.tmp)).toEqual([]);
  });
});

describe('req verify', () => {
  it('sees the hook let a harmless event pass and deny a forbidden one', () => {
    const ended = rig.req(['verify', '--json'], { cwd: rig.home });
    expect(ended).toMatchObject({ exitCode: 0, stderr: '', json: { status: 'ok' } });
    const { checks } = ended.json as Report;
    expect(checks.map(({ id, status }) => [id, status])).toEqual([
      ['hook.bundle', 'pass'],
      ['hook.allows', 'pass'],
      ['hook.denies', 'pass'],
    ]);
    expect(rig.req(['verify']).stdout).toContain('3 of 3 checks passed');
    const { stdout } = rig.req(['verify', '--repo', rig.repo]);
    expect(stdout).toContain('hook.registered');
    expect(readdirSync(rig.tmp)).toEqual([]);
  });

  it.each([
    ['lets everything pass', '', ['hook.denies']],
    ['denies everything', 'console.log(\'{"permissionDecision":"deny"}\')', ['hook.allows']],
    ['dies', 'throw new Error("a loose wire")', ['hook.allows', 'hook.denies']],
    ['is missing', undefined, ['hook.bundle']],
  ])('fails for a hook that %s', (_what, code, failing) => {
    const broken = join(rig.tmp, 'dist');
    cpSync(dirname(commandFile('hook')), broken, { recursive: true });
    if (code === undefined) rmSync(join(broken, 'hook.cjs'));
    else writeFileSync(join(broken, 'hook.cjs'), code);
    const ended = verifyIn(broken);
    expect(ended.exitCode).toBe(1);
    const { checks } = ended.json as Report;
    expect(checks.filter(({ status }) => status === 'fail').map(({ id }) => id)).toEqual(failing);
  });
});

function verifyIn(dist: string): Pick<Ended, 'exitCode' | 'json'> {
  const { status, stdout } = spawnSync(process.execPath, [join(dist, 'req.cjs'), 'verify', '--json'], {
    cwd: rig.repo,
    env: rig.environment(),
    encoding: 'utf8',
  });
  return { exitCode: status, json: JSON.parse(stdout) };
}
