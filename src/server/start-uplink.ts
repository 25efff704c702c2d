import { spawn } from 'node:child_process';
import { basename, join } from 'node:path';
import type { StartUplink } from '../core/chunks';
import { processState } from '../exec/processes';
import { childEnvironment } from '../exec/run';
import { readSmallFile } from '../state/files';
import { noteProject } from '../state/hub';
import { holderOf } from '../state/lock';
import { runtimePlace } from './place';

/** Without an event or a live session for so long it ends. */
const IDLE_SECONDS = 120;
const LARGEST_LAUNCH = 64 * 1024;

/**
 * Starts the server that keeps this machine linked to its hub, where none runs. It is not waited for. Where the hook line
 * asks a server, that line has started it already.
 */
export function startUplink({ env, home, roots }: Parameters<StartUplink>[0], dist = __dirname): void {
  for (const root of roots) noteProject(home, root);
  const asksServer = readSmallFile(join(home, '.config/holdpoint/launch'), LARGEST_LAUNCH)?.includes(
    '\nholdpoint_socket=',
  );
  const { dir, lock } = runtimePlace(env, process.getuid?.() ?? 0);
  const { pid, start } = holderOf(lock)?.stamp ?? {};
  const runs = pid !== undefined && processState(pid, start) === 'alive';
  // A host that runs us in its own process is no Node to start.
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
