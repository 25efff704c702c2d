import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { beganAt } from '../../src/exec/processes';

it.runIf(process.platform === 'linux')(
  'a process began when it was started, whatever it has become (Linux, by /proc)',
  async () => {
    const before = Date.now();
    const child = spawn('sh', ['-c', 'read -r go; exec sleep 30'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await once(child, 'spawn');
    const after = Date.now();
    child.stdin?.end('go\n');
    const asked = Date.now();
    const began = beganAt(child.pid ?? 0) ?? 0;
    const waited = Date.now() - asked;
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(began).toBeGreaterThanOrEqual(before);
    expect(began).toBeLessThanOrEqual(after + 30 + waited);
  },
);

it('of a process that is not there nothing is known', () => {
  expect(beganAt(4_194_304_000)).toBeUndefined();
});
