import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processState } from '../../../../src/exec/processes';
import type { GatesConfig } from '../../../../src/guards/gates/config';
import { bundle } from '../../../bundle';
import { check, type GatesProject, gates, makeGatesProject } from './gates-project';

let project: GatesProject;
beforeEach(() => {
  project = makeGatesProject();
});
afterEach(() => project.remove());

/** Tells its processes, then waits for a file that nobody makes. */
const LONG = 'sleep 60 & echo "$$ $!" > ../../pids.tmp; mv ../../pids.tmp ../../pids; wait';

interface Ended {
  readonly code: number | null;
  readonly printed: string;
}

const driverFile = (): string => bundle(new URL('run-driver.ts', import.meta.url));

function start(driver: string, config: GatesConfig): { child: ChildProcess; ended: Promise<Ended> } {
  const request = JSON.stringify(project.request(config));
  const child = spawn(process.execPath, [driver, request], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: project.env,
  });
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, printed }));
  });
  return { child, ended };
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('it did not happen');
    await new Promise((next) => setTimeout(next, 10));
  }
}

const pidsFile = (): string => join(project.root, '..', 'pids');
const pids = (): number[] => readFileSync(pidsFile(), 'utf8').trim().split(' ').map(Number);
const lock = (): string => join(project.logDir, '.gauntlet-run.lock');

describe('a run that is ended from outside', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('by %s leaves neither processes nor its lease', async (signal, code) => {
    const { child, ended } = start(driverFile(), gates([check('c', LONG)]));
    await until(() => existsSync(pidsFile()));
    expect(existsSync(lock())).toBe(true);
    child.kill(signal);
    expect((await ended).code).toBe(code);
    expect(pids().map((pid) => processState(pid))).toEqual(['dead', 'dead']);
    expect(existsSync(lock())).toBe(false);
    expect(existsSync(join(project.logDir, '.execution_state'))).toBe(false);
    expect(project.log('check_src_c.1.log')).toContain('Result: error - Interrupted by a signal');
    expect(await project.run(gates([check('c', 'true')]))).toMatchObject({ status: 'passed', run: 1 });
  });

  it('by SIGKILL leaves no process, and the next run takes its lease over', async () => {
    const { child, ended } = start(driverFile(), gates([check('c', LONG)]));
    await until(() => existsSync(pidsFile()));
    child.kill('SIGKILL');
    await ended;
    await until(() => pids().every((pid) => processState(pid) === 'dead'));
    expect(existsSync(lock())).toBe(true);
    expect(await project.run(gates([check('c', 'false')], { maxRetries: 0 }))).toMatchObject({ run: 1 });
    expect(project.logs()).toContain('check_src_c.2.log');
    expect(existsSync(lock())).toBe(false);
  });
});

describe('several runs at once', () => {
  it.each([
    ['at first', undefined],
    ['after one that was killed', '4194303'],
  ])('are one run %s; the others say that there is one, and leave no file', async (_name, left) => {
    const driver = driverFile();
    if (left !== undefined) project.write('gauntlet_logs/.gauntlet-run.lock', left);
    const config = gates([check('c', 'while [ ! -e ../../go ]; do sleep 0.05; done')]);
    const runs = [start(driver, config), start(driver, config), start(driver, config)];
    let going = runs.length;
    for (const { ended } of runs) void ended.then(() => going--);
    await until(() => going === 1);
    writeFileSync(join(project.root, '..', 'go'), '');
    const results = (await Promise.all(runs.map(({ ended }) => ended))).map(({ printed }) => {
      const last = printed.trim().split('\n').at(-1) ?? '';
      return JSON.parse(last).result;
    });
    expect(results.map(({ status }) => status).sort()).toEqual(['lock_conflict', 'lock_conflict', 'passed']);
    const refused = results.find(({ status }) => status === 'lock_conflict');
    const winner = runs[results.findIndex(({ status }) => status === 'passed')]?.child.pid;
    expect(refused.message).toContain(`(lock file: ${lock()}), by process ${winner}, for `);
    expect(project.logs('previous')).toEqual(['check_src_c.1.log', 'console.1.log']);
  });
});

describe('a lock that is there', () => {
  const config = gates([check('c', 'true')]);
  const place = (text: string): void => {
    project.write('gauntlet_logs/.gauntlet-run.lock', text);
  };

  const elsewhere = JSON.stringify({ pid: 4194303, host: 'another-machine', nonce: 'x', at: 1 });

  it.each([
    ['the number of a living process', () => String(process.pid)],
    ['nothing, yet', () => ''],
    ['the stamp of another machine that was heard of lately', () => elsewhere],
  ])('holds with %s', async (_name, text) => {
    place(text());
    expect((await project.run(config)).status).toBe('lock_conflict');
    const looked = await project.run(config, { looksFirst: true, deadline: Date.now() + 200 });
    expect(looked).toMatchObject({ status: 'lock_exists', message: expect.stringContaining(lock()) });
    expect(project.logs()).toEqual([]);
    expect(project.read('gauntlet_logs/.gauntlet-run.lock')).toBe(text());
  });

  it.each([
    ['the number of a process that is gone', '4194303'],
    [
      'a stamp of a process that is gone',
      JSON.stringify({ pid: 4194303, host: hostName(), nonce: 'x', at: 1 }),
    ],
    [
      'the number of a living process that began at another time',
      JSON.stringify({ pid: process.pid, start: '1', host: hostName(), nonce: 'x', at: Date.now() }),
    ],
  ])('is taken over with %s', async (_name, text) => {
    place(text);
    expect((await project.run(config, { looksFirst: true })).status).toBe('passed');
    expect(existsSync(lock())).toBe(false);
  });

  it.each([
    ['names nobody', 'x'],
    ['is of another machine', elsewhere],
  ])('is taken over where it %s and is old', async (_name, text) => {
    place(text);
    const hourAgo = Date.now() / 1000 - 3600;
    utimesSync(lock(), hourAgo, hourAgo);
    expect((await project.run(config)).status).toBe('passed');
  });
});

function hostName(): string {
  try {
    return readFileSync('/proc/sys/kernel/hostname', 'utf8').trim();
  } catch {
    return process.env['HOSTNAME'] ?? '';
  }
}
