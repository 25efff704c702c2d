import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { times } from '../stress';
import { KEY, SESSION } from './events';
import { configWith, type Project, projectWith, SILENT } from './requirements-project';
import { at, deniedBecause, type Rig } from './rig';

let rig: Rig;
afterEach(() => rig.remove());

function open(config?: string): Project {
  const project = projectWith(config);
  rig = project.rig;
  return project;
}

const registryFile = () => join(rig.home, '.claude/sessions.json');

describe.each([
  ['empty', ''],
  ['cut off', '{"version": "1.0", "sessions": {"cad0'],
  ['no JSON', 'not json at all'],
  ['broken inside', '{"version": "1.0", "sessions": {"a": }}'],
  ['a list', '[]'],
  ['null', 'null'],
  ['without sessions', '{"version": "1.0"}'],
  ['with a list of sessions', '{"version": "1.0", "sessions": []}'],
  ['bytes', '\u0000\u0001\ufffd'],
])('a registry that is %s', (_what, text) => {
  it.each(['SessionStart', 'PreToolUse', 'PreToolUse of a known session'])(
    'counts as empty and is rewritten by the next event: %s',
    (event) => {
      const { edit, on, registry } = open();
      if (event.endsWith('session')) deniedBecause(edit());
      mkdirSync(join(rig.home, '.claude'), { recursive: true });
      writeFileSync(registryFile(), text);
      if (event === 'SessionStart') rig.hook(on.start('startup'));
      else deniedBecause(edit());
      expect(registry()).toMatchObject({ [KEY]: { session_id: SESSION } });
      expect(rig.req(['sessions']).stdout).toContain(KEY);
    },
  );
});

it('a registry has the shape that its readers know', () => {
  const { on, registry } = open();
  rig.hook(on.start('startup'));
  expect(rig.readJson(registryFile())).toMatchObject({ version: '1.0' });
  expect(registry()).toMatchObject({
    [KEY]: {
      ppid: expect.toSatisfy(Number.isInteger),
      project_dir: rig.repo,
      branch: 'feature/auth',
      started_at: expect.toSatisfy(Number.isInteger),
      last_active: expect.toSatisfy(Number.isInteger),
    },
  });
});

it('a registry that cannot be read is kept aside', () => {
  const { on } = open();
  rig.writeHome('.claude/sessions.json', '{"sessions": {"abc');
  rig.hook(on.start('startup'));
  const names = readdirSync(join(rig.home, '.claude'));
  expect(names.filter((name) => name.startsWith('sessions.json.corrupt-'))).toHaveLength(1);
});

it('a directory in the place of the registry never stops the work', () => {
  const { edit, on, satisfy } = open();
  mkdirSync(registryFile(), { recursive: true });
  expect(rig.hook(on.start('startup')).stdout).toContain('0/1 satisfied');
  deniedBecause(edit());
  satisfy('commit_plan', '--session', KEY);
  expect(edit()).toMatchObject({ stdout: '', exitCode: 0 });
  expect(rig.hook(on.end())).toMatchObject({ stdout: '', exitCode: 0 });
});

it('a registry that was removed is written by the next event too', () => {
  const { edit, registry } = open();
  deniedBecause(edit());
  rmSync(registryFile());
  deniedBecause(edit());
  expect(registry()).toHaveProperty(KEY);
});

it('sessions that start at once on a busy machine are all in the registry', async () => {
  const { on } = open();
  const spinners = Array.from({ length: times(2, 8) }, () => spawn(process.execPath, ['-e', 'for (;;) {}']));
  const ids = Array.from(
    { length: times(6, 20) },
    (_, at) => `${String(at).padStart(8, '0')}-0000-4000-8000-0`,
  );
  try {
    const all = await Promise.all(
      ids.map((session_id) => rig.startHook(on.start('startup', { session_id }))),
    );
    for (const ended of all) expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
  } finally {
    for (const spinner of spinners) spinner.kill('SIGKILL');
  }
  const { sessions } = JSON.parse(readFileSync(registryFile(), 'utf8'));
  expect(Object.keys(sessions).sort()).toEqual(ids.map((id) => id.slice(0, 8)));
  expect(readdirSync(join(rig.home, '.claude'))).toEqual(['sessions.json']);
});

describe('what a skill normally satisfies and a command did', () => {
  it.each([
    ['a known skill', 'commit_plan: {enabled: true}', 'commit_plan'],
    ['a skill of the config', 'audit: {enabled: true, satisfied_by_skill: my-audit}', 'audit'],
    ['for the branch', 'audit: {enabled: true, scope: branch, satisfied_by_skill: my-audit}', 'audit'],
  ])('is recorded as a bypass: %s', (_what, requirement, name) => {
    const { edit, entry, own, metrics } = open(configWith(requirement));
    deniedBecause(edit());
    rig.req(['satisfy', name, '--session', KEY, '--metadata', '{"ticket": 7}']);
    const holder = at(entry(name), 'scope') === 'branch' ? entry(name) : own(name);
    expect(holder).toMatchObject({
      satisfied_by: 'cli_bypass',
      metadata: { bypass: true, method: 'cli_manual', ticket: 7 },
    });
    expect(at(metrics(), 'requirements', name, 'satisfied_by')).toBe('cli_bypass');
    expect(edit()).toMatchObject(SILENT);
  });

  it('is none where no skill does, or it is an approval', () => {
    const size = 'size: {enabled: true, type: dynamic, calculator: echo 30, thresholds: {block: 10}}';
    const { own } = open(configWith(`notes: {enabled: true}, ${size}`));
    rig.req(['satisfy', 'notes', 'size', '--session', KEY]);
    expect(own('notes')).toMatchObject({ satisfied_by: 'cli' });
    expect(own('notes')).not.toHaveProperty('metadata');
    expect(own('size')).toMatchObject({ satisfied_by: 'approval' });
  });
});

describe('a registry of ten thousand sessions', () => {
  const entryOf = (index: number, more: object = {}) => [
    (0x10000000 + index).toString(16),
    {
      ppid: process.pid,
      session_id: `${index}-x`,
      project_dir: '/"}}}p',
      branch: 'm',
      last_active: 1,
      ...more,
    },
  ];
  const long = (more?: object) => Array.from({ length: 10_000 }, (_, index) => entryOf(index, more));
  const write = (entries: unknown[][]) => {
    mkdirSync(join(rig.home, '.claude'), { recursive: true });
    const sessions = Object.fromEntries(entries);
    writeFileSync(registryFile(), JSON.stringify({ version: '1.0', sessions }));
    return sessions;
  };

  it('gets a session that starts, refreshes it, and changes nothing else', () => {
    const { on, registry } = open();
    const before = write(long());
    rig.hook(on.start('startup'));
    expect(registry()).toEqual({ ...before, [KEY]: expect.objectContaining({ session_id: SESSION }) });
    const once = readFileSync(registryFile(), 'utf8');
    rig.hook(on.start('resume'));
    expect(readFileSync(registryFile(), 'utf8')).toBe(once);
    rig.git('checkout', '--quiet', '-b', 'new');
    rig.hook(on.start('resume'));
    expect(registry()).toEqual({ ...before, [KEY]: expect.objectContaining({ branch: 'new' }) });
  });

  it('keeps sessions apart that begin alike', () => {
    const { on, registry } = open();
    const twin = `${KEY}-ffff-4000-8000-000000000000`;
    write([...long(), [KEY, { ppid: process.pid, session_id: twin, last_active: 1 }]]);
    rig.hook(on.start('startup'));
    expect(registry()).toMatchObject({ [KEY]: { session_id: twin }, cad0ac4d3933: { session_id: SESSION } });
  });

  it('loses the dead ones step by step', () => {
    const { on, registry } = open();
    write(long({ ppid: 4_194_305 }));
    rig.hook(on.start('startup'));
    rig.hook(on.end());
    expect(Object.keys(registry() as object)).toHaveLength(9_800);
    expect(rig.req(['sessions']).stdout).toContain('No active');
    expect(registry()).toEqual({});
  });
});

it('the end of a session removes what killed processes have left, and nothing else', () => {
  const { on, edit } = open();
  rig.hook(on.start('startup'));
  deniedBecause(edit());
  const git = join(rig.repo, '.git');
  const left = [
    join(git, 'holdpoint/config.jsonl.4711.abc.tmp'),
    join(git, 'holdpoint/clients/99.4711.abc.tmp'),
    join(git, `requirements/sessions/${KEY}.json.4711.abc.tmp`),
    `${registryFile()}.4711.abc.tmp`,
  ];
  const others = [join(rig.home, '.claude/other.json.4711.abc.tmp'), join(git, 'holdpoint/notes.tmp')];
  const fresh = join(git, 'holdpoint/heartbeats.json.4712.abc.tmp');
  for (const file of [...left, ...others, fresh]) writeFileSync(file, '{');
  for (const file of [...left, ...others]) utimesSync(file, 1, 1);
  expect(rig.hook(on.end())).toMatchObject(SILENT);
  expect([...left, ...others, fresh].filter((file) => existsSync(file))).toEqual([...others, fresh]);
});
