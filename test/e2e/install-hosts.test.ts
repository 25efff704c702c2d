import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HOST_NAMES } from '../../src/core/host-name';
import { makeRig, type Rig } from './rig';

interface Told {
  readonly changes: readonly { readonly host: string; readonly file: string; readonly action: string }[];
  readonly unchanged: readonly unknown[];
}

let rig: Rig;
beforeEach(() => {
  rig = makeRig('');
});
afterEach(() => rig.remove());

const all = HOST_NAMES.flatMap((name) => ['--host', name]);
const told = (...args: string[]): Told => {
  const ended = rig.holdpoint([...args, '--json']);
  expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
  return ended.json as Told;
};

it.each([['project'], ['user']] as const)(
  'every host is set up for the %s, once, and can be rid of us again',
  (scope) => {
    const flags = scope === 'user' ? ['--user'] : [];
    const base = scope === 'user' ? rig.home : rig.repo;
    const before = readdirSync(base);
    const { changes } = told('install', ...all, ...flags);
    expect([...new Set(changes.map(({ host }) => host))]).toEqual([...HOST_NAMES]);
    for (const { file, action } of changes) {
      expect(action).toBe('created');
      expect(file.startsWith(`${base}/`)).toBe(true);
      const text = readFileSync(file, 'utf8');
      expect(text).toMatch(/holdpoint/);
      // Settings are shared: what is in them holds for every home.
      expect(text).not.toContain(rig.dir);
    }
    const again = told('install', ...all, ...flags);
    expect(again.changes).toEqual([]);
    expect(again.unchanged).toHaveLength(changes.length);
    expect(told('uninstall', ...flags).changes).toHaveLength(changes.length);
    const left = readdirSync(base).filter((name) => !before.includes(name) && name !== '.config');
    expect(left).toEqual([]);
  },
);

it('a file of that name that is not ours is left alone', () => {
  const file = join(rig.repo, '.opencode/plugin/holdpoint.js');
  rig.write('.opencode/plugin/holdpoint.js', 'export {};\n');
  const { exitCode, stderr } = rig.holdpoint(['install', '--host', 'opencode']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('Holdpoint did not write it');
  expect(readFileSync(file, 'utf8')).toBe('export {};\n');
});

it('hosts with files in the project are the ones that are meant, and without any it is Claude Code', () => {
  expect(told('install', '--dry-run').changes.map(({ host }) => host)).toEqual(['claude-code']);
  rig.write('.gemini/settings.json', '{}');
  const hosts = new Set(told('install', '--dry-run').changes.map(({ host }) => host));
  expect([...hosts]).toEqual(['gemini']);
  writeFileSync(join(rig.repo, 'CLAUDE.md'), '');
  const both = new Set(told('install', '--dry-run').changes.map(({ host }) => host));
  expect([...both]).toEqual(['claude-code', 'gemini']);
  expect(existsSync(join(rig.repo, '.claude'))).toBe(false);
});

it('settings that lay elsewhere at the installation are rid of us too', () => {
  const elsewhere = join(rig.home, 'elsewhere');
  rig.holdpoint(['install', '--user', '--host', 'claude-code'], { env: { CLAUDE_CONFIG_DIR: elsewhere } });
  expect(existsSync(join(elsewhere, 'settings.json'))).toBe(true);
  expect(told('uninstall', '--user').changes).toMatchObject([{ action: 'removed' }]);
  expect(existsSync(elsewhere)).toBe(false);
});

it('a work tree inside of the project keeps its own', () => {
  rig.git('worktree', 'add', '--quiet', '.worktrees/a');
  const inside = join(rig.repo, '.worktrees/a');
  rig.holdpoint(['install'], { cwd: inside });
  rig.holdpoint(['install']);
  expect(told('uninstall').changes).toMatchObject([{ file: join(rig.repo, '.claude/settings.json') }]);
  expect(existsSync(join(inside, '.claude/settings.json'))).toBe(true);
});
