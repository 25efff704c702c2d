import { spawnSync } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { childEnvironment, type RunEnd, type RunSpec, runCommand } from '../../src/exec/run';
import { ENV, node, run, scratch, sh, spec } from './run-rig';

const ECHO_ARGS = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';

interface EndCase {
  readonly spec: () => Partial<RunSpec> & Pick<RunSpec, 'command'>;
  readonly end: RunEnd | Record<string, unknown>;
}

function file(name: string, content: string, mode: number): string {
  const path = join(scratch, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

const ENDS: Readonly<Record<string, EndCase>> = {
  'a program that is content': { spec: () => ({ command: 'true' }), end: { kind: 'exited', code: 0 } },
  'a program that is not': {
    spec: () => ({ command: 'sh', args: ['-c', 'exit 7'] }),
    end: { kind: 'exited', code: 7 },
  },
  'a program that dies of a signal': {
    spec: () => ({ command: 'sh', args: ['-c', 'kill -SEGV $$'] }),
    end: { kind: 'signalled', signal: 'SIGSEGV' },
  },
  'a program that takes too long': {
    spec: () => ({ command: 'sleep', args: ['30'], timeoutMs: 50 }),
    end: { kind: 'timed-out', afterMs: 50 },
  },
  'a program that was cancelled before it began': {
    spec: () => ({ command: 'true', signal: AbortSignal.abort() }),
    end: { kind: 'cancelled' },
  },
  'a program that is cancelled while it runs': {
    spec: () => ({ command: 'sleep', args: ['30'], signal: AbortSignal.timeout(50) }),
    end: { kind: 'cancelled' },
  },
  'a name that is nowhere on the path': {
    spec: () => ({ command: 'no-such-program' }),
    end: { kind: 'not-started', detail: 'spawn no-such-program ENOENT' },
  },
  'a path with nothing there': {
    spec: () => ({ command: './nothing' }),
    end: { kind: 'not-started' },
  },
  'a file that may not be run': {
    spec: () => ({ command: file('plain', 'text', 0o644) }),
    end: { kind: 'not-started' },
  },
  'a directory': { spec: () => ({ command: scratch }), end: { kind: 'not-started' } },
  'a script whose interpreter is missing': {
    spec: () => ({ command: file('odd', '#!/no/such/interpreter\n', 0o755) }),
    end: {
      kind: 'not-started',

      detail: `${join(scratch, 'odd')} exists, but the interpreter that its first line names does not`,
    },
  },
  'a working directory that is not there': {
    spec: () => ({ command: 'true', cwd: join(scratch, 'gone') }),
    end: { kind: 'not-started' },
  },
  'a working directory that is a file': {
    spec: () => ({ command: 'true', cwd: file('flat', '', 0o644) }),
    end: { kind: 'not-started', detail: `${join(scratch, 'flat')} is not a directory` },
  },
  'an argument with a zero byte': {
    spec: () => ({ command: 'true', args: ['a\0b'] }),
    end: { kind: 'not-started' },
  },
  'more arguments than the kernel takes': {
    spec: () => ({ command: 'true', args: ['x'.repeat(4 * 1024 * 1024)] }),
    end: { kind: 'not-started' },
  },
  'a log that cannot be opened': {
    spec: () => ({ command: 'true', log: { file: join(scratch, 'gone', 'log'), maxBytes: 10 } }),
    end: { kind: 'not-started' },
  },
};

describe('the end of', () => {
  test.each(Object.entries(ENDS))('%s', async (_, { spec: parts, end }) => {
    const result = await runCommand(spec(parts()));
    expect(result).toMatchObject({ ...end, stdout: '', stderr: '', cut: false });
    expect(result.durationMs).toBeGreaterThanOrEqual(0);
    expect(result.durationMs).toBeLessThan(30_000);
  });
});

describe('a program gets', () => {
  it('its arguments as they are, with no shell between', async () => {
    const odd = [
      'a b',
      '',
      "it's",
      '"q"',
      '$HOME',
      '`id`',
      '*',
      '; exit 3',
      '\n',
      '\\',
      'ü😀',
      '-n',
      '|',
      '&',
    ];
    const result = await run(process.execPath, ['-e', ECHO_ARGS, '--', ...odd]);
    expect(JSON.parse(result.stdout)).toEqual(odd);
  });

  it('its directory and its environment, with one mark of ours', async () => {
    const cwd = join(scratch, 'a place with spaces');
    mkdirSync(cwd);
    const env = { ...ENV, WORD: 'x y', UNSET: undefined };
    const code = 'process.stdout.write(JSON.stringify([process.cwd(), process.env]))';
    const [where, has] = JSON.parse((await node(code, { cwd, env })).stdout);
    expect(where).toBe(cwd);
    expect(has).toEqual({ ...ENV, WORD: 'x y', HOLDPOINT_RUN: expect.stringContaining(`${process.pid}.`) });
  });

  it('its input, and the end of it', async () => {
    expect(await run('cat', [], { input: 'grüße\n' })).toMatchObject({ code: 0, stdout: 'grüße\n' });
  });

  it('an ended input where there is none', async () => {
    expect(await run('cat')).toMatchObject({ kind: 'exited', code: 0, stdout: '' });
  });

  it('more input than it reads, to no harm', async () => {
    const input = 'x'.repeat(4 * 1024 * 1024);
    expect(await run('true', [], { input })).toMatchObject({ kind: 'exited', code: 0 });
    expect(await run('head', ['-c', '3'], { input })).toMatchObject({ kind: 'exited', stdout: 'xxx' });
  });

  it('a group and a session of its own', async () => {
    const { stdout } = await sh('cut -d " " -f 1,5,6 /proc/$$/stat');
    const [pid, group, session] = stdout.trim().split(' ');
    expect([group, session]).toEqual([pid, pid]);
    expect(Number(pid)).not.toBe(process.pid);
  });
});

it('runs fifty at once, each with its own output', async () => {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const warnings: Error[] = [];
  const note = (warning: Error): number => warnings.push(warning);
  process.on('warning', note);
  const scripts = Array.from({ length: 50 }, (_, at) => `echo out ${at}; echo err ${at} >&2; exit ${at}`);
  const results = await Promise.all(scripts.map((script) => sh(script, { signal: stop.signal })));
  await new Promise(setImmediate);
  process.off('warning', note);
  expect(results.map(({ stdout, stderr }) => [stdout, stderr])).toEqual(
    scripts.map((_, at) => [`out ${at}\n`, `err ${at}\n`]),
  );
  expect(results.map((one) => one.kind === 'exited' && one.code)).toEqual(scripts.map((_, at) => at));
  expect(warnings).toEqual([]);
});

it('a program has no further descriptor of ours open', async () => {
  const list = 'ls /proc/$$/fd';
  const usual = spawnSync('sh', ['-c', list], { encoding: 'utf8' }).stdout;
  expect((await sh(list)).stdout).toBe(usual);
});

it('leaves no descriptor open, however often a start fails', async () => {
  const open = (): number => readdirSync('/proc/self/fd').length;
  await run('true');
  const before = open();
  for (let round = 0; round < 50; round++) await run('no-such-program');
  await new Promise((next) => setTimeout(next, 20));
  expect(open()).toBeLessThanOrEqual(before);
});

it('listens to signals only while something runs', async () => {
  const listeners = (): number[] =>
    ['SIGHUP', 'SIGINT', 'SIGTERM'].map((signal) => process.listenerCount(signal));
  const before = listeners();
  const running = Promise.all([run('sleep', ['30'], { timeoutMs: 60 }), run('true')]);
  expect(listeners()).toEqual(before.map((count) => count + 1));
  await running;
  expect(listeners()).toEqual(before);
});

const [NAME, KEPT] = ['NODE_EXTRA_CA_CERTS', 'HOLDPOINT_NODE_EXTRA_CA_CERTS'];

it.each([
  ['was emptied for us', { [NAME]: '', [KEPT]: '/a.pem' }, '/a.pem'],
  ['was taken from us', { [KEPT]: '/a.pem' }, '/a.pem'],
  ['is still there', { [NAME]: '/b.pem', [KEPT]: '/a.pem' }, '/b.pem'],
  ['was never there', { [NAME]: '', [KEPT]: '' }, undefined],
  ['nobody has heard of', {}, undefined],
])('a list of certificates that %s', (_name, env, given) => {
  expect(childEnvironment({ ...env, A: '1' })).toMatchObject({ A: '1' });
  expect(childEnvironment(env)[NAME]).toBe(given);
});
