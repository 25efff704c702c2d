import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { check, type GatesProject, gates, makeGatesProject } from './gates-project';

let project: GatesProject;
beforeEach(() => {
  project = makeGatesProject();
});
afterEach(() => project.remove());

const lock = (): string => join(project.logDir, '.gauntlet-run.lock');

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
