import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { blocksIn, ROOT, textOf } from './documents';

let scratch = '';
beforeEach(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-docs-')));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

/** What a host reads when a session starts in a repository with these files. */
function sessionStart(files: Readonly<Record<string, string>>): { stdout: string; stderr: string } {
  const [home, repository] = [join(scratch, 'home'), join(scratch, 'project')];
  mkdirSync(home, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), content);
  }
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

/** That a config is accepted without a word, and each requirement in it is in force. */
function expectAccepted(files: Readonly<Record<string, string>>): void {
  const { stdout, stderr } = sessionStart(files);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)['systemMessage']).toMatch(/^Holdpoint is on: [^\n]+$/);
  const names = [...(files[CONFIG] ?? '').matchAll(/^ {2}(\w+):\n {4}enabled: true/gm)];
  expect(stdout).toContain(`/${names.length} satisfied`);
  expect(stdout).not.toContain('Holdpoint found');
}

const CONFIG = '.holdpoint/config.yaml';
const [example = ''] = blocksIn(textOf('README.md'), 'yaml');

test('the example config is accepted without a word, and all of it is in force', () => {
  expectAccepted({ [CONFIG]: example });
});

test('a mistake in it would be reported', () => {
  const { stdout } = sessionStart({ [CONFIG]: example.replace('scope: single_use', 'scope: single_us') });
  expect(stdout).toContain('Holdpoint found a problem in the config');
});

describe('the guide of requirements', () => {
  const guide = textOf('docs/requirements.md');
  const samples = blocksIn(guide, 'yaml').map((text) => ({
    path: /^# (\S+)\n/.exec(text)?.[1] ?? '',
    text,
  }));

  test('says of each sample which file it is', () => {
    expect(samples.length).toBeGreaterThan(5);
    expect(samples.map(({ path }) => path).filter((path) => !path.endsWith('.yaml'))).toEqual([]);
  });

  test.each(samples)('has a sample of $path that is accepted', ({ path, text }) => {
    const around = 'requirements:\n  commit_plan:\n    enabled: true\n';
    expectAccepted({ [CONFIG]: around, [path]: text });
  });

  test('has state files that are JSON', () => {
    const documents = blocksIn(guide, 'json');
    expect(documents.length).toBeGreaterThan(0);
    for (const document of documents) expect(() => JSON.parse(document)).not.toThrow();
  });
});
