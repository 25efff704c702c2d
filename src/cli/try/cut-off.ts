import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { homedir, networkInterfaces, tmpdir } from 'node:os';
import { isolated, isolationProblem } from './client/isolation';
import { DIST } from './stage';

/** The real client that the person has named, if any. */
export const CLIENT_VARIABLE = 'HOLDPOINT_TRY_CLIENT';

/** Whether this process can reach nothing but itself. */
export function isCutOff(): boolean {
  return Object.values(networkInterfaces())
    .flat()
    .every((one) => one?.internal === true);
}

/** Starts `holdpoint try` once more where no network can be reached, or says why that cannot be done. */
export function tryCutOff(
  client: string,
  args: readonly string[],
): { problem: string } | { exitCode: number } {
  const problem = isolationProblem();
  if (problem !== undefined) return { problem };
  const command = [process.execPath, `${DIST}/holdpoint.cjs`, 'try', ...args];
  const needed = [DIST, client, realpathSync(client), process.execPath, tmpdir()];
  const [program = '', ...rest] = isolated(command, homedir(), needed);
  const { status } = spawnSync(program, rest, { stdio: 'inherit' });
  return { exitCode: status ?? 1 };
}
