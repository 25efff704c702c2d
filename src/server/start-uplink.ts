import { spawn } from 'node:child_process';
import { basename, join } from 'node:path';
import type { StartUplink } from '../core/guard';
import { processState } from '../exec/processes';
import { childEnvironment } from '../exec/run';
import { holderOf, readSmallFile } from '../state/files';
import { noteProject } from '../state/journal';
import { runtimePlace } from './runtime-place';

/** The server ends after this long without an event or a live session. */
const IDLE_SECONDS = 120;
const LARGEST_LAUNCH = 64 * 1024;

/**
 * Starts the server that links this machine to its hub, if none runs, and does not wait for it. If the hook
 * line uses a server, that line has already started it.
 */
export function startUplink({ env, home, roots }: Parameters<StartUplink>[0], dist = __dirname): void {
  for (const root of roots) noteProject(home, root);
  const asksServer = readSmallFile(join(home, '.config/holdpoint/launch'), LARGEST_LAUNCH)?.includes(
    '\nholdpoint_socket=',
  );
  const { dir, lock } = runtimePlace(env, process.getuid?.() ?? 0);
  const { pid, start } = holderOf(lock)?.stamp ?? {};
  const runs = pid !== undefined && processState(pid, start) === 'alive';
  // In a host that loads us into its own process, execPath is not Node and cannot run the server.
  if (asksServer || runs || !/^node/.test(basename(process.execPath))) return;
  const { NODE_OPTIONS: _, ...rest } = childEnvironment(env);
  const child = spawn(process.execPath, [join(dist, 'serve.cjs'), '--idle', String(IDLE_SECONDS)], {
    cwd: '/',
    env: { ...rest, HOLDPOINT_RUNTIME_DIR: dir },
    detached: true,
    stdio: 'ignore',
  });
  child.on('error', () => undefined);
  child.unref();
}
