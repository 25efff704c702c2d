import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventsIn, SESSION } from './events';
import { AS_OTHER, type LoopProject, loopProject, OWN_LOG, STORE_LOG, storeLines } from './loop-project';
import { at, commandFile, type Ended, type HostDocument, heldBecause } from './rig';

/* What a loop does not do because somebody else's files say so, and what it does not leave behind. */

const S = '<loop-done>COMPLETE</loop-done>';
let project: LoopProject;
beforeEach(() => {
  project = loopProject();
});
afterEach(() => project.rig.remove());

function stop(text: string, more: HostDocument = {}): Ended {
  return project.rig.hook(eventsIn(project.rig).stop(false, { last_assistant_message: text, ...more }));
}

function start(...args: string[]): void {
  const ended = project.loop(['start', ...args]);
  expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
}

/** A store as it comes with a cloned repository. */
function clonedStore(frame: object): void {
  const stack = [{ id: 'loop-1-1', mode: 'loop', iter: 1, max: 10, origin: 'holdpoint', ...frame }];
  const updated_at = new Date().toISOString();
  project.rig.write(STORE_LOG, storeLines([{ schema: 1, event: 'STATE', run_id: 'r', updated_at, stack }]));
}

const tasks = (): string[] => {
  const dir = join(project.rig.repo, '.git/holdpoint/loop-prompts');
  return existsSync(dir) ? readdirSync(dir) : [];
};
const inOwn = (name: string): string => join(project.rig.repo, '.git/holdpoint', name);

describe('a command in a state', () => {
  test('that came with a repository is never run, and the person is told', () => {
    const { rig } = project;
    clonedStore({ verify: `touch ${join(rig.dir, 'run')}` });
    const ended = stop(S);
    expect(at(ended.json, 'systemMessage')).toContain('was not run');
    expect(project.newest(STORE_LOG)).toMatchObject({ event: 'DONE', reason: 'COMPLETE' });
    expect(existsSync(join(rig.dir, 'run'))).toBe(false);
  });

  test('is not run either where it took the place of the one that was set', () => {
    const { rig } = project;
    rig.write(STORE_LOG, '');
    start('--verify', 'false', 'x');
    const { stack, ...state } = project.newest(STORE_LOG);
    const verify = `touch ${join(rig.dir, 'run')}`;
    rig.write(STORE_LOG, storeLines([{ ...state, stack: [{ ...stack[0], verify }] }]));
    expect(at(stop(S).json, 'systemMessage')).toContain('was not run');
    expect(existsSync(join(rig.dir, 'run'))).toBe(false);
  });

  test('is run where `loop start` set it, also after a pause and in another session', () => {
    project.rig.write(STORE_LOG, '');
    start('--verify', 'test -f ok', 'x');
    expect(project.loop(['pause']).exitCode).toBe(0);
    const other = { env: { CLAUDE_CODE_SESSION_ID: 'other-session' } };
    expect(project.loop(['resume', '--from', project.newest(STORE_LOG).run_id], other).exitCode).toBe(0);
    const session = { session_id: 'other-session' };
    expect(heldBecause(stop(S, session))).toContain('`test -f ok` ended with exit code 1');
    project.rig.write('ok', '');
    expect(stop(S, session)).toMatchObject({ exitCode: 0, stdout: '' });
    expect(existsSync(inOwn('loop-verify.json'))).toBe(false);
  });

  test.each(['.jwz', '.holdpoint'])('cannot be set without git, with %s alone', (place) => {
    const dir = join(project.rig.dir, 'plain');
    mkdirSync(join(dir, place), { recursive: true });
    if (place === '.jwz') writeFileSync(join(dir, STORE_LOG), '');
    const ended = project.loop(['start', '--verify', 'true', 'x'], { cwd: dir });
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain('--verify needs a git repository');
    const loops = readdirSync(dir, { recursive: true }).filter((name) => String(name).includes('loop'));
    expect(loops).toEqual([]);
    expect(project.loop(['start', 'x'], { cwd: dir }).exitCode).toBe(0);
  });
});

describe('a task in a state', () => {
  test.each([
    ['a link in the store', 'task.txt', true],
    ['a link in a directory of the store', 'more/task.txt', true],
    ['dots', '../secret', false],
    ['an absolute path', '', false],
  ])('that leads elsewhere by %s is not told', (_how, name, isLink) => {
    const { rig } = project;
    rig.writeHome('secret', 'SECRET');
    rig.write('secret', 'SECRET');
    const secret = join(rig.home, 'secret');
    clonedStore({ include_prompt: true, prompt_file: name || secret });
    mkdirSync(join(rig.repo, '.jwz/more'));
    if (isLink) symlinkSync(secret, join(rig.repo, '.jwz', name));
    const ended = stop('x');
    expect(ended.exitCode).toBe(2);
    expect(ended.stdout + ended.stderr).not.toContain('SECRET');
  });

  test('that lies in the store is', () => {
    clonedStore({ include_prompt: true, prompt_file: 'task.txt' });
    project.rig.write('.jwz/task.txt', 'do it');
    expect(heldBecause(stop('x'))).toContain('The task:\ndo it');
  });
});

test('the command of a loop that went stale is still run after a month, when it is resumed', () => {
  const { rig } = project;
  start('--verify', 'false', 'x');
  const [long, file] = [Date.now() - 40 * 24 * 3_600_000, '.git/holdpoint/loop-verify.json'];
  const { commands } = rig.readJson(file) as { commands: Record<string, object> };
  const aged = Object.entries(commands).map(([id, one]) => [id, { ...one, at: long }]);
  rig.write(file, JSON.stringify({ commands: Object.fromEntries(aged) }));
  const ago = { ...project.newest(), updated_at: new Date(long).toISOString() };
  rig.write(OWN_LOG, storeLines([ago]));
  rmSync(inOwn('loop-live.json'), { force: true });
  const other = project.loop(['start', '--verify', 'true', 'y'], { env: AS_OTHER });
  expect(other, other.stderr).toMatchObject({ exitCode: 0 });
  const resumed = project.loop(['resume']);
  expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
  expect(heldBecause(stop(S))).toContain('Your completion signal was not accepted');
});

describe('the file of a task', () => {
  test.each<[string, () => unknown]>([
    ['is completed', () => stop(S)],
    ['is cancelled', () => project.loop(['cancel'])],
    ['is cancelled with all others', () => project.loop(['cancel', '--all'])],
    ['is cancelled by a prompt', () => project.rig.hook(cancelPrompt())],
  ])('goes with its loop when that %s', (_how, end) => {
    start('--verify', 'true', 'x');
    expect([tasks().length, existsSync(inOwn('loop-verify.json'))]).toEqual([1, true]);
    end();
    expect([tasks(), existsSync(inOwn('loop-verify.json'))]).toEqual([[], false]);
    expect(project.loop(['status', '--json']).json).toMatchObject({ active: false });
  });

  test('of a loop that is replaced goes, that of the new one stays', () => {
    start('old');
    const [old] = tasks();
    start('--force', 'new');
    expect(tasks()).toEqual([expect.not.stringMatching(String(old))]);
  });

  test('of an outer loop stays when the inner one is done', () => {
    start('--mode', 'grind', 'all');
    const [outer] = tasks();
    start('--push', 'one');
    expect(tasks()).toHaveLength(2);
    expect(heldBecause(stop(S))).toContain('[ITERATION 2/100]');
    expect(tasks()).toEqual([outer]);
  });

  test('of a loop that may be resumed stays', () => {
    start('--include-prompt', 'x');
    for (let n = 0; n < 5; n++) stop('same', { prompt_id: `p${n}` });
    expect(project.newest()).toMatchObject({ reason: 'NO_PROGRESS' });
    expect(project.loop(['resume']).exitCode).toBe(0);
    expect(heldBecause(stop('on'))).toContain('The task:\nx');
  });

  test('in a store without git stays, as does what a link there leads to', () => {
    const dir = join(project.rig.dir, 'plain');
    mkdirSync(join(dir, '.jwz'), { recursive: true });
    writeFileSync(join(dir, STORE_LOG), '');
    expect(project.loop(['start', 'x'], { cwd: dir }).exitCode).toBe(0);
    expect(readdirSync(join(dir, '.jwz/loop-prompts'))).toHaveLength(1);
    expect(stop(S, { cwd: dir }).exitCode).toBe(0);
    writeFileSync(join(dir, 'mine.txt'), 'mine');
    symlinkSync('../../mine.txt', join(dir, '.jwz/loop-prompts/a.txt'));
    const frame = { id: 'a', iter: 1, max: 3, origin: 'holdpoint', prompt_file: 'loop-prompts/a.txt' };
    const body = { schema: 1, event: 'STATE', stack: [frame] };
    for (const end of [() => stop(S, { cwd: dir }), () => project.loop(['cancel', '--all'], { cwd: dir })]) {
      writeFileSync(join(dir, STORE_LOG), storeLines([body]));
      end();
      expect(project.newest(join(dir, STORE_LOG)).stack).toEqual([]);
      expect(existsSync(join(dir, 'mine.txt'))).toBe(true);
    }
  });
});

function cancelPrompt(): HostDocument {
  return {
    ...eventsIn(project.rig).stop(false),
    hook_event_name: 'UserPromptSubmit',
    prompt: '/cancel-loop',
  };
}

test('switched off by the environment, the loop needs nothing on standard input', async () => {
  start('x');
  const env = project.rig.environment({ IDLE_LOOP_DISABLE: '1' });
  const child = spawn(process.execPath, [commandFile('hook'), '--only', 'loop'], { env });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  expect(code).toBe(0);
  expect(project.states()).toHaveLength(1);
});

describe('a loop of a person', () => {
  const agent = { env: { CLAUDECODE: '1' } };

  test('is not replaced by an agent', () => {
    start('--max', '5', 'x');
    const ended = project.loop(['start', '--force', '--max', '1', 'y'], agent);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('Only a person can replace a loop');
    expect(heldBecause(stop('Working.'))).toContain('[ITERATION 2/5]');
  });

  test('goes on at once when one ends that an agent has put into it', () => {
    start('--max', '5', 'x');
    expect(project.loop(['start', '--push', '--max', '1', 'y'], agent)).toMatchObject({ exitCode: 0 });
    expect(heldBecause(stop('Working.'))).toContain('[ITERATION 2/5]');
  });

  test.each([
    '.idle-disabled',
    '.git/.idle-disabled',
    STORE_LOG,
    `sub/${STORE_LOG}`,
    '.claude/idle-loop.local.md',
  ])('stands in no file that an agent writes unasked: %s', (file) => {
    const { rig } = project;
    start('x');
    const on = eventsIn(rig);
    const write = () => rig.hook(on.pre('Write', { file_path: join(rig.repo, file), content: '' }));
    const touched = rig.hook(on.pre('Bash', { command: `touch ${file}` }));
    for (const { json } of [write(), touched])
      expect(at(json, 'hookSpecificOutput', 'permissionDecision')).toMatch(/ask|deny/);
    expect(project.person(['cancel'])).toMatchObject({ exitCode: 0 });
    expect(write()).toMatchObject({ stdout: '', stderr: '' });
  });

  const isHeld = (): boolean => {
    const { json } = project.rig.hook(eventsIn(project.rig).pre('Bash', { command: 'touch .idle-disabled' }));
    return /ask|deny/.test(String(at(json, 'hookSpecificOutput', 'permissionDecision')));
  };
  const on = (hook_event_name: string, more: HostDocument = {}): Ended =>
    project.rig.hook({ ...eventsIn(project.rig).stop(false), hook_event_name, ...more });

  test.each<[string, () => unknown]>([
    ['the agent', () => stop('<loop-pause>wait</loop-pause>')],
    ['a person', () => project.person(['pause', '--session', SESSION])],
    ['an error', () => on('StopFailure', { error: 'rate_limit' })],
  ])('is protected while %s has paused it, until it ends', (_who, pause) => {
    start('x');
    pause();
    expect(project.loop(['status', '--json']).json).toMatchObject({ active: false, paused: {} });
    expect(isHeld()).toBe(true);
    expect(project.person(['cancel', '--session', SESSION])).toMatchObject({ exitCode: 0 });
    expect(isHeld()).toBe(false);
  });

  test.each<[string, HostDocument]>([
    ['SessionStart', { source: 'startup' }],
    ['UserPromptSubmit', { prompt: 'on' }],
  ])(
    'that another program has started is protected from %s on, until a turn ends without it',
    (kind, more) => {
      clonedStore({});
      on(kind, more);
      expect(isHeld()).toBe(true);
      project.rig.write(STORE_LOG, storeLines([{ schema: 1, event: 'DONE', stack: [] }]));
      expect(stop('x')).toMatchObject({ exitCode: 0, stdout: '' });
      expect(isHeld()).toBe(false);
    },
  );

  test('that another program has started is not paused by an error in a session that never continued it', () => {
    clonedStore({});
    on('SessionStart', { source: 'startup' });
    on('StopFailure', { error: 'rate_limit' });
    expect(project.newest(STORE_LOG)).not.toHaveProperty('paused');
  });
});
