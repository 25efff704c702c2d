import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newStamp, parseStamp, processStart, shortText } from '../../src/exec/processes';
import { acquireLock, holderOf, placeWithoutLink } from '../../src/state/files';
import { makeScratch, modeOf, type Scratch } from './scratch';

let scratch: Scratch;
let file: string;
beforeEach(() => {
  scratch = makeScratch();
  file = join(scratch.dir, 'lock');
});
afterEach(() => scratch.remove());

const DEAD_PID = 2 ** 22 + 1;
const mine = () => newStamp();
const age = (ms: number) => utimesSync(file, new Date(Date.now() - ms), new Date(Date.now() - ms));
const write = (content: object | string, agedMs = 0) => {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  age(agedMs);
};

describe('a lock is taken from an owner that cannot release it', () => {
  test.each<[string, () => void]>([
    ['a dead process', () => write({ ...mine(), pid: DEAD_PID })],
    ['a dead process that made a link', () => symlinkSync(shortText({ ...mine(), pid: DEAD_PID }), file)],
    ['a process whose number was given to another', () => write({ ...mine(), start: '1' })],
    ['another host, after its lease', () => write({ ...mine(), host: 'elsewhere', at: Date.now() - 11_000 })],
    [
      'another pid namespace, after its lease',
      () => write({ ...mine(), space: 'pid:[1]', at: Date.now() - 11_000 }),
    ],
    ['an empty file, after the lease', () => write('', 11_000)],
    ['an empty file of a time to come', () => write('', -3_600_000)],
    ['garbage, after the lease', () => write('{"pid":', 11_000)],
    ['a number that would mean every process, after the lease', () => write({ ...mine(), pid: -1 }, 11_000)],
    ['a link to a file', () => symlinkSync(join(scratch.outside, 'victim'), file)],
    ['a link to nothing', () => symlinkSync('/nonexistent/target', file)],
    [
      'a dead process, whose thief died as well',
      () => {
        write({ ...mine(), pid: DEAD_PID });
        writeFileSync(`${file}.steal`, JSON.stringify({ ...mine(), pid: DEAD_PID }));
      },
    ],
    [
      'a dead process, while a guard of our own was moved aside and put back',
      () => {
        write({ ...mine(), pid: DEAD_PID });
        symlinkSync(shortText(mine()), `${file}.steal`);
      },
    ],
  ])('%s', (_name, occupy) => {
    writeFileSync(join(scratch.outside, 'victim'), 'untouched');
    occupy();
    // Also by whoever does not wait, as a server that starts.
    const lock = acquireLock(file, 0);
    expect(lock.ok && lock.value.isStillMine()).toBe(true);
    expect(readFileSync(join(scratch.outside, 'victim'), 'utf8')).toBe('untouched');
    expect(readdirSync(scratch.dir).filter((name) => name.startsWith('lock'))).toEqual(['lock']);
  });
});

describe('a lock is left to', () => {
  test.each<[string, () => void]>([
    ['a living process', () => write(mine())],
    ['a living process that made a link', () => symlinkSync(shortText(mine()), file)],
    ['a living process that made a link of many words', () => symlinkSync(JSON.stringify(mine()), file)],
    ['a living process of which no start is known', () => write({ ...mine(), start: undefined })],
    ['another host within its lease', () => write({ ...mine(), host: 'elsewhere', pid: DEAD_PID })],
    ['another pid namespace within its lease', () => write({ ...mine(), space: 'pid:[1]', pid: DEAD_PID })],
    ['an empty file within the lease', () => write('')],
    ['garbage within the lease', () => write('not ours')],
  ])('%s', (_name, occupy) => {
    occupy();
    const before = holderOf(file);
    expect(acquireLock(file, 40)).toMatchObject({ ok: false, failure: { code: 'lock.timeout', file } });
    expect(holderOf(file)).toEqual(before);
  });
});

test('a clock that is set back makes nobody wait longer', () => {
  symlinkSync(shortText(mine()), file);
  const real = Date.now;
  const begun = performance.now();
  vi.spyOn(Date, 'now').mockImplementation(() => real() - (performance.now() - begun > 20 ? 3000 : 0));
  try {
    expect(acquireLock(file, 100).ok).toBe(false);
    expect(performance.now() - begun).toBeLessThan(2000);
  } finally {
    vi.restoreAllMocks();
  }
});

test('an owner that was stopped still owns', async () => {
  const owner = spawn('sleep', ['60']);
  await once(owner, 'spawn');
  const pid = owner.pid!;
  owner.kill('SIGSTOP');
  write({ ...mine(), pid, start: processStart(pid) });
  expect(acquireLock(file, 100).ok).toBe(false);
  owner.kill('SIGKILL');
  expect(acquireLock(file, 1000).ok).toBe(true);
  await once(owner, 'exit');
});

test('an owner that is a zombie is dead', async () => {
  // The shell becomes a program that never looks after the child it inherits.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(String(line));
  // As long as it is the shell, it looks after its child.
  while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8') !== 'sleep\n') await nextRound();
  write({ ...mine(), pid, start: processStart(pid) });
  expect(acquireLock(file, 0).ok).toBe(false);
  process.kill(pid, 'SIGKILL');
  expect(acquireLock(file, 1000).ok).toBe(true);
  expect(existsSync(`/proc/${pid}`)).toBe(true);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
});

test('a lock names its owner, lies where only the owner looks, and goes when released', () => {
  const lock = acquireLock(join(scratch.dir, 'deep/er/lock'), 0);
  if (!lock.ok) throw new Error(lock.failure.code);
  expect(holderOf(lock.value.file)?.stamp).toMatchObject({
    pid: process.pid,
    start: processStart(process.pid),
    host: expect.any(String),
    nonce: expect.any(String),
    at: expect.any(Number),
  });
  expect([modeOf(join(scratch.dir, 'deep')), modeOf(join(scratch.dir, 'deep/er'))]).toEqual(['700', '700']);
  lock.value.release();
  expect(readdirSync(join(scratch.dir, 'deep/er'))).toEqual([]);
});

test('who lost a lock neither keeps it nor releases that of the next owner', () => {
  const lock = acquireLock(file, 0);
  if (!lock.ok) throw new Error(lock.failure.code);
  rmSync(file);
  write(mine());
  expect(lock.value.isStillMine()).toBe(false);
  lock.value.release();
  expect(existsSync(file)).toBe(true);
});

test('without hard links the lock is exclusive too', () => {
  expect([placeWithoutLink(file, 'a'), placeWithoutLink(file, 'b')]).toEqual([true, false]);
  expect(readFileSync(file, 'utf8')).toBe('a');
});

test('two looks at a lock agree only if it is the same one', () => {
  write(mine());
  const first = holderOf(file)?.identity;
  expect(holderOf(file)?.identity).toBe(first);
  write(mine());
  expect(holderOf(file)?.identity).not.toBe(first);
});

test('a directory in the place of the lock is never removed', () => {
  mkdirSync(file);
  age(11_000);
  expect(acquireLock(file, 0)).toMatchObject({ ok: false, failure: { code: 'state.write-failed', file } });
  expect(readdirSync(scratch.dir)).toEqual(expect.arrayContaining(['lock']));
});

test.each([
  ['all of it', {}],
  ['no start and no space', { start: undefined, space: undefined }],
  ['a host without a name', { host: '' }],
  ['a host with two names', { host: 'a b' }],
])('a stamp in short says what the long one does: %s', (_what, change) => {
  const stamp = JSON.parse(JSON.stringify({ ...mine(), ...change }));
  expect(parseStamp(shortText(stamp))).toEqual(stamp);
});

test.each(['', 'a b c d e', '- - - h n 1', 'x', '/nonexistent/target'])('%j is no stamp', (text) => {
  expect(parseStamp(text)).toBeUndefined();
});
