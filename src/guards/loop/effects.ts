import type { EffectContext, EffectRunner } from '../../core/guard';
import { isJsonObject } from '../../core/json';
import { type RunResult, runCommand } from '../../exec/run';
import type { Verification, Verified } from './verification';

const MOST_BYTES = 256 * 1024;
const TAIL_LINES = 20;
const TAIL_CHARS = 2000;

/** Runs the verify command, which must succeed before a completion signal counts. */
export const runEffect: EffectRunner = async (name, input, context) => {
  if (name !== 'verify' || !isJsonObject(input)) throw new Error(`there is no effect ${name}`);
  return { ...(await verify(input as unknown as Verification, context)) };
};

async function verify({ command, cwd }: Verification, context: EffectContext): Promise<Verified> {
  const { projectRoot, env, deadline, signal } = context;
  const result = await runCommand({
    command: '/bin/sh',
    args: ['-c', command],
    cwd: cwd ?? projectRoot,
    env,
    timeoutMs: Math.max(1, deadline - Date.now()),
    maxBytesInMemory: MOST_BYTES,
    ...(signal && { signal }),
  });
  const how = trouble(result);
  return { command, tail: tailOf(`${result.stdout}\n${result.stderr}`), ...(how !== undefined && { how }) };
}

function trouble(result: RunResult): string | undefined {
  switch (result.kind) {
    case 'exited':
      return result.code === 0 ? undefined : `ended with exit code ${result.code}`;
    case 'signalled':
      return `was ended by ${result.signal}`;
    case 'timed-out':
      return `did not end within ${Math.round(result.afterMs / 1000)} s`;
    case 'cancelled':
      return 'was interrupted';
    case 'not-started':
      return `could not be started (${result.detail})`;
  }
}

function tailOf(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-TAIL_LINES).join('\n').slice(-TAIL_CHARS);
}
