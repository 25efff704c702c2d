import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ServerStatus } from '../../server/control';
import { askServer } from '../../server/control';
import { ownDist } from '../install/own-dist';

const START_MS = 5000;
const LOOK_MS = 20;

type Env = Readonly<Record<string, string | undefined>>;

/** Starts a server that outlives us, and waits until one answers; what it said where none does. */
export async function startInBackground(
  socket: string,
  args: readonly string[],
  env: Env,
): Promise<ServerStatus | string> {
  const child = spawn(process.execPath, [serveFile(), '--foreground', ...args], {
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  let over = false;
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  child.on('close', () => {
    over = true;
  });
  try {
    for (const until = Date.now() + START_MS; Date.now() < until; await wait(LOOK_MS)) {
      const status = await askServer(socket);
      // Where somebody else was faster, ours has to be gone: else it would be there when the other is stopped.
      if (status !== undefined && (over || status.pid === child.pid)) return status;
      if (over) break;
    }
    return said.replace(/^holdpoint: /gm, '').trim();
  } finally {
    child.stderr.destroy();
    child.unref();
  }
}

/** Runs a server in the terminal until it ends. */
export function runInForeground(args: readonly string[], env: Env): Promise<number> {
  const child = spawn(process.execPath, [serveFile(), '--foreground', ...args], { env, stdio: 'inherit' });
  // Whoever interrupts us from the terminal interrupts it as well; it then ends by itself.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.on('error', () => resolve(2));
    child.on('close', (code) => resolve(code ?? 2));
  });
}

function serveFile(): string {
  return join(ownDist(), 'serve.cjs');
}
