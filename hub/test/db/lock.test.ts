import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { InUse, takeLock } from '../../src/db/lock.js';
import { temporaryDirectory } from '../processes.mjs';

let file = '';
beforeEach(() => {
  const directory = temporaryDirectory();
  file = join(directory, 'hub.lock');
  return () => rmSync(directory, { recursive: true, force: true });
});

test('the second is refused, and has it after the first gave it back', async () => {
  const unlock = await takeLock(file, '/data');
  await expect(takeLock(file, '/data')).rejects.toThrow(InUse);
  await expect(takeLock(file, '/data')).rejects.toThrow(`(pid ${process.pid}) already uses /data`);
  unlock();
  expect(existsSync(file)).toBe(false);
  (await takeLock(file, '/data'))();
});

test('of many at once, one has it', async () => {
  const taken = await Promise.allSettled(Array.from({ length: 20 }, () => takeLock(file, '/data')));
  expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a lock is taken over where its process is gone, or another one has its pid', async () => {
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'exit');
  const unlock = await takeLock(file, '/data');
  const own = JSON.parse(readFileSync(file, 'utf8'));
  unlock();
  for (const gone of [{ ...own, pid: child.pid }, { ...own, started: '1' }, 'not JSON', '']) {
    writeFileSync(file, typeof gone === 'string' ? gone : JSON.stringify(gone));
    const taken = await Promise.allSettled(Array.from({ length: 5 }, () => takeLock(file, '/data')));
    const [first, ...others] = taken.filter((one) => one.status === 'fulfilled');
    expect(others).toEqual([]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(own);
    first?.value();
  }
});

test('a process in another container counts as alive as long as it touches its lock', async () => {
  const other = JSON.stringify({ pid: 1, started: '1', space: 'pid:[1]' });
  writeFileSync(file, other);
  const beat = setInterval(() => utimesSync(file, new Date(), new Date()), 100);
  await expect(takeLock(file, '/data')).rejects.toThrow(InUse);
  clearInterval(beat);
  const long = new Date(Date.now() - 60_000);
  utimesSync(file, long, long);
  (await takeLock(file, '/data'))();
});
