import { spawn, spawnSync } from 'node:child_process';
import { commandFile, type Rig } from './rig';

/** The `script` of util-linux gives a program a terminal; that of other systems is called differently. */
export const hasTerminals =
  spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') === true;

/** What is typed when a text stands there; a function may do something else before. */
export type Answer = readonly [question: string, keys: string | (() => string)];

/** Runs one of the built commands at a terminal; each answer is typed when its question stands there. */
export function runAtTerminal(
  rig: Rig,
  command: string,
  args: string,
  answers: readonly Answer[] = [],
  env: Readonly<Record<string, string>> = {},
  columns = 120,
): Promise<{ shown: string; exitCode: number | null }> {
  const line = `stty cols ${columns} rows 40; exec '${process.execPath}' '${commandFile(command)}' ${args}`;
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: rig.repo,
    env: rig.environment({ TERM: 'xterm', SHELL: '/bin/sh', ...env }),
  });
  const open = [...answers];
  let shown = '';
  let from = 0;
  child.stdout.on('data', (data: Buffer) => {
    shown += data.toString();
    const [next] = open;
    const at = next === undefined ? -1 : shown.indexOf(next[0], from);
    if (next === undefined || at < 0) return;
    from = at + next[0].length;
    open.shift();
    child.stdin.write(typeof next[1] === 'string' ? next[1] : next[1]());
  });
  return new Promise((resolve) => child.on('close', (exitCode) => resolve({ shown, exitCode })));
}
