import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { dismissGuardian } from '../../src/exec/guardian';
import { processState } from '../../src/exec/processes';
import { run } from './run-rig';

/** The children of this process that are shells. */
function shells(): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return new RegExp(`^\\d+ \\(sh\\) [^Z] ${process.pid} `).test(
        readFileSync(`/proc/${pid}/stat`, 'utf8'),
      );
    } catch {
      return false;
    }
  });
}

it.runIf(process.platform === 'linux')(
  'stays until it is dismissed, and then another one takes its place (Linux, by /proc)',
  async () => {
    const pids: number[] = [];
    for (let round = 0; round < 2; round++) {
      expect(await run('true')).toMatchObject({ kind: 'exited', code: 0 });
      expect(await run('true')).toMatchObject({ kind: 'exited', code: 0 });
      const [pid = 0, ...more] = shells();
      expect([processState(pid), more]).toEqual(['alive', []]);
      await dismissGuardian();
      expect(processState(pid)).toBe('dead');
      pids.push(pid);
    }
    expect(pids[0]).not.toBe(pids[1]);
  },
);

it('is not dismissed while something runs', async () => {
  const running = run('sleep', ['0.2']);
  await dismissGuardian();
  expect(await running).toMatchObject({ kind: 'exited', code: 0 });
  await dismissGuardian();
});

it.runIf(process.platform === 'linux')('is replaced if somebody kills it (Linux, by /proc)', async () => {
  await run('true');
  const [pid = 0] = shells();
  process.kill(pid, 'SIGKILL');
  while (processState(pid) === 'alive' || shells().includes(pid)) await new Promise(setImmediate);
  await new Promise((next) => setTimeout(next, 20));
  expect(await run('true')).toMatchObject({ kind: 'exited', code: 0 });
  expect(shells()).toHaveLength(1);
  await dismissGuardian();
});
