import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { at, makeRig, type Rig } from './rig';

const SETTINGS = '.claude/settings.json';

let rig: Rig;
beforeEach(() => {
  rig = makeRig();
});
afterEach(() => rig.remove());

const text = (): string => readFileSync(join(rig.repo, SETTINGS), 'utf8');
const handler = (command: string): object => ({ type: 'command', command, timeout: 10_000 });
const commands = (event: string): string[] =>
  (at(rig.readJson(SETTINGS), 'hooks', event) as { hooks: { command: string }[] }[]).flatMap(({ hooks }) =>
    hooks.map(({ command }) => (command.includes('holdpoint/launch') ? 'ours' : command)),
  );

/** A project that has used all four, with lines of its own between theirs, laid out by hand. */
function oldSettings(): string {
  const isdlc = (name: string) => `node $CLAUDE_PROJECT_DIR/.claude/hooks/${name}.cjs`;
  const pre = [
    { matcher: 'Task', hooks: ['gate-blocker', 'plan-surfacer'].map((name) => handler(isdlc(name))) },
    {
      matcher: 'Bash',
      hooks: [handler(isdlc('my-own')), handler(isdlc('branch-guard')), handler('echo mine')],
    },
    { hooks: [handler('python3 "$HOME"/.claude/hooks/check-requirements.py')] },
  ];
  const stop = [
    { hooks: [handler('agent-gauntlet stop-hook')] },
    { hooks: [handler('bash ~/src/idle/hooks/stop-hook.sh')] },
  ];
  return `${JSON.stringify({ hooks: { PreToolUse: pre, Stop: stop }, model: 'opus' }, null, '\t')}\n`.replace(
    '"matcher": "Task"',
    '"matcher":   "Task"',
  );
}

describe('entries of older programs', () => {
  beforeEach(() => rig.write(SETTINGS, oldSettings()));

  it('are named, and stay beside ours', () => {
    const { stdout } = rig.holdpoint(['install']);
    for (const program of ['agent-gauntlet', 'claude-requirements-framework', 'idle', 'iSDLC'])
      expect(stdout).toMatch(
        new RegExp(`also runs ${program}, .*counted twice.*\\n.*'holdpoint install --replace'`),
      );
    expect(commands('Stop')).toEqual([
      'agent-gauntlet stop-hook',
      'bash ~/src/idle/hooks/stop-hook.sh',
      'ours',
    ]);
    rig.holdpoint(['uninstall']);
    expect(text()).toBe(oldSettings());
  });

  it('make room with --replace, and are given back byte for byte', () => {
    rig.holdpoint(['install']);
    const { stdout } = rig.holdpoint(['install', '--replace']);
    expect(stdout).toContain('were replaced; uninstall restores them');
    expect(stdout).not.toContain('nothing else changed');
    expect(commands('Stop')).toEqual(['ours']);
    expect(commands('PreToolUse')).toEqual([
      'node $CLAUDE_PROJECT_DIR/.claude/hooks/my-own.cjs',
      'echo mine',
      'ours',
    ]);
    expect(rig.holdpoint(['install', '--replace']).stdout).toBe('Already installed. Nothing to do.\n');
    rig.holdpoint(['uninstall']);
    expect(text()).toBe(oldSettings());
  });

  it('come back even where the file has changed since', () => {
    rig.holdpoint(['install', '--replace']);
    writeFileSync(join(rig.repo, SETTINGS), text().replace('"opus"', '"sonnet"'));
    rig.holdpoint(['uninstall']);
    expect(text()).toBe(oldSettings().replace('"opus"', '"sonnet"'));
  });

  it('in the settings of another scope are named with the flag that reaches them', () => {
    expect(rig.holdpoint(['install', '--local']).stdout).toContain("'holdpoint install --replace'");
    rig.write(
      '.claude/settings.local.json',
      JSON.stringify({ hooks: { Stop: [{ hooks: [handler('agent-gauntlet stop-hook')] }] } }),
    );
    expect(rig.holdpoint(['install']).stdout).toContain("'holdpoint install --local --replace'");
  });
});

it('a line of ours that was written by hand is not doubled, nor removed without a word', () => {
  const line = 'NODE_EXTRA_CA_CERTS= node /opt/holdpoint/dist/hook.cjs';
  const before = JSON.stringify({ hooks: { Stop: [{ hooks: [handler(line)] }] } });
  rig.write(SETTINGS, before);
  expect(rig.holdpoint(['install']).stdout).toContain(`no other line was added there: ${line}`);
  expect([commands('Stop'), commands('PreToolUse')]).toEqual([[line], ['ours']]);
  expect(rig.holdpoint(['uninstall']).stdout).toContain(`still calls Holdpoint`);
  expect(text()).toBe(before);
  rig.holdpoint(['install', '--replace']);
  expect(commands('Stop')).toEqual(['ours']);
  rig.holdpoint(['uninstall']);
  expect(text()).toBe(before);
});

it('an older entry of ours is brought up to date in its place', () => {
  rig.holdpoint(['install']);
  const current = text();
  writeFileSync(
    join(rig.repo, SETTINGS),
    current.replace('"timeout": 600', '"timeout": 60,\n            "async": false'),
  );
  expect(rig.holdpoint(['install']).exitCode).toBe(0);
  expect(text()).toBe(current);
});
