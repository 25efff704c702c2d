import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processState } from '../../src/exec/processes';
import { type RunResult, type RunSpec, runCommand } from '../../src/exec/run';

export const scratch = mkdtempSync(join(tmpdir(), 'holdpoint run '));

export const ENV = { PATH: process.env['PATH'], HOME: scratch };

/** A spec with what most tests do not care about. */
export function spec(parts: Partial<RunSpec> & Pick<RunSpec, 'command'>): RunSpec {
  return { args: [], cwd: scratch, env: ENV, timeoutMs: 30_000, maxBytesInMemory: 1_000_000, ...parts };
}

export function run(command: string, args: string[] = [], parts: Partial<RunSpec> = {}): Promise<RunResult> {
  return runCommand(spec({ command, args, ...parts }));
}

export function sh(script: string, parts: Partial<RunSpec> = {}): Promise<RunResult> {
  return run('sh', ['-c', script], parts);
}

export function node(code: string, parts: Partial<RunSpec> = {}): Promise<RunResult> {
  return run(process.execPath, ['-e', code], parts);
}

/** The numbers of processes that a script has written to a file, one a line. */
export function pidsIn(file: string): number[] {
  return readFileSync(file, 'utf8').trim().split('\n').map(Number);
}

/** Which of them still run a second from now; none, as soon as there are none. */
export async function stillAlive(pids: readonly number[]): Promise<readonly number[]> {
  return poll(1000, () => pids.filter((pid) => processState(pid) === 'alive'));
}

/** Asks until nothing is left, or the time is over. */
export async function poll(ms: number, left: () => readonly number[]): Promise<readonly number[]> {
  const deadline = Date.now() + ms;
  while (left().length > 0 && Date.now() < deadline) await new Promise((next) => setTimeout(next, 5));
  return left();
}
