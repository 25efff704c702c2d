import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OTHER_SESSION, SESSION } from './events';
import { AS_OTHER, AS_SESSION, type LoopProject, loopProject, OWN_LOG } from './loop-project';
import { at, commandFile } from './rig';

let project: LoopProject;

beforeEach(() => {
  project = loopProject();
});
afterEach(() => project.rig.remove());

/** A loop that must start. */
function start(...args: string[]): void {
  const ended = project.loop(['start', ...args]);
  expect(ended, ended.stderr).toMatchObject({ exitCode: 0, stderr: '' });
}

describe('loop start', () => {
  it('begins at iteration 1 of 10, for the session of the shell', () => {
    start('fix the tests');
    const { newest, states } = project;
    expect(states()).toHaveLength(1);
    expect(newest()).toMatchObject({ schema: 1, event: 'STATE', session_id: SESSION });
    expect(newest().run_id).toMatch(/^loop-\d+-\d+$/);
    expect(newest().updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(newest().stack).toHaveLength(1);
    expect(newest().stack[0]).toMatchObject({ mode: 'loop', iter: 1, max: 10, origin: 'holdpoint' });
    expect(newest().stack[0]).not.toHaveProperty('include_prompt');
  });

  it('writes lines that the message store would take: a topic, then a message with a ULID', () => {
    start('x');
    const lines = readFileSync(join(project.rig.repo, OWN_LOG), 'utf8').trimEnd().split('\n');
    const [topic, message] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(2);
    expect(topic).toMatchObject({ type: 'topic', name: 'loop:current' });
    expect(message).toMatchObject({ type: 'message', topic_id: topic?.['id'], parent_id: null, git: null });
    expect(message?.['id']).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(Math.abs(Number(message?.['created_at']) - Date.now())).toBeLessThan(600_000);
  });

  it('says what it started and how it ends', () => {
    const { stdout } = project.loop(['start', 'fix']);
    for (const part of ['cad0ac4d', '1/10', '<loop-done>COMPLETE</loop-done>', 'holdpoint loop cancel']) {
      expect(stdout).toContain(part);
    }
  });

  it('says where a limit of tokens has no effect', () => {
    const inCodex = { env: { CLAUDE_CODE_SESSION_ID: '', CODEX_THREAD_ID: OTHER_SESSION } };
    const args = ['start', '--max-tokens', '5000', 'fix'];
    expect(project.loop(args, inCodex).stdout).toContain(
      'Codex does not report tokens, so the limit of 5000',
    );
    expect(project.loop(args).stdout).not.toContain('does not report');
  });

  it.each([
    [
      'the grind runs to 100 and goes on when a child is done',
      ['--mode', 'grind'],
      { mode: 'grind', max: 100, on_child_done: 'resume' },
    ],
    ['a number of its own', ['--max', '3'], { max: 3 }],
    ['with an equals sign', ['--max=3', '--mode=grind'], { max: 3, mode: 'grind' }],
    ['the largest number', ['--max', '1000000'], { max: 1_000_000 }],
    ['an issue', ['--mode', 'issue', '--issue', 'a/b-7'], { mode: 'issue', issue_id: 'a/b-7', max: 10 }],
    ['an issue alone means that mode', ['--issue=x-1'], { mode: 'issue', issue_id: 'x-1' }],
    [
      'a command that verifies',
      ['--verify', 'npm test -- "a b" && $(x)'],
      { verify: 'npm test -- "a b" && $(x)' },
    ],
    [
      'minutes and tokens',
      ['--max-minutes', '90', '--max-tokens=5000'],
      { budget: { seconds: 5400, tokens: 5000 } },
    ],
    ['half a minute', ['--max-minutes=0.5'], { budget: { seconds: 30 } }],
    ['the prompt again at every turn', ['--include-prompt'], { include_prompt: true }],
  ])('%s', (_, args, frame) => {
    start(...args, 'do it');
    expect(project.newest().stack[0]).toMatchObject(frame);
  });

  it('names the run after an issue, without what no file name should have', () => {
    start('--issue', 'a/../b 7');
    expect(project.newest().run_id).toMatch(/^issue-ab7-\d+/);
    expect(project.newest().stack[0]).toMatchObject({ issue_id: 'a/../b 7' });
  });

  it('has worktree and branch in the frame only if they are given', () => {
    project.rig.git('worktree', 'add', '--quiet', '-b', 'idle/issue/x', '../tmp/wt');
    const worktree = join(project.rig.tmp, 'wt');
    start('--issue', 'x', '--worktree', '../tmp/wt', '--branch', 'idle/issue/x');
    expect(project.newest().stack[0]).toMatchObject({ worktree_path: worktree, branch: 'idle/issue/x' });
    project.loop(['cancel']);
    start('--issue', 'x');
    expect(project.newest().stack[0]).not.toHaveProperty('worktree_path');
    expect(project.newest().stack[0]).not.toHaveProperty('branch');
  });

  it('refuses a worktree that is on another branch, and one that is not there', () => {
    project.rig.git('worktree', 'add', '--quiet', '-b', 'idle/issue/X', '../tmp/wt');
    const other = project.loop([
      'start',
      '--issue',
      'x',
      '--worktree',
      '../tmp/wt',
      '--branch',
      'idle/issue/x',
    ]);
    expect(other).toMatchObject({ exitCode: 1, stdout: '' });
    expect(other.stderr).toContain('idle/issue/X');
    const none = project.loop(['start', '--issue', 'x', '--worktree', 'nowhere']);
    expect(none).toMatchObject({ exitCode: 1, stdout: '' });
    expect(none.stderr).toContain('nowhere');
    expect(project.states()).toEqual([]);
  });
});

describe('the prompt', () => {
  const prompt = (): string => readFileSync(String(project.newest().stack[0]?.['prompt_file']), 'utf8');

  const PROMPTS: [string, string][] = [
    ['quotes', `say "it's" \`now\``],
    ['line ends', 'one\ntwo\r\n\nthree\n'],
    ['what a shell would run', '$(touch pwned); `id` && rm -rf $HOME *'],
    ['a list', '- one\n- two'],
    ['what looks like options', '--max 3 and more'],
    ['backslashes and nothing else', '\\n\\t\\\\'],
    ['other scripts', 'prüfe 日本語 🙂 \u202e'],
    ['control characters', 'bell\u0007 esc\u001b[31m'],
  ];

  it.each(PROMPTS)('as an argument keeps %s', (_, text) => {
    start(text);
    expect(prompt()).toBe(text);
  });

  it.each([...PROMPTS, ['NUL', 'a\0b'], ['a megabyte', 'x'.repeat(1_000_000)]])(
    'from standard input keeps %s',
    (_, text) => {
      const ended = project.loop(['start', '-'], { input: text });
      expect(ended, ended.stderr).toMatchObject({ exitCode: 0, stderr: '' });
      expect(prompt()).toBe(text);
    },
  );

  it('may begin with two dashes after `--`', () => {
    start('--', '--help');
    expect(prompt()).toBe('--help');
  });

  it('lies in the git directory, for its owner alone', () => {
    start('secret');
    const file = String(project.newest().stack[0]?.['prompt_file']);
    expect(file.startsWith(join(project.rig.repo, '.git/holdpoint/loop-prompts/'))).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(project.rig.repo, OWN_LOG), 'utf8')).not.toContain('secret');
  });

  it('may be left out', () => {
    start();
    expect(project.newest().stack[0]).not.toHaveProperty('prompt_file');
  });
});

describe('a wrong call is told and changes nothing', () => {
  it.each([
    ['--max', ['--max', '0']],
    ['--max', ['--max=0']],
    ['--max', ['--max', 'many']],
    ['--max', ['--max=-3']],
    ['--max', ['--max', '1.5']],
    ['--max', ['--max', '1e3']],
    ['--max', ['--max', '1000001']],
    ['--max', ['--max=']],
    ['--max-minutes takes minutes, more than 0', ['--max-minutes', '0']],
    ['--max-minutes', ['--max-minutes', 'an hour']],
    ['--max-tokens', ['--max-tokens', '0']],
    ['--max-tokens', ['--max-tokens', '12k']],
    ['--mode', ['--mode', 'forever']],
    ['--issue', ['--mode', 'issue']],
    ['--issue', ['--mode', 'loop', '--issue', 'x']],
    ['--issue', ['--issue', '../..']],
    ['--issue', ['--issue', 'x\ny']],
    ['--worktree', ['--issue', 'x', '--branch', 'b']],
    ['--verify', ['--verify', ' ']],
    ['--session', ['--session', '']],
    ['--force', ['--force', '--push', 'x']],
    ['one argument', ['fix', 'the', 'tests']],
    ['empty', ['']],
    ['empty', ['-']],
    ['--include-prompt', ['--include-prompt']],
    ['--nonsense', ['--nonsense', 'x']],
  ])('%s: %j', (named, args) => {
    const ended = project.loop(['start', ...args]);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain(named);
    expect(project.states()).toEqual([]);
  });

  it.each([['forever'], ['--all']])('there is no command %s', (name) => {
    expect(project.loop([name])).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('help is not a wrong call', () => {
    for (const args of [[], ['--help'], ['help'], ['start', '--help'], ['help', 'start']]) {
      const ended = project.loop(args);
      expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
      expect(ended.stdout).toContain('Usage: ');
    }
  });
});

describe('whose loop', () => {
  const NOBODY = { CLAUDE_CODE_SESSION_ID: '' };

  it('that of --session goes before that of the shell', () => {
    start('--session', OTHER_SESSION, 'x');
    expect(project.newest().session_id).toBe(OTHER_SESSION);
  });

  it.each(['CLAUDE_SESSION_ID', 'CODEX_SESSION_ID', 'CODEX_THREAD_ID', 'COPILOT_AGENT_SESSION_ID'])(
    'that of %s',
    (name) => {
      const ended = project.loop(['start', 'x'], { env: { ...NOBODY, [name]: 'sess-1' } });
      expect(ended.exitCode).toBe(0);
      expect(project.newest().session_id).toBe('sess-1');
    },
  );

  const registry = (...ids: string[]): void => {
    const entry = (id: string) => ({
      pid: process.pid,
      ppid: process.pid,
      session_id: id,
      project_dir: project.rig.repo,
      branch: 'feature/auth',
      started_at: 1,
      last_active: 2,
    });
    const sessions = Object.fromEntries(ids.map((id) => [id.slice(0, 8), entry(id)]));
    project.rig.writeHome('.claude/sessions.json', JSON.stringify({ version: '1.0', sessions }));
  };

  it('the only live one of this project, by its whole id', () => {
    registry(SESSION);
    const ended = project.person(['start', 'x']);
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(project.newest().session_id).toBe(SESSION);
  });

  it('the first eight characters of a live one are enough', () => {
    registry(SESSION, OTHER_SESSION);
    start('--session', OTHER_SESSION.slice(0, 8), 'x');
    expect(project.newest().session_id).toBe(OTHER_SESSION);
  });

  it('is not announced where nothing is started', () => {
    expect(project.loop(['start', '--session', 'newer', '--worktree', 'nowhere', 'x'])).toMatchObject({
      exitCode: 1,
      stdout: '',
    });
  });

  it('and of one that had a loop before', () => {
    start('x');
    project.loop(['cancel']);
    start('--session', SESSION.slice(0, 8), 'y');
    expect(project.newest().session_id).toBe(SESSION);
  });

  it('the first eight characters of one that is not seen yet count once it starts', () => {
    start('--session', SESSION.slice(0, 8), 'x');
    const { hook, repo } = project.rig;
    const stop = (session_id: string) =>
      hook({ session_id, hook_event_name: 'Stop', cwd: repo, last_assistant_message: 'working' }).exitCode;
    expect([stop(OTHER_SESSION), stop(SESSION)]).toEqual([0, 2]);
  });

  it('where it cannot be told, three ways are named', () => {
    const ended = project.person(['start', 'x']);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    for (const way of ['--session', 'CLAUDE_CODE_SESSION_ID', 'live session'])
      expect(ended.stderr).toContain(way);
    expect(project.states()).toEqual([]);
  });

  it('two sessions have a loop each, side by side', () => {
    start('--max', '3', 'one');
    const other = project.loop(['start', '--max', '4', 'two'], { env: AS_OTHER });
    expect(other.exitCode, other.stderr).toBe(0);
    const stateOf = (env: Record<string, string>) => project.loop(['status', '--json'], { env }).json;
    expect(stateOf(AS_SESSION)).toMatchObject({ active: true, session_id: SESSION, stack: [{ max: 3 }] });
    expect(stateOf(AS_OTHER)).toMatchObject({ active: true, session_id: OTHER_SESSION, stack: [{ max: 4 }] });
    const { stdout } = project.loop(['status']);
    for (const part of ['cad0ac4d', 'aaaaaaaa', '1/3', '1/4']) expect(stdout).toContain(part);
    expect(project.loop(['cancel']).exitCode).toBe(0);
    expect(stateOf(AS_SESSION)).toMatchObject({ active: false, event: 'ABORT', reason: 'USER_CANCELLED' });
    expect(stateOf(AS_OTHER)).toMatchObject({ active: true });
  });
});

describe('a loop that is live already', () => {
  beforeEach(() => start('--max', '5', 'first'));

  it('is not replaced unasked, and the ways are named', () => {
    const ended = project.loop(['start', 'second']);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    for (const way of ['--force', '--push', 'holdpoint loop cancel']) expect(ended.stderr).toContain(way);
    expect(project.states()).toHaveLength(1);
  });

  it('is replaced with --force', () => {
    const [first] = project.states();
    start('--force', '--max=7', 'second');
    expect(project.newest().stack).toHaveLength(1);
    expect(project.newest().stack[0]).toMatchObject({ max: 7 });
    expect(project.newest().stack[0]?.['id']).not.toBe(first?.stack[0]?.['id']);
  });

  it('gets a frame above it with --push, and keeps its run', () => {
    const [first] = project.states();
    start('--push', '--issue', 'x-1', 'second');
    const pushed = project.newest();
    expect(pushed).toMatchObject({ event: 'STATE', run_id: first?.run_id, session_id: SESSION });
    expect(pushed.stack).toHaveLength(2);
    expect(pushed.stack[0]).toEqual(first?.stack[0]);
    expect(pushed.stack[1]).toMatchObject({ mode: 'issue', issue_id: 'x-1', iter: 1, max: 10 });
    expect(readFileSync(String(pushed.stack[1]?.['prompt_file']), 'utf8')).toBe('second');
    expect(readFileSync(String(pushed.stack[0]?.['prompt_file']), 'utf8')).toBe('first');
  });

  it('pushes where nothing is live, too', () => {
    project.loop(['cancel']);
    start('--push', 'second');
    expect(project.newest().stack).toHaveLength(1);
  });

  it('does not hinder the next once it has ended', () => {
    project.loop(['cancel']);
    start('second');
    expect(at(project.loop(['status', '--json']).json, 'active')).toBe(true);
  });
});

/** Starts a loop whose task is not over yet; it waits for the rest of it until it is told to go on. */
async function startedHalf(task: string): Promise<() => Promise<number | null>> {
  const { rig } = project;
  const child = spawn(process.execPath, [commandFile('holdpoint'), 'loop', 'start', '-'], {
    cwd: rig.repo,
    env: rig.environment(AS_SESSION),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // More than a pipe holds: once it is gone the other side reads.
  await new Promise<void>((resolve) => child.stdin.write(task.padEnd(1_000_000), () => resolve()));
  return () => {
    child.stdin.end();
    return new Promise((resolve) => child.on('close', resolve));
  };
}

it('of ten that start at once, exactly one wins', async () => {
  const tasks = Array.from({ length: 10 }, (_, index) => `task ${index}`);
  const goOn = await Promise.all(tasks.map(startedHalf));
  const codes = await Promise.all(goOn.map((go) => go()));
  expect([...codes].sort()).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  expect(project.states()).toHaveLength(1);
  const file = String(project.newest().stack[0]?.['prompt_file']);
  expect(readFileSync(file, 'utf8').trimEnd()).toBe(`task ${codes.indexOf(0)}`);
  expect(readdirSync(dirname(file))).toHaveLength(1);
});
