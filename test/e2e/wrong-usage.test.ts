import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EDIT, type Events, eventsIn } from './events';
import { commandFile, deniedBecause, type Ended, makeRig, type Rig, runNow } from './rig';

let rig: Rig;
let on: Events;
let decision: string;

beforeAll(() => {
  rig = makeRig();
  on = eventsIn(rig);
  decision = /why (\w+)/.exec(deniedBecause(rig.hook(on.pre('Edit', EDIT))))?.[1] ?? '';
  rig.write('event.json', JSON.stringify(on.pre('Edit', EDIT)));
});
afterAll(() => rig.remove());

type Program = 'holdpoint' | 'req' | 'agent-gauntlet';

function run(program: Program, ...args: string[]): Ended {
  return runNow(program, args, '', { cwd: rig.repo, env: rig.environment() });
}

describe('a wrong flag below a group', () => {
  it.each<[called: string, help: string, flag: string]>([
    ['holdpoint loop start --max -1', 'holdpoint loop start', '--max'],
    ['holdpoint loop pause --bogus', 'holdpoint loop pause', '--session'],
    ['holdpoint flow record constitution x', 'holdpoint flow record constitution', '--articles'],
    ['holdpoint flow start feature --bogus', 'holdpoint flow start', '--artifact'],
    ['holdpoint req status --bogus', 'holdpoint req status', '--summary'],
    ['req status --bogus', 'req status', '--summary'],
    ['req --bogus', 'req status', '--summary'],
    ['req init --preset', 'req init', '--preset'],
    ['req approve plan --bogus', 'req approve', '--ttl'],
    ['holdpoint gates run --bogus', 'holdpoint gates run', '--json'],
    ['holdpoint gates ci init --bogus', 'holdpoint gates ci init', '--json'],
    ['agent-gauntlet run --bogus', 'agent-gauntlet run', '--json'],
  ])('%s is sent to a help that lists those of its command', (called, help, flag) => {
    const [program, ...args] = called.split(' ') as [Program, ...string[]];
    const ended = run(program, ...args);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr.startsWith(`${help}: `)).toBe(true);
    expect(ended.stderr.endsWith(`\nTry '${help} --help'.\n`)).toBe(true);
    const [named, ...words] = `${help} --help`.split(' ') as [Program, ...string[]];
    expect(run(named, ...words)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(flag) });
  });

  it('with a value that begins with a dash says how to give it', () => {
    expect(run('holdpoint', 'loop', 'start', '--max', '-1').stderr).toContain("'--max=VALUE'");
  });

  it('goes by the name of the command also where that is a link without an ending', () => {
    const link = rig.link('req', commandFile('req'));
    const options = { cwd: rig.repo, env: rig.environment(), encoding: 'utf8' } as const;
    const { stderr } = spawnSync(process.execPath, [link, 'list', '--bogus'], options);
    expect(stderr).toContain("Try 'req list --help'.");
  });
});

describe('a command that is mistyped', () => {
  it.each<[called: string, near: string, help: string]>([
    ['req stauts', 'status', 'req --help'],
    ['req help satsify', 'satisfy', 'req --help'],
    ['holdpoint req stauts', 'status', 'holdpoint req --help'],
    ['holdpoint loop strat', 'start', 'holdpoint loop help'],
    ['agent-gauntlet rnu', 'run', 'agent-gauntlet help'],
  ])('%s: did you mean %s?', (called, near, help) => {
    const [program, ...args] = called.split(' ') as [Program, ...string[]];
    const ended = run(program, ...args);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain(`Did you mean '${near}'? Try '${help}'.`);
  });

  it('and far from all others is answered with all of them', () => {
    expect(run('req', 'nothing').stderr).toContain('Known: status, satisfy,');
  });
});

describe('one word too many', () => {
  it.each([
    [['why', 'ID', 'extra'], 'extra'],
    [['schema', 'extra'], 'extra'],
    [['version', 'extra'], 'extra'],
    [['version', '--bogus'], '--bogus'],
    [['help', 'log', 'extra'], 'extra'],
    [['explain', 'event.json', 'extra'], 'extra'],
    [['req', 'explain', 'Edit', '{}', 'extra'], 'extra'],
  ])('%j is not passed over', (args, extra) => {
    const ended = run('holdpoint', ...args.map((arg) => (arg === 'ID' ? decision : arg)));
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain(`'${extra}'`);
  });
});

describe('the hook with an argument that it does not know', () => {
  it.each([
    [['--bogus'], '"--bogus"'],
    [['--host', 'claude-code', 'x', '--only'], '"x", "--only"'],
    [['--host'], '"--host"'],
    [['--only=requirements', '--only', 'loop'], '"--only"'],
  ])('%j says so and judges the event all the same', (args, named) => {
    const ended = rig.hook(on.pre('Edit', EDIT), { args });
    expect(deniedBecause(ended)).toContain('commit_plan');
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain(`${named} was ignored`);
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([
    [['--host', 'claude-code']],
    [['--host=claude-code', '--only=requirements']],
    [['--only', 'requirements,loop', '--host', 'claude-code']],
    [['--only', '']],
  ])('%j is known, and nothing is said', (args) => {
    expect(rig.hook(on.pre('Edit', EDIT), { args }).stderr).toBe('');
  });
});

describe('holdpoint explain', () => {
  it.each([
    ['hello\n', 'event.txt is not JSON'],
    ['', 'event.txt is empty'],
    ['[]', 'event.txt is a list'],
    ['{}', 'event.txt names no event'],
  ])('names the file whose text %j is no event', (text, words) => {
    rig.write('event.txt', text);
    const ended = run('holdpoint', 'explain', 'event.txt');
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain(words);
    expect(ended.stderr).not.toContain('standard input');
  });

  it('speaks of standard input where that was read', () => {
    expect(run('holdpoint', 'explain', '-').stderr).toContain('standard input is empty');
  });

  it.each([
    [['--only', 'nope'], "--only: unknown value 'nope'. Known: requirements, workflow, rules, gates, loop, "],
    [['--only', 'loop,branch-gard'], "Did you mean 'branch-guard'?"],
    [['--host', 'codx'], "Did you mean 'codex'?"],
  ])('%j explains nothing else in its place', (args, words) => {
    const ended = run('holdpoint', 'explain', 'event.json', ...args);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain(words);
  });
});

describe('holdpoint help', () => {
  it('goes down to the commands of a group', () => {
    const below = run('holdpoint', 'loop', 'start', '--help');
    expect(below.stdout).toContain('--max');
    expect(run('holdpoint', 'help', 'loop', 'start')).toEqual(below);
  });

  it('speaks JSON about one command', () => {
    expect(run('holdpoint', 'help', 'log', '--json').json).toMatchObject({
      command: 'log',
      usage: expect.stringContaining('-n, --count <COUNT>'),
    });
  });

  it.each<[words: string[], shown: unknown]>([
    [['--json'], expect.arrayContaining([{ command: 'status', summary: expect.any(String) }])],
    [['loop', '--json'], expect.arrayContaining([{ command: 'start', summary: expect.any(String) }])],
    [['loop', '--json', 'status'], expect.objectContaining({ active: false })],
    [['--json', 'rules', 'list'], { rules: expect.any(Array) }],
  ])('%j: groups speak JSON, which may be asked for before the subcommand', (words, shown) => {
    expect(run('holdpoint', ...words).json).toEqual(shown);
  });

  it.each([[['log']], [['loop', 'log']]])('of %j says that its JSON is one document a line', (words) => {
    expect(run('holdpoint', ...words, '--help').stdout).toContain('one document a line');
  });

  it('of a command of the hub shows its arguments', () => {
    const usage = (name: string) => run('holdpoint', 'hub', name, '--help').stdout.split('\n')[0];
    expect(usage('user')).toBe('Usage: holdpoint hub user add NAME | list | remove NAME [options]');
    expect(usage('revoke')).toBe('Usage: holdpoint hub revoke MACHINE [options]');
    expect(usage('machines')).toBe('Usage: holdpoint hub machines [options]');
  });

  it('of the hub does not take an unknown command for a hub to start', () => {
    expect(run('holdpoint', 'hub', 'nope')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^holdpoint hub: unknown command 'nope'\./),
    });
  });

  it('of req approve is about req approve', () => {
    expect(run('req', 'approve', '--help').stdout).toContain('Usage: req approve NAME');
    expect(run('req', 'satisfy', '--help').stdout).toContain('Usage: req satisfy NAME');
    expect(run('req', 'approve').stderr).toContain('req approve: give');
  });
});

it('holdpoint log -n 0 shows nothing, and does not say that there is nothing', () => {
  expect(run('holdpoint', 'log', '-n', '0')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
});

it.skipIf(process.platform !== 'linux')('a full disk takes the output: exit code 2 and a sentence', () => {
  const full = openSync('/dev/full', 'w');
  const stdio = ['ignore', full, 'pipe'] as const;
  const options = { cwd: rig.repo, env: rig.environment(), encoding: 'utf8' as const, stdio: [...stdio] };
  const ended = spawnSync(process.execPath, [commandFile('holdpoint'), 'schema'], options);
  closeSync(full);
  expect(ended).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^holdpoint: standard output could not be written: ENOSPC.*\n$/),
  });
});

it('holdpoint completion speaks JSON', () => {
  const { stdout } = run('holdpoint', 'completion', 'bash');
  expect(run('holdpoint', 'completion', 'bash', '--json').json).toEqual({
    shell: 'bash',
    script: stdout.trimEnd(),
  });
});

it.each<[called: string, exitCode: number]>([
  ['holdpoint stats --rule nope --json', 1],
  ['holdpoint why zz --json', 1],
  ['holdpoint log --json --bogus', 2],
  ['holdpoint nothing --json', 2],
  ['req satisfy nope --json', 1],
  ['holdpoint loop pause --json', 1],
  ['holdpoint --json hook', 2],
  ['holdpoint record off --json', 1],
])('%s: the refusal is JSON too', (called, exitCode) => {
  const [program, ...args] = called.split(' ') as [Program, ...string[]];
  const ended = run(program, ...args);
  expect(ended.exitCode).toBe(exitCode);
  expect(ended.json).toEqual({ error: { message: ended.stderr.trimEnd() } });
});
