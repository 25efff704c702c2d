import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { blocksIn, ROOT, textOf } from './documents';

let scratch = '';
beforeEach(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-docs-')));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

/** What a host reads when a session starts in a repository with this config. */
function sessionStart(config: string): { stdout: string; stderr: string } {
  const [home, repository] = [join(scratch, 'home'), join(scratch, 'project')];
  for (const dir of [home, join(repository, '.holdpoint')]) mkdirSync(dir, { recursive: true });
  writeFileSync(join(repository, '.holdpoint', 'config.yaml'), config);
  const env = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', ['init', '--quiet', '-b', 'feature/docs'], { cwd: repository, env });
  const event = { session_id: 'd0c5', cwd: repository, hook_event_name: 'SessionStart', source: 'startup' };
  return spawnSync(process.execPath, [join(ROOT, 'dist', 'hook.cjs')], {
    cwd: scratch,
    env,
    input: JSON.stringify(event),
    encoding: 'utf8',
  });
}

const [example = ''] = blocksIn(textOf('README.md'), 'yaml');

test('the example config is accepted without a word, and all of it is in force', () => {
  const { stdout, stderr } = sessionStart(example);
  expect(stderr).toBe('');
  expect(Object.keys(JSON.parse(stdout))).toEqual(['hookSpecificOutput']);
  const names = [...example.matchAll(/^ {2}(\w+):\n {4}enabled: true/gm)].map(([, name]) => name);
  expect(stdout).toContain(`/${names.length} satisfied`);
  expect(stdout).not.toContain('Holdpoint found');
});

test('a mistake in it would be reported', () => {
  const { stdout } = sessionStart(example.replace('scope: branch', 'scope: brunch'));
  expect(stdout).toContain('Holdpoint found a problem in its config');
});

test('the example settings are JSON and call the hook alike at every event', () => {
  const [settings = ''] = blocksIn(textOf('README.md'), 'json');
  const { hooks } = JSON.parse(settings) as { hooks: Record<string, unknown> };
  expect(Object.keys(hooks)).toEqual(['SessionStart', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd']);
  const command = 'NODE_EXTRA_CA_CERTS= node /path/to/dist/hook.cjs';
  for (const entries of Object.values(hooks)) {
    expect(entries).toEqual([{ hooks: [{ type: 'command', command }] }]);
  }
});
