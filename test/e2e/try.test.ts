import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRig, type Rig } from './rig';

let rig: Rig;

beforeEach(() => {
  rig = makeRig('');
});
afterEach(() => rig.remove());

describe('holdpoint try', () => {
  it('sets up a repository, shows an agent held, told why and released, and leaves nothing behind', () => {
    const before = rig.listing();
    const shown = rig.holdpoint(['try']);
    expect(shown, shown.stderr).toMatchObject({ exitCode: 0, stderr: '' });
    const verdicts = [...shown.stdout.matchAll(/(\w+) → (\w+)/g)].map(
      ([, event, verdict]) => `${event} ${verdict}`,
    );
    expect(verdicts).toEqual([
      'SessionStart allowed',
      'PreToolUse allowed',
      'PreToolUse held',
      'PreToolUse allowed',
      'Stop held',
      'PreToolUse allowed',
      'Stop allowed',
    ]);
    for (const part of [
      '$ holdpoint init --yes',
      'doctor: all checks passed',
      "Satisfied 'commit_plan'",
      '7 !== 10',
      'gates passed',
    ])
      expect(shown.stdout).toContain(part);
    expect(readdirSync(rig.tmp)).toEqual([]);
    expect(readdirSync(rig.home)).toEqual([]);
    expect(rig.listing()).toEqual(before);
  });

  it('keeps the scratch repository where asked to; outside any repository, and from a shell of an agent', () => {
    const env = { CLAUDECODE: '1', GIT_DIR: '/nowhere', CLAUDE_PROJECT_DIR: rig.repo };
    expect(rig.holdpoint(['try', '--keep'], { cwd: rig.home, env }).exitCode).toBe(0);
    expect(readdirSync(rig.tmp)).toHaveLength(1);
  });

  it('without git says so and leaves nothing behind', () => {
    const bin = join(rig.dir, 'bin');
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, 'node'));
    const ended = rig.holdpoint(['try'], { env: { PATH: bin } });
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('git');
    expect(readdirSync(rig.tmp)).toEqual([]);
  });
});
