import type { EffectContext } from '../../core/guard';
import { type RunResult, runCommand } from '../../exec/run';

const LONGEST_MS = 60_000;
const MOST_BYTES = 64 * 1024;

/** Runs a command line of the user's config in the project, as a shell would. */
export function runLine(line: string, context: EffectContext): Promise<RunResult> {
  return run('/bin/sh', ['-c', line], LONGEST_MS, context);
}

export function run(
  command: string,
  args: readonly string[],
  timeoutMs: number,
  { projectRoot, env, deadline }: EffectContext,
): Promise<RunResult> {
  const left = Math.max(1, deadline - Date.now());
  return runCommand({
    command,
    args,
    cwd: projectRoot,
    env,
    timeoutMs: Math.min(timeoutMs, left),
    maxBytesInMemory: MOST_BYTES * 16,
  });
}
