import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventsIn, SESSION } from './events';
import {
  AS_OTHER,
  AS_SESSION,
  type LoopProject,
  loopProject,
  OWN_LOG,
  STORE_LOG,
  storeLines,
} from './loop-project';
import { commandFile, type Ended, heldBecause, runNow } from './rig';

let project: LoopProject;

beforeEach(() => {
  project = loopProject();
});
afterEach(() => project.rig.remove());

function loop(args: readonly string[], cwd?: string): Ended {
  const ended = project.loop(args, { ...(cwd !== undefined && { cwd }) });
  expect(ended, ended.stderr).toMatchObject({ exitCode: 0, stderr: '' });
  return ended;
}

const stop = (cwd: string): Ended =>
  project.rig.hook(eventsIn(project.rig).stop(false, { cwd, last_assistant_message: 'working' }));

const OTHER_TOPIC = `${JSON.stringify({ type: 'topic', id: '01J0000000000000000000OTHR', name: 'notes', description: '', created_at: 1 })}\n`;

describe('where a loop is kept', () => {
  it('a project needs no config, and gets none', () => {
    loop(['start', 'x']);
    expect(readdirSync(project.rig.repo)).toEqual(['.git']);
    expect(heldBecause(stop(project.rig.repo))).toContain('[ITERATION 2/10]');
  });

  it('a subdirectory is the same project', () => {
    const sub = join(project.rig.repo, 'a/b');
    mkdirSync(sub, { recursive: true });
    loop(['start', 'x'], sub);
    expect(loop(['status', '--json']).json).toMatchObject({ active: true });
    heldBecause(stop(sub));
    loop(['cancel'], sub);
    expect(loop(['status', '--json']).json).toMatchObject({ active: false });
  });

  it('work trees share their loops', () => {
    const { rig } = project;
    rig.git('worktree', 'add', '--quiet', '-b', 'other', '../tmp/wt');
    const worktree = join(rig.tmp, 'wt');
    loop(['start', 'x'], worktree);
    expect(project.newest(OWN_LOG)).toMatchObject({ session_id: SESSION });
    expect(loop(['status', '--json']).json).toMatchObject({ active: true });
    heldBecause(stop(worktree));
  });

  it.each(['.jwz', '.zawinski'])('a store in %s is used, and its other lines stay', (store) => {
    const log = `${store}/messages.jsonl`;
    project.rig.write(log, OTHER_TOPIC);
    loop(['start', 'x']);
    expect(readFileSync(join(project.rig.repo, log), 'utf8').startsWith(OTHER_TOPIC)).toBe(true);
    expect(project.newest(log)).toMatchObject({ session_id: SESSION });
    expect(project.states(OWN_LOG)).toEqual([]);
    expect(heldBecause(stop(project.rig.repo))).toContain('[ITERATION 2/10]');
    expect(project.states(log)).toHaveLength(2);
  });

  it('a store above the repository serves it too', () => {
    writeStore(join(project.rig.dir, '.jwz'), '');
    loop(['start', 'x']);
    expect(project.newest(join(project.rig.dir, STORE_LOG))).toMatchObject({ session_id: SESSION });
  });

  it('a store that comes later does not cut a running loop off', () => {
    loop(['start', 'x']);
    project.rig.write(STORE_LOG, OTHER_TOPIC);
    const second = project.loop(['start', 'y'], { env: AS_OTHER });
    expect(second.exitCode, second.stderr).toBe(0);
    expect(loop(['status', '--json']).json).toMatchObject({ active: true, session_id: SESSION });
    loop(['cancel', '--all']);
    loop(['start', 'z']);
    expect(project.newest(STORE_LOG)).toMatchObject({ session_id: SESSION });
  });

  it('without git a store is enough, and nothing else is left behind', () => {
    const dir = join(project.rig.dir, 'plain');
    writeStore(join(dir, '.jwz'), OTHER_TOPIC);
    loop(['start', '--include-prompt', 'the task'], dir);
    expect(readdirSync(dir)).toEqual(['.jwz']);
    expect(readdirSync(join(dir, '.jwz')).sort()).toEqual(['loop-prompts', 'messages.jsonl']);
    const reason = heldBecause(stop(dir));
    expect(reason).toContain('[ITERATION 2/10]');
    expect(reason).toContain('the task');
    expect(loop(['status'], dir).stdout).toContain('iteration 2/10');
    loop(['cancel'], dir);
    expect(stop(dir)).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('without git and without a store there is no place, which is told', () => {
    const dir = join(project.rig.dir, 'plain');
    mkdirSync(dir);
    for (const verb of ['start', 'status', 'log', 'pause', 'resume', 'cancel']) {
      const ended = project.loop([verb], { cwd: dir });
      expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ended.stderr).toContain('A loop cannot be stored here');
    }
    expect(readdirSync(dir)).toEqual([]);
  });

  it('without git a loop file can be looked at, paused and ended, but no other loop begun beside it', () => {
    const dir = join(project.rig.dir, 'plain');
    mkdirSync(join(dir, '.claude'), { recursive: true });
    const text = '---\nactive: true\niteration: 1\nmax_iterations: 3\n---\n';
    writeFileSync(join(dir, '.claude/idle-loop.local.md'), text);
    expect(loop(['status'], dir).stdout).toContain('iteration 1/3');
    expect(project.loop(['start', '--force', 'x'], { cwd: dir })).toMatchObject({ exitCode: 2, stdout: '' });
    loop(['pause'], dir);
    expect(stop(dir)).toMatchObject({ exitCode: 0, stdout: '' });
    loop(['resume'], dir);
    expect(heldBecause(stop(dir))).toContain('[ITERATION 2/3]');
    loop(['cancel'], dir);
    expect(readdirSync(join(dir, '.claude'))).toEqual([]);
    expect(readdirSync(dir)).toEqual(['.claude']);
  });

  it('the config’s bounds are those of a loop that names none', () => {
    project.rig.write(
      '.holdpoint/config.yaml',
      'loop: {max_iterations: 4, max_minutes: 30, include_prompt: true}\n',
    );
    loop(['start', 'x']);
    expect(project.newest().stack[0]).toMatchObject({
      max: 4,
      budget: { seconds: 1800 },
      include_prompt: true,
    });
    loop(['start', '--force', '--max=6', '--max-minutes=1', 'x']);
    expect(project.newest().stack[0]).toMatchObject({ max: 6, budget: { seconds: 60 } });
  });
});

describe('a store in trouble', () => {
  const READERS = [['status'], ['log']];
  const WRITERS = [['start', 'x'], ['pause'], ['resume'], ['cancel']];

  it.each([
    ['a directory', (file: string) => mkdirSync(file, { recursive: true })],
    ['a pipe', (file: string) => void spawnSync('mkfifo', [file])],
    ['a link that leads nowhere', (file: string) => symlinkSync('/nowhere/at/all', file)],
  ])('%s in place of its file is named, and stays', (_, place) => {
    mkdirSync(join(project.rig.repo, '.jwz'));
    place(join(project.rig.repo, STORE_LOG));
    for (const args of [...READERS, ...WRITERS]) {
      const ended = project.loop(args);
      expect(ended.exitCode, args.join(' ')).toBe(1);
      expect(ended.stderr).toContain('messages.jsonl');
    }
    expect(existsSync(join(project.rig.repo, '.git/holdpoint/loop-prompts'))).toBe(false);
  });

  it.each(['not json', '[]', '{"schema": 99, "stack": []}', '{"schema": 1, "stack": 7}'])(
    'the newest message %s is told, and does not stand in the way',
    (body) => {
      project.rig.write(STORE_LOG, storeLines([body]));
      const status = project.loop(['status', '--json']);
      expect(status).toMatchObject({ exitCode: 0, json: { active: false, stack: [] } });
      expect(status.stderr).toContain('messages.jsonl');
      loop(['cancel']);
      expect(project.loop(['status']).stderr).toBe('');
      loop(['start', 'x']);
      expect(loop(['status', '--json']).json).toMatchObject({ active: true });
    },
  );

  it('broken and torn lines between the messages are passed over', () => {
    const { rig } = project;
    rig.write(STORE_LOG, `{bad\n\n${storeLines([])}{"type":"message","id":"01J`);
    loop(['start', 'x']);
    const text = readFileSync(join(rig.repo, STORE_LOG), 'utf8');
    expect(text.startsWith(`{bad\n\n${storeLines([])}{"type":"message","id":"01J\n`)).toBe(true);
    expect(loop(['status', '--json']).json).toMatchObject({ active: true });
  });

  it('a file that may not be written is left as it is, and so is everything else', () => {
    const { rig } = project;
    rig.write(STORE_LOG, storeLines([]));
    chmodSync(rig.dir, 0o755);
    chmodSync(join(rig.repo, STORE_LOG), 0o444);
    mkdirSync(join(rig.repo, '.git/holdpoint'), { recursive: true });
    chmodSync(join(rig.repo, '.git/holdpoint'), 0o777);
    const ended = asNobody(['loop', 'start', 'x']);
    expect(ended.status).toBe(1);
    expect(ended.stdout).toBe('');
    expect(ended.stderr).toContain('Nothing was changed');
    expect(ended.stderr).toContain('messages.jsonl');
    expect(readFileSync(join(rig.repo, STORE_LOG), 'utf8')).toBe(storeLines([]));
    expect(existsSync(join(rig.repo, '.git/holdpoint/loop-prompts'))).toBe(false);
  });

  it('where not even the lock can be taken, nothing is changed', () => {
    project.rig.write('.git/holdpoint', 'in the way');
    for (const args of WRITERS) {
      const ended = project.loop(args);
      expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
      expect(ended.stderr).toContain('Nothing was changed');
    }
  });

  it('a repository that may only be read can still be looked at', () => {
    const { rig } = project;
    rig.write(
      STORE_LOG,
      storeLines([{ schema: 1, event: 'STATE', run_id: 'r', stack: [{ mode: 'loop', iter: 1, max: 2 }] }]),
    );
    chmodSync(rig.dir, 0o755);
    const ended = asNobody(['loop', 'status', '--json']);
    expect(ended.status, ended.stderr).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ active: true });
    expect(asNobody(['loop', 'cancel']).status).toBe(1);
  });

  /** Whoever may do everything is told nothing by permissions, so another user has to run this. */
  function asNobody(args: readonly string[]) {
    const { rig } = project;
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    return spawnSync(process.execPath, [commandFile('holdpoint'), ...args], {
      cwd: rig.repo,
      env: rig.environment({ ...AS_SESSION, HOME: '/nonexistent' }),
      encoding: 'utf8',
      ...user,
    });
  }
});

it('nothing is written outside of the project', () => {
  const { rig } = project;
  const before = [readdirSync(rig.home), readdirSync(rig.tmp), readdirSync(rig.dir)];
  loop(['start', 'x']);
  loop(['pause']);
  loop(['resume']);
  loop(['status']);
  loop(['log']);
  loop(['cancel']);
  expect([readdirSync(rig.home), readdirSync(rig.tmp), readdirSync(rig.dir)]).toEqual(before);
});

it('a hook that stops while commands write loses no count', async () => {
  const { rig } = project;
  loop(['start', '--max=50', 'x']);
  const options = { cwd: rig.repo, env: rig.environment(AS_OTHER) };
  for (let round = 0; round < 5; round++) {
    const held = rig.startHook(
      eventsIn(rig).stop(false, { last_assistant_message: `round ${round}`, prompt_id: `p${round}` }),
    );
    runNow('holdpoint', ['loop', 'start', '--force', 'y'], '', options);
    heldBecause(await held);
  }
  expect(loop(['status', '--json']).json).toMatchObject({ active: true, stack: [{ iter: 6 }] });
});

function writeStore(dir: string, text: string): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'messages.jsonl'), text);
}
