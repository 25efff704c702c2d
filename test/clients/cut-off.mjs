import { spawnSync } from 'node:child_process';
import { homedir, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { loadTs } from './load-ts.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** What keeps the real clients from being run here; nothing where they can be. */
export async function whyNot() {
  const { isolationProblem } = await loadTs('test/clients/isolation.ts');
  return isolationProblem();
}

/** Runs a program of Node's where only the loopback can be reached. Returns its exit code. */
export async function runCutOff(args, env) {
  const { isolated } = await loadTs('test/clients/isolation.ts');
  const needed = [root, process.execPath, tmpdir(), ...(env.HOLDPOINT_DIST ? [env.HOLDPOINT_DIST] : [])];
  const [program, ...rest] = isolated([process.execPath, ...args], homedir(), needed);
  return spawnSync(program, rest, { cwd: root, env, stdio: 'inherit' }).status ?? 1;
}
