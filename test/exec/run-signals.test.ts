import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import type { RunSpec } from '../../src/exec/run';
import { bundle } from '../bundle';
import { pidsIn, poll, scratch, spec, stillAlive } from './run-rig';

let driver = '';
beforeAll(() => {
  driver = bundle(new URL('run-driver.ts', import.meta.url));
});

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  // What a failed test has left is told by the scratch directory in its environment.
  for (const pid of runningWith([`P=${scratch}`])) process.kill(pid, 'SIGKILL');
});

interface Driven {
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly closed: Promise<unknown>;
}

/** Starts the driver and waits until each of its commands has said something. */
async function drive(specs: readonly RunSpec[]): Promise<Driven> {
  const child = spawn(process.execPath, [driver, JSON.stringify(specs)], {
    env: { PATH: process.env['PATH'], HOME: scratch },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  started.push(child);
  const lines: string[] = [];
  const closed = once(child, 'close');
  await new Promise<void>((ready) => {
    child.stdout?.on('data', (data) => {
      lines.push(...String(data).trim().split('\n'));
      if (lines.length >= specs.length) ready();
    });
    void closed.then(() => ready());
  });
  return { child, lines, closed };
}

/** Kills a driver after so many milliseconds, and tells what ran then and what is left a second later. */
async function killedAfter(ms: number): Promise<{ ran: number; left: readonly number[] }> {
  const commands = Array.from({ length: 10 }, polite);
  const marks = commands.map(({ file }) => `P=${file}\0`);
  const child = spawn(process.execPath, [driver, JSON.stringify(commands.map((one) => one.spec))], {
    env: { PATH: process.env['PATH'], HOME: scratch },
    stdio: 'ignore',
  });
  started.push(child);
  const closed = once(child, 'close');
  await new Promise((next) => setTimeout(next, ms));
  const ran = runningWith(marks).length;
  child.kill('SIGKILL');
  await closed;
  return { ran, left: await poll(1000, () => runningWith(marks)) };
}

let files = 0;

/** A command with a child of its own that both outlive any asking. */
function stubborn(): { readonly file: string; readonly spec: RunSpec } {
  const file = join(scratch, `stubborn-${files++}.pids`);
  const inner = `trap "" TERM INT HUP; echo $$ >> "$P"; echo on; while :; do sleep 60; done`;
  const script = `trap '' TERM INT HUP; sh -c '${inner}' & echo $$ >> "$P"; wait; wait`;
  const env = { PATH: process.env['PATH'], P: file };
  return { file, spec: spec({ command: 'sh', args: ['-c', script], env }) };
}

function polite(): { readonly file: string; readonly spec: RunSpec } {
  const file = join(scratch, `polite-${files++}.pids`);
  const env = { PATH: process.env['PATH'], P: file };
  const script = 'echo $$ >> "$P"; echo on; exec sleep 60';
  return { file, spec: spec({ command: 'sh', args: ['-c', script], env }) };
}

/** The shells that the driver has started: leaders and the guardian. */
function shellsOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const stat = readProc(Number(name), 'stat');
      return stat.includes('(sh)') && stat.split(') ')[1]?.split(' ')[1] === String(pid);
    })
    .map(Number);
}

/** The processes that have one of these texts in their environment, whether or not they got to say so. */
function runningWith(marks: readonly string[]): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    const environ = readProc(pid, 'environ');
    return marks.some((mark) => environ.includes(mark));
  });
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

describe.runIf(process.platform === 'linux')('within a second nothing is left (Linux, by /proc)', () => {
  it('when we are killed', async () => {
    const commands = [stubborn(), stubborn(), polite()];
    const { child, closed } = await drive(commands.map((one) => one.spec));
    // Two leaders and the guardian; the third leader becomes a `sleep`.
    await expect.poll(() => shellsOf(child.pid ?? 0)).toHaveLength(3);
    const ours = shellsOf(child.pid ?? 0);
    child.kill('SIGKILL');
    await closed;
    const pids = commands.flatMap(({ file }) => pidsIn(file));
    expect(pids).toHaveLength(5);
    expect(await stillAlive([...pids, ...ours])).toEqual([]);
  });

  it('when our whole group is killed', async () => {
    const { file, spec: one } = stubborn();
    const { child, closed } = await drive([one]);
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await closed;
    expect(await stillAlive(pidsIn(file))).toEqual([]);
  });

  it('at whatever moment we are killed while we start many', async () => {
    const moments = Array.from({ length: 20 }, (_, at) => 20 + at * 12);
    const found = await Promise.all(moments.map(killedAfter));
    expect(found.flatMap(({ left }) => left)).toEqual([]);
    expect(found.some(({ ran }) => ran > 0)).toBe(true);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('when we get %s, and we exit with %d', async (signal, code) => {
    const commands = [stubborn(), polite()];
    const { child, lines, closed } = await drive(commands.map((one) => one.spec));
    const begun = Date.now();
    child.kill(signal);
    await closed;
    // They would run for a minute.
    expect(Date.now() - begun).toBeLessThan(30_000);
    expect([child.exitCode, child.signalCode]).toEqual([code, null]);
    const left = commands.flatMap(({ file }) => pidsIn(file));
    expect(left).toHaveLength(3);
    expect(await stillAlive(left)).toEqual([]);
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ kinds: ['cancelled', 'cancelled'] });
    expect(JSON.parse(lines[3] ?? '')).toEqual({ next: ['cancelled', 'cancelled'] });
  });

  it('when a second signal does not wait for the first', async () => {
    const { file, spec: one } = stubborn();
    const { child, closed } = await drive([one]);
    child.kill('SIGINT');
    child.kill('SIGTERM');
    await closed;
    expect([130, 143]).toContain(child.exitCode);
    expect(await stillAlive(pidsIn(file))).toEqual([]);
  });
});

it.runIf(process.platform === 'linux')(
  'the guardian ends with us and delays nobody (Linux, by /proc)',
  async () => {
    const { child, closed } = await drive(
      [polite(), polite()].map(({ spec: one }) => ({ ...one, timeoutMs: 300 })),
    );
    const ours = shellsOf(child.pid ?? 0);
    await closed;
    expect(child.exitCode).toBe(0);
    expect(ours.length).toBeGreaterThan(0);
    expect(await poll(1000, () => ours.filter((pid) => readProc(pid, 'stat').includes('(sh) S')))).toEqual(
      [],
    );
  },
);

it('a flood of 200 MB takes no more than 50 MB of memory', async () => {
  const flood = spec({
    command: 'sh',
    args: ['-c', 'echo on; head -c 200000000 /dev/zero'],
    maxBytesInMemory: 1_000_000,
  });
  const { lines, closed } = await drive([flood]);
  await closed;
  const report = JSON.parse(lines.at(-1) ?? '') as { kinds: string[]; extraBytes: number };
  expect(report.kinds).toEqual(['exited']);
  expect(report.extraBytes).toBeLessThan(50_000_000);
});
