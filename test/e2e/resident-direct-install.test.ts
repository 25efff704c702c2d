import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endServer } from '../../src/server/control';
import { clientOf, handlerIn, settingsOf, textOf } from './direct-project';
import { COMPILER_HERE, FORMS_HERE, LINE, pathWith } from './resident-project';
import { type Ended, makeRig, type Rig } from './rig';

let rig: Rig;
let env: Record<string, string>;

beforeEach(() => {
  rig = makeRig();
  env = { HOLDPOINT_RUNTIME_DIR: join(rig.dir, 'run') };
});
afterEach(async () => {
  await endServer(join(rig.dir, 'run', 's'));
  rig.remove();
});

const holdpoint = (...args: string[]): Ended => rig.holdpoint(args, { env });
const install = (...args: string[]): Ended => holdpoint('install', '--host', 'claude-code', ...args);
const DIRECT = ['--resident', '--direct'];

it.each<[string, string[], RegExp]>([
  ['without a server', ['--user', '--direct'], /goes with --resident/],
  [
    'into settings that are shared',
    DIRECT,
    /no place in the project settings of Claude Code: give --local or --user/,
  ],
  [
    'for a host that has no such form',
    ['--user', '--host', 'codex', ...DIRECT],
    /^Codex .*give --host claude-code/,
  ],
])('is refused %s, and nothing is written', (_what, flags, sentence) => {
  const { exitCode, stdout, stderr } = install(...flags);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(sentence);
  expect(textOf(settingsOf(rig))).toBeUndefined();
  expect(existsSync(join(rig.home, '.config/holdpoint'))).toBe(false);
});

it('is refused beside a line of ours in the project, since both would be run', () => {
  install();
  const { exitCode, stderr } = install('--user', ...DIRECT);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/\.claude\/settings\.json calls Holdpoint by a line already\..*judged twice/);
  expect(stderr).toContain("'holdpoint uninstall'");
  expect(textOf(settingsOf(rig))).toBeUndefined();
});

it('is shown by --dry-run without anything being compiled or written', () => {
  const { exitCode, stdout } = install('--user', '--dry-run', ...DIRECT);
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`+            "command": "${clientOf(rig)}",`);
  expect(textOf(settingsOf(rig))).toBeUndefined();
  expect(existsSync(clientOf(rig))).toBe(false);
});

it.skipIf(FORMS_HERE.length === 0)(
  'is a line for a shell where no client can be compiled, which is said (needs nc, ncat, perl or socat)',
  () => {
    const PATH = pathWith(rig, 'bin', [FORMS_HERE[0]?.program ?? '', 'cat', 'git', 'sh']);
    const { exitCode, stdout } = rig.holdpoint(['install', '--host', 'claude-code', '--user', ...DIRECT], {
      env: { ...env, PATH },
    });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      'No client could be compiled and tried here, so the entries start a shell as usual.',
    );
    expect(handlerIn(settingsOf(rig))).toMatchObject({ command: LINE });
    expect(handlerIn(settingsOf(rig)).args).toBeUndefined();
  },
);

describe.skipIf(COMPILER_HERE === undefined)('where there is a C compiler', () => {
  const FOREIGN = `{\r\n\t"model": "x",\r\n\t"hooks": {"PreToolUse": [ {"matcher": "A", "hooks": [{"type": "command", "command": "true", "args": ["a b"]}]} ]}\r\n}`;

  it('is written, is right then, and leaves every byte as it was', () => {
    rig.writeHome('.claude/settings.json', FOREIGN);
    const first = install('--user', ...DIRECT);
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(first.stdout).toContain('the host lets everything pass and only says so');
    expect(handlerIn(settingsOf(rig))).toEqual({
      type: 'command',
      command: clientOf(rig),
      args: [
        join(rig.dir, 'run', 's'),
        '3',
        expect.any(String),
        expect.stringContaining('holdpoint/launch'),
        '--host',
        'claude-code',
      ],
      timeout: 300,
    });
    expect(install('--user', ...DIRECT).stdout).toContain('Everything is in place already.');
    expect(holdpoint('doctor').stdout).toMatch(/✓ hook\.installed .*✓ hook\.resident /s);
    expect(holdpoint('uninstall', '--user')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(textOf(settingsOf(rig))).toBe(FOREIGN);
    expect(existsSync(clientOf(rig))).toBe(false);
  });

  it('keeps its program while it stands, is told of beside a line, and becomes one again', () => {
    install('--local', ...DIRECT);
    const local = join(rig.repo, '.claude/settings.local.json');
    expect(handlerIn(local).command).toBe(clientOf(rig));
    expect(install().stdout).toMatch(
      /settings\.local\.json starts Holdpoint without a shell, so every event is judged twice/,
    );
    const doctor = holdpoint('doctor').stdout;
    expect(doctor).toMatch(/! hook\.twice .*each event starts us more than once/);
    expect(doctor).toContain('holdpoint install --host claude-code --local --resident');
    // Also where nobody has noted that it is there.
    rmSync(join(rig.repo, '.git/holdpoint/installed.json'));
    rmSync(join(rig.home, '.config/holdpoint/installed.json'));
    holdpoint('uninstall');
    expect(existsSync(clientOf(rig))).toBe(true);
    install('--local');
    expect(handlerIn(local)).toEqual({ type: 'command', command: LINE, timeout: 300 });
    holdpoint('uninstall', '--local');
    expect(textOf(local)).not.toContain('holdpoint');
    expect(existsSync(clientOf(rig))).toBe(false);
  });
});
