import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { at, commandFile, deniedBecause, type Ended, makeRig, type Rig } from './rig';

/** A home and a project with everything in their names that a shell could trip over. */
const ODD = `Jürgen's "ho me" $HOME \`x\``;

let rig: Rig;
let home: string;
let dist: string;
let kept: string;

beforeAll(() => {
  rig = makeRig();
  home = join(rig.dir, 'home', ODD);
  dist = join(rig.dir, 'tmp', ODD, 'dist');
  mkdirSync(home);
  cpSync(dirname(commandFile('hook')), dist, { recursive: true });
  expect(install()).toMatchObject({ status: 0, stderr: '' });
  kept = readFileSync(launch(), 'utf8');
});
afterAll(() => rig.remove());

/** Everything is where the installation left it. */
afterEach(() => {
  rmSync(launch(), { force: true });
  writeFileSync(launch(), kept);
  [dist, copies()].forEach(back);
});

/** As by a person: no session is known whose agent could be installing something else. */
function install() {
  for (const notes of [join(home, '.claude/sessions.json'), join(rig.repo, '.git/holdpoint')])
    rmSync(notes, { recursive: true, force: true });
  const env = { ...rig.environment(), HOME: home };
  return spawnSync(process.execPath, [join(dist, 'holdpoint.cjs'), 'install'], {
    cwd: rig.repo,
    env,
    encoding: 'utf8',
  });
}

const launch = (): string => join(home, '.config/holdpoint/launch');
const copies = (): string => join(home, '.config/holdpoint/lib');
const away = (path: string): void => renameSync(path, `${path}.away`);
const back = (path: string): void => {
  if (existsSync(`${path}.away`)) renameSync(`${path}.away`, path);
};

/** The line in the settings as a host runs it: by a shell, with the little that a host without a terminal has. */
function run(
  how: {
    shell?: string;
    args?: readonly string[];
    event?: object;
    env?: Record<string, string>;
    cwd?: string;
  } = {},
): Ended {
  const [group] = at(rig.readJson('.claude/settings.json'), 'hooks', 'PreToolUse') as [
    { hooks: [{ command: string }] },
  ];
  const event = {
    session_id: 's',
    hook_event_name: 'PreToolUse',
    cwd: rig.repo,
    tool_name: 'Edit',
    tool_input: { file_path: 'src/a.ts' },
    ...how.event,
  };
  const { status, stdout, stderr } = spawnSync(
    how.shell ?? '/bin/sh',
    [...(how.args ?? []), '-c', group.hooks[0].command],
    {
      cwd: how.cwd ?? rig.repo,
      env: { HOME: home, PATH: '/nowhere', ...how.env },
      input: JSON.stringify(event),
      encoding: 'utf8',
    },
  );
  const json = stdout === '' ? undefined : JSON.parse(stdout);
  return { exitCode: status, stdout, stderr, json };
}

const loseNode = (): void =>
  writeFileSync(launch(), kept.replace(/^holdpoint_node=.*$/m, "holdpoint_node='/gone/bin/node'"));

/** The places that every machine has in common must not help. */
const loseAllNodes = (): void => {
  loseNode();
  writeFileSync(launch(), readFileSync(launch(), 'utf8').replaceAll('/usr/', '/no-usr/'));
};

describe('an edit is held through the installed line', () => {
  it.each<[string, () => void, () => Parameters<typeof run>[0]]>([
    ['by dash, without anything on the PATH', () => undefined, () => ({ shell: '/bin/dash' })],
    ['by bash', () => undefined, () => ({ shell: '/bin/bash' })],
    ['started somewhere else', () => undefined, () => ({ cwd: '/' })],
    ['after the package is gone', () => away(dist), () => ({})],
    [
      'after Node has moved, with another one on the PATH',
      loseAllNodes,
      () => ({ env: { PATH: dirname(process.execPath) } }),
    ],
    [
      'after Node has moved, with only a version manager’s',
      () => {
        loseAllNodes();
        for (const [version, node] of [
          ['v20.1.0', process.execPath],
          ['v8.9.9', '/bin/false'],
        ] as const) {
          const bin = join(rig.tmp, 'n v m', 'versions/node', version, 'bin');
          mkdirSync(bin, { recursive: true });
          symlinkSync(node, join(bin, 'node'));
        }
      },
      () => ({ env: { NVM_DIR: join(rig.tmp, 'n v m') } }),
    ],
  ])('%s', (_name, prepare, how) => {
    prepare();
    const ended = run(how());
    expect({ stderr: ended.stderr, exitCode: ended.exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(deniedBecause(ended)).toContain('commit_plan');
  });
});

describe('where nothing can be started, one sentence says so and nothing is refused', () => {
  it.each<[string, () => void, string]>([
    ['no launch file', () => rmSync(launch()), 'not installed on this machine'],
    ['no Node', loseAllNodes, 'no Node 20 or newer'],
    ['none of our files', () => [dist, copies()].forEach(away), 'its files are gone'],
  ])('%s', (_name, prepare, sentence) => {
    prepare();
    for (const shell of ['/bin/dash', '/bin/bash']) {
      const { exitCode, stdout, stderr } = run({ shell });
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toContain(sentence);
      expect(stderr.split('\n')).toHaveLength(2);
    }
    // There every other code refuses.
    for (const COPILOT_CLI of ['1', 'a b']) expect(run({ env: { COPILOT_CLI } }).exitCode).toBe(0);
  });

  it.each([['dash'], ['bash'], ['bash --posix'], ['busybox sh'], ['zsh']])(
    'a launch file that is cut short: %s',
    (line) => {
      const [program = '', ...args] = line.split(' ');
      const shell = [`/bin/${program}`, `/usr/bin/${program}`].find((path) => existsSync(path));
      if (shell === undefined) return;
      for (const end of [kept.indexOf('hook.cjs'), kept.indexOf('; do'), kept.length - 4]) {
        writeFileSync(launch(), kept.slice(0, end));
        const { exitCode, stdout, stderr } = run({ shell, args });
        expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 1, stdout: '' });
        expect(run({ shell, args, env: { COPILOT_CLI: '1' } }).exitCode).toBe(0);
      }
    },
  );
});

it('a command of that name on the PATH is the last resort', () => {
  [dist, copies()].forEach(away);
  const bin = join(rig.dir, 'tmp', 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'holdpoint'),
    `#!/bin/sh\nexec '${process.execPath}' '${commandFile('holdpoint')}' "$@"\n`,
  );
  chmodSync(join(bin, 'holdpoint'), 0o755);
  expect(deniedBecause(run({ env: { PATH: bin } }))).toContain('commit_plan');
});

it('a newer installation takes the place of an older one, of which one copy stays', () => {
  const [first] = readdirSync(copies());
  for (const mark of ['a', 'b']) {
    const hook = join(dist, 'hook.cjs');
    writeFileSync(hook, `${readFileSync(hook, 'utf8')}\n// ${mark}`);
    expect(install().status).toBe(0);
  }
  expect(readdirSync(copies())).toHaveLength(2);
  expect(readdirSync(copies())).not.toContain(first);
  expect(deniedBecause(run())).toContain('commit_plan');
});

it('in a session that began with us, a launch file that was taken away holds, and HOME is the one of its start', () => {
  const env = { CLAUDE_PID: String(process.pid), CLAUDE_PROJECT_DIR: rig.repo };
  run({ env, event: { hook_event_name: 'SessionStart', source: 'startup' } });
  expect(deniedBecause(run({ env: { ...env, HOME: rig.tmp } }))).toContain('commit_plan');
  for (const spoil of [
    () => [dist, copies()].forEach(away),
    () => rmSync(launch()),
    () => writeFileSync(launch(), 'exit 0\n'),
  ]) {
    spoil();
    for (const shell of ['/bin/dash', '/bin/bash']) {
      const held = run({ shell, env });
      expect({ exitCode: held.exitCode, stdout: held.stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(held.stderr).toMatch(/^Held by Holdpoint: .* `holdpoint install`, or ends this session\.\n$/);
      const prompt = run({ shell, env, event: { hook_event_name: 'UserPromptSubmit', prompt: 'go' } });
      expect(prompt.exitCode).toBe(1);
    }
    [dist, copies()].forEach(back);
  }
  expect(install().status).toBe(0);
  expect(deniedBecause(run({ env }))).toContain('commit_plan');
});

it.each<[string, string, (tree: string) => void]>([
  ['linked work tree', '.', (tree) => rig.git('worktree', 'add', '-q', '-b', 'tree', tree)],
  [
    'submodule, whose git directory is named from there',
    '.',
    (tree) => {
      rig.git('clone', '-q', '--separate-git-dir', '.git/module', '.', tree);
      writeFileSync(join(tree, '.git'), `gitdir: ${relative(tree, join(rig.repo, '.git/module'))}\n`);
    },
  ],
  ['clone, below whose root the session began', 'be low', (tree) => rig.git('clone', '-q', '.', tree)],
])('in a %s a launch file that was taken away holds, too', (what, start, add) => {
  rig.git('add', '-A');
  rig.git('commit', '-q', '--allow-empty', '-m', 'first');
  const tree = join(rig.tmp, `a ${what.split(',')[0]}`);
  add(tree);
  const below = join(tree, 'be low');
  mkdirSync(below);
  const began = join(tree, start);
  const env = { CLAUDE_PID: String(process.pid), CLAUDE_PROJECT_DIR: began };
  expect(install().status).toBe(0);
  run({ env, cwd: began, event: { hook_event_name: 'SessionStart', source: 'startup', cwd: began } });
  rmSync(launch());
  for (const shell of ['/bin/dash', '/bin/bash'])
    expect(run({ shell, env, cwd: below, event: { cwd: below } }).stderr).toContain(
      'Held by Holdpoint: its files',
    );
});
