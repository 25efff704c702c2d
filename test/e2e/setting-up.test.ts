import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { at, makeRig, type Rig } from './rig';

let rig: Rig;
afterEach(() => rig.remove());

const FILE = '.claude/settings.json';
describe('a duplicate key', () => {
  it.each([
    '{"env": {"A": "1", "A": "2"}}',
    '{"model": "a", "model": "b"}\n',
    '{"permissions": {"allow": ["x"], "allow": []}, "hooks": {}}',
    '{\n  "a": [{"b": 1, "b": 2}],\n  "hooks": {"Stop": []}\n}\n',
  ])('elsewhere in the settings does not prevent installing: %s', (text) => {
    rig = makeRig();
    rig.write(FILE, text);
    expect(rig.holdpoint(['install', '--host', 'claude-code'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readFileSync(join(rig.repo, FILE), 'utf8')).not.toBe(text);
    expect(rig.holdpoint(['uninstall', '--host', 'claude-code'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readFileSync(join(rig.repo, FILE), 'utf8')).toBe(text);
  });

  it.each(['{"hooks": {}, "hooks": {}}', '{"hooks": {"Stop": [], "Stop": []}}'])(
    'where our entries belong is refused, and the file is left alone: %s',
    (text) => {
      rig = makeRig();
      rig.write(FILE, text);
      const refused = rig.holdpoint(['install', '--host', 'claude-code']);
      expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('appears twice') });
      expect(readFileSync(join(rig.repo, FILE), 'utf8')).toBe(text);
    },
  );
});

describe('uninstall', () => {
  it.each(['{bad', 'not json', '{"a": 1,}', '{"a": 1} // mine', '[]'])('refuses %s', (text) => {
    rig = makeRig();
    rig.write(FILE, text);
    const refused = rig.holdpoint(['uninstall', '--host', 'claude-code']);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`${FILE}:1:`) });
    expect(readFileSync(join(rig.repo, FILE), 'utf8')).toBe(text);
  });
});

describe('doctor', () => {
  it('names a misspelt key with its file and line', () => {
    rig = makeRig('requirements:\n  plan: {enabled: true, scpe: branch}\n', '.claude/requirements.yaml');
    for (const run of [rig.holdpoint(['doctor']), rig.req(['doctor'])]) {
      expect(run.stdout).toContain('.claude/requirements.yaml:2:');
      expect(run.stdout).toContain('`scpe`');
    }
  });

  it('names a stale lock, of the project and of the registry', () => {
    rig = makeRig();
    const dead = JSON.stringify({ pid: 4_194_305, host: hostname(), nonce: 'x', at: Date.now() });
    rig.write('.git/holdpoint/lock', dead);
    rig.writeHome('.claude/sessions.json.lock', dead);
    const checks = at(rig.holdpoint(['doctor', '--json']).json, 'checks');
    for (const [id, file] of [
      ['state.lock', '.git/holdpoint/lock'],
      ['state.registry-lock', 'sessions.json.lock'],
    ])
      expect(checks).toContainEqual(
        expect.objectContaining({ id, status: 'warn', message: expect.stringContaining(file ?? '') }),
      );
  });
});

it('a workflow without git and without .holdpoint/ compiles its config once, and again when it changes', () => {
  rig = makeRig('');
  const root = join(rig.dir, 'plain');
  mkdirSync(join(root, '.isdlc'), { recursive: true });
  writeFileSync(join(root, '.isdlc/state.json'), '{"current_phase": "06-implementation", "phases": {}}');
  const kept = join(rig.home, '.config/holdpoint/config');
  const call = () => {
    const tool = { tool_name: 'Bash', tool_input: { command: 'ls' } };
    rig.hook({ session_id: 's', hook_event_name: 'PreToolUse', cwd: root, ...tool });
    const names = readdirSync(kept);
    return names.map((name) => [name, statSync(join(kept, name)).ino]);
  };
  const first = call();
  expect(first).toHaveLength(1);
  expect(call()).toEqual(first);
  expect(readdirSync(root)).toEqual(['.isdlc']);
  mkdirSync(join(root, '.isdlc/config'));
  writeFileSync(join(root, '.isdlc/config/iteration-requirements.json'), '{}');
  expect(call()).not.toEqual(first);
});

describe('req outside of a repository', () => {
  it('works on the project that the host names', () => {
    rig = makeRig();
    const how = { cwd: rig.tmp, env: { CLAUDE_PROJECT_DIR: rig.repo } };
    expect(rig.req(['status', '--session', 'abc'], how)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(rig.req(['satisfy', 'commit_plan', '--session', 'abc'], how)).toMatchObject({ exitCode: 0 });
    expect(at(rig.readJson('.git/requirements/feature-auth.json'), 'requirements')).toHaveProperty(
      'commit_plan',
    );
    expect(rig.req(['status'], { ...how, env: {} })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Not in a git repository'),
    });
  });

  it('stays with the repository it stands in', () => {
    rig = makeRig();
    const env = { CLAUDE_PROJECT_DIR: rig.tmp };
    expect(at(rig.req(['status', '--json'], { env }).json, 'project')).toBe(rig.repo);
  });
});

it.each(['.git/requirements', '.git/requirements/sessions', '.git/holdpoint'])(
  'req prune with a file in place of %s is a clear error',
  (path) => {
    rig = makeRig();
    rig.write(path, 'a file\n');
    const pruned = rig.req(['prune']);
    expect(pruned).toMatchObject({ exitCode: 1, stdout: '' });
    expect(pruned.stderr).toContain(`${join(rig.repo, path)} is a file where a directory is expected`);
    expect(rig.req(['prune', '--dry-run'])).toMatchObject({ exitCode: 1 });
  },
);
