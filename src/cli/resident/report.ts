import type { Result } from '../../core/failure';
import type { Ended } from '../../server/control';
import type { Wish } from '../install/options';
import type { InstallRequest } from '../install/request';
import type { Context } from '../verb';
import type { ResidentStart } from './client';
import * as say from './messages';

export type Chosen = Result<ResidentStart, string> | undefined;

/** Says whether a server answers events from now on, where that was asked for or has changed. */
export function showResident(chosen: Chosen, wasResident: boolean, { out }: Context): void {
  if (chosen?.ok === true)
    out.line(`${out.style('green', '✓')} ${say.resident(chosen.value.client.program)}`);
  if (chosen?.ok === false) out.line(`${out.style('yellow', '!')} ${say.notResident(chosen.failure)}`);
  if (chosen === undefined && wasResident) out.line(`${out.style('yellow', '!')} ${say.ONE_SHOT_AGAIN}`);
}

/** Says what came of the server that was there before. */
export function showEnded(ended: Ended, { out }: Context): void {
  if (ended.kind === 'obeyed') out.line(say.SERVER_ENDED);
  if (ended.kind === 'forced') out.line(`${out.style('yellow', '!')} ${say.silentEnded(ended.pid)}`);
  if (ended.kind === 'stays') out.line(`${out.style('yellow', '!')} ${say.serverStays(ended.pid)}`);
}

/** What `--json` tells of it; whether hosts start the client themselves only where that was asked for. */
export function residentJson(chosen: Chosen, server: Wish, { direct }: InstallRequest): object {
  const told = server === 'direct' ? { direct: direct !== undefined } : {};
  if (chosen === undefined) return { resident: null };
  if (!chosen.ok) return { resident: null, residentTrouble: chosen.failure, ...told };
  return { resident: { client: chosen.value.client.program, socket: chosen.value.socket }, ...told };
}
