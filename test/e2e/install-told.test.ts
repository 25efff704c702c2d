import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ended, makeRig, type Rig } from './rig';

let rig: Rig;
beforeEach(() => {
  rig = makeRig('');
});
afterEach(() => rig.remove());

const install = (...args: string[]): Ended => rig.holdpoint(['install', '--host', 'claude-code', ...args]);
const launch = (): string => join(rig.home, '.config/holdpoint/launch');

describe('a launch file that is not as it should be', () => {
  it.each<[string, () => void, string]>([
    ['gone', () => rmSync(launch()), 'created'],
    ['garbage', () => writeFileSync(launch(), 'garbage\n'), 'changed'],
    ['empty', () => writeFileSync(launch(), ''), 'changed'],
  ])('%s: what is written is named, by all three ways to ask', (_what, spoil, action) => {
    install();
    const sound = readFileSync(launch(), 'utf8');
    spoil();
    expect(install('--dry-run').stdout).toBe(
      'Also written, to start the hooks: ~/.config/holdpoint/launch\n',
    );
    expect(install().stdout).toBe('✓ Launcher: ~/.config/holdpoint/launch (written)\n');
    expect(readFileSync(launch(), 'utf8')).toBe(sound);
    spoil();
    expect(install('--json').json).toMatchObject({ changes: [], start_files: [{ file: launch(), action }] });
    expect(install().stdout).toBe('Already installed. Nothing to do.\n');
    expect(install('--json').json).toMatchObject({ start_files: [] });
  });
});

describe('what to do afterwards', () => {
  it.each<[string, string]>([
    ['claude-code', 'Start Claude Code at the root'],
    ['codex', 'only in projects that it trusts'],
    ['gemini', 'only in folders that it trusts'],
    ['copilot', 'only in a folder that it trusts'],
  ])('%s: what holds for a project is not said of your own settings', (host, sentence) => {
    expect(rig.holdpoint(['install', '--host', host]).stdout).toContain(sentence);
    expect(rig.holdpoint(['install', '--host', host, '--user']).stdout).not.toContain(sentence);
  });

  it('where a setting keeps the host from running hooks, what it is', () => {
    rig.writeHome('.claude/settings.json', '{"disableAllHooks": true}');
    for (const _ of ['written', 'already there'])
      expect(install().stdout).toContain('says `disableAllHooks`: Claude Code runs no hook\n  Remove');
  });

  it('without a config that nothing is held yet', () => {
    const hint = 'Nothing is held yet: this project has no config. `holdpoint init` writes one.';
    expect(install().stdout).toContain(hint);
    rig.holdpoint(['uninstall']);
    rig.write('.holdpoint/config.yaml', 'version: 1\n');
    expect(install().stdout).not.toContain(hint);
  });
});

describe('places that depend on where one stands', () => {
  it.each([['install'], ['install --user'], ['uninstall'], ['init --yes']])(
    'a home that is no absolute path is refused by %s',
    (line) => {
      const { exitCode, stderr } = rig.holdpoint(line.split(' '), { env: { HOME: 'rel' } });
      expect(exitCode).toBe(2);
      expect(stderr).toContain("HOME is 'rel', which is not an absolute path.");
      expect(readdirSync(rig.repo)).toEqual(['.git']);
      expect(existsSync(join(rig.repo, '.git/holdpoint'))).toBe(false);
    },
  );

  it('init needs none for the config alone', () => {
    const { exitCode } = rig.holdpoint(['init', '--yes', '--no-install'], { env: { HOME: '' } });
    expect(exitCode).toBe(0);
    expect(rig.holdpoint(['init', '--yes'], { env: { HOME: '' } })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('HOME is not set'),
    });
  });

  it('so are settings that the environment has elsewhere', () => {
    const how = { env: { CODEX_HOME: 'rel' } };
    const { exitCode, stderr } = rig.holdpoint(['install', '--user', '--host', 'codex'], how);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("Codex at 'rel/hooks.json'")]);
    expect(readdirSync(rig.repo)).toEqual(['.git']);
    expect(readdirSync(rig.home)).toEqual([]);
  });

  it('a place for the server that is none is said not to be used', () => {
    // Where programs are missing, no server is tried; the sentence is the same.
    const env = { HOLDPOINT_RUNTIME_DIR: 'rel', XDG_RUNTIME_DIR: rig.tmp, PATH: '' };
    const { exitCode, stdout } = rig.holdpoint(['install', '--host', 'claude-code', '--resident'], { env });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      `HOLDPOINT_RUNTIME_DIR is 'rel', which is not an absolute path, so it is ignored; the server listens in ${rig.tmp}/holdpoint.`,
    );
    expect(install('--json').exitCode).toBe(0);
    const { checks } = rig.holdpoint(['doctor', '--json'], { env }).json as { checks: { id: string }[] };
    expect(checks.find(({ id }) => id === 'runtime.place')).toMatchObject({ status: 'warn' });
  });
});

describe('lists of hooks that the host does not take', () => {
  it.each<[string, string, RegExp]>([
    ['a number', '[5]', /:1:25: "hooks\.PreToolUse\[0\]" has to be an object, not number/],
    ['a group without handlers', '[{}]', /"hooks\.PreToolUse\[0\]\.hooks" has to be a list, not missing/],
    [
      'handlers that are none',
      '[{"hooks":[]},{"hooks":3}]',
      /"hooks\.PreToolUse\[1\]\.hooks" .*, not number/,
    ],
    [
      'a handler that is none',
      '[{"hooks":[null]}]',
      /PreToolUse\[0\]\.hooks\[0\]" has to be an object, not null/,
    ],
  ])('%s: is refused at its place', (_what, list, sentence) => {
    const before = `{"hooks":{"PreToolUse":${list}}}`;
    rig.write('.claude/settings.json', before);
    const { exitCode, stdout, stderr } = install();
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(readFileSync(join(rig.repo, '.claude/settings.json'), 'utf8')).toBe(before);
    expect(existsSync(join(rig.home, '.config/holdpoint'))).toBe(false);
  });

  it('a host whose lists have no groups takes what it knows', () => {
    rig.write('.cursor/hooks.json', '{"version":1,"hooks":{"stop":[{"command":"true"}]}}');
    expect(rig.holdpoint(['install', '--host', 'cursor']).exitCode).toBe(0);
    rig.holdpoint(['uninstall']);
    rig.write('.cursor/hooks.json', '{"version":1,"hooks":{"stop":["true"]}}');
    expect(rig.holdpoint(['install', '--host', 'cursor']).stderr).toContain('"hooks.stop[0]" has to be');
  });
});
