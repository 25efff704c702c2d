import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { parseProcStat, processStart, processStartTime, processState } from '../../src/exec/processes';
import { bundle } from '../bundle';

const started: ChildProcess[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await gone;
  }
});

function start(command: string, ...args: string[]): ChildProcess {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  started.push(child);
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [chunk] = await once(child.stdout!, 'data');
  return String(chunk).trim();
}

/**
 * A process that has ended under a parent which never looks: the shell starts it, so that it ends only
 * after the shell has become `cat`, which reaps nothing.
 */
async function zombie(): Promise<number> {
  const parent = start('sh', '-c', 'sleep 0.3 & echo $!; exec cat');
  const pid = Number(await firstLine(parent));
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    if (stat.includes(') Z ')) return pid;
    await new Promise(setImmediate);
  }
  throw new Error('the process never became a zombie');
}

async function endedPid(): Promise<number> {
  const child = start('true');
  await once(child, 'exit');
  return child.pid!;
}

describe('a process is', () => {
  it('alive when it is this one', () => {
    expect(processState(process.pid)).toBe('alive');
  });

  it('alive while it runs and dead once it has been ended', async () => {
    const child = start('cat');
    expect(processState(child.pid!)).toBe('alive');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(processState(child.pid!)).toBe('dead');
  });

  it('alive when it was stopped', async () => {
    const child = start('sh', '-c', 'echo on; exec cat');
    await firstLine(child);
    child.kill('SIGSTOP');
    expect(processState(child.pid!)).toBe('alive');
  });

  it('dead when its number was never given', async () => {
    expect(processState(await endedPid())).toBe('dead');
    expect(processState(2 ** 22 + 1)).toBe('dead');
  });

  it.each([0, -1, -process.pid, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 40])(
    'dead when %d stands for its number',
    (pid) => {
      expect(processState(pid)).toBe('dead');
    },
  );
});

describe.runIf(process.platform === 'linux')('by what the kernel says (Linux), a process is', () => {
  it('dead when it has ended and nobody has looked', async () => {
    const pid = await zombie();
    expect(() => process.kill(pid, 0)).not.toThrow();
    expect(processState(pid)).toBe('dead');
  });

  it('alive with the start it has, dead with any other', () => {
    const begun = processStart(process.pid);
    expect(begun).toMatch(/^\d+$/);
    expect(processState(process.pid, begun)).toBe('alive');
    expect(processState(process.pid, `${begun}0`)).toBe('dead');
  });

  it('told apart from a later one by its start', async () => {
    const child = start('sh', '-c', 'echo on; exec cat');
    await firstLine(child);
    expect(Number(processStart(child.pid!))).toBeGreaterThan(Number(processStart(process.pid)));
  });

  it('without a start when it is not there', async () => {
    expect(processStart(await endedPid())).toBeUndefined();
  });
});

it('takes a process of another user for alive', () => {
  if (process.getuid?.() !== 0) {
    expect(processState(1)).toBe('alive');
    return;
  }
  const built = bundle(new URL('../../src/exec/processes.ts', import.meta.url));
  const ask = `let code = 'none';
    try { process.kill(${process.pid}, 0) } catch (error) { code = error.code }
    process.stdout.write(code + ' ' + module.exports.processState(${process.pid}))`;
  const nobody = { uid: 65534, gid: 65534, cwd: '/', env: {}, encoding: 'utf8' } as const;
  const code = `${readFileSync(built, 'utf8')};${ask}`;
  expect(execFileSync(process.execPath, ['-e', code], nobody)).toBe('EPERM alive');
});

it.runIf(process.platform === 'linux')(
  'a process began when it was started, whatever it has become (Linux, by /proc)',
  async () => {
    const before = Date.now();
    const child = spawn('sh', ['-c', 'read -r go; exec sleep 30'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await once(child, 'spawn');
    const after = Date.now();
    child.stdin?.end('go\n');
    const asked = Date.now();
    const began = processStartTime(child.pid ?? 0) ?? 0;
    const waited = Date.now() - asked;
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(began).toBeGreaterThanOrEqual(before);
    expect(began).toBeLessThanOrEqual(after + 30 + waited);
  },
);

it('of a process that is not there nothing is known', () => {
  expect(processStartTime(4_194_304_000)).toBeUndefined();
});

/** Fields 5 to 21; the third of them is the terminal. */
const BETWEEN = '1 1 34816 -1 4194560 1 0 0 0 1 2 3 4 20 0 1 0';

describe('the line of a process', () => {
  const NAMES: Record<string, string> = {
    'a plain name': 'node',
    'a name with a space': 'npm exec hold',
    'a name with parentheses': 'a) Z (b',
    'a name of parentheses alone': ')',
    'an empty name': '',
    'a name with a line end': 'a\nb',
  };
  it.each(Object.entries(NAMES))('is read with %s', (_, name) => {
    expect(parseProcStat(`42 (${name}) S 7 ${BETWEEN} 123456 5 6\n`)).toEqual({
      name,
      state: 'S',
      parent: 7,
      group: 1,
      session: 1,
      terminal: 34816,
      start: '123456',
    });
  });

  it.each(['', 'garbage', '42 (node) S 7', '42 (node)'])('is nothing when it is %j', (line) => {
    expect(parseProcStat(line)).toBeUndefined();
  });
});
