import { spawnSync } from 'node:child_process';

const STARTS_WITHIN_MS = 5000;

/** Whether our own client can be started where it lies: not on a disk from which nothing runs, nor by another machine. */
export function startsHere(program: string): boolean {
  // With a single word it can do nothing, and says so.
  const { status, stderr } = spawnSync(program, ['?'], {
    env: {},
    encoding: 'utf8',
    timeout: STARTS_WITHIN_MS,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return status === 1 && stderr.startsWith('holdpoint:');
}
