import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commandFile, makeRig, type Rig } from './rig';

let rig: Rig;
beforeEach(() => {
  rig = makeRig();
});
afterEach(() => rig.remove());

/** Runs a command in a directory that was removed while the shell stood in it. */
function runInGone(command: string, args: readonly string[]): (number | string | null)[] {
  const dir = join(rig.tmp, 'gone');
  mkdirSync(dir, { recursive: true });
  const script = 'cd "$0" && rmdir "$0" && exec "$@"';
  const words = ['-c', script, dir, process.execPath, commandFile(command), ...args];
  const { status, stdout, stderr } = spawnSync('sh', words, { env: rig.environment(), encoding: 'utf8' });
  return [status, stdout, stderr];
}

it.each(['--version', 'version', 'help', '--help'])('%s needs no directory', (word) => {
  const [status, stdout, stderr] = runInGone('holdpoint', [word]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).not.toBe('');
});

it.each<[string, ...string[]]>([
  ['holdpoint', 'status'],
  ['holdpoint', 'install'],
  ['holdpoint', 'doctor'],
  ['holdpoint', 'try'],
  ['holdpoint', 'req', 'status'],
  ['holdpoint', 'serve', '--status'],
  ['req', 'status'],
  ['agent-gauntlet', 'run'],
])('%s %s says that the directory is gone', (command, ...args) => {
  expect(runInGone(command, args)).toEqual([
    2,
    '',
    'holdpoint: the current directory no longer exists or cannot be read. Change to another one and try again.\n',
  ]);
});
