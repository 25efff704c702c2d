import type { Context } from '../verb';
import { installedState } from './installed-state';
import * as say from './messages';
import type { Wish } from './options';
import type { InstallRequest } from './request';

/** Says what came of the wish to do without a shell, or that other settings of the host do without one. */
export function showDirect(server: Wish, request: InstallRequest, { out }: Context): void {
  const note = (text: string): void => {
    out.line(`${out.style('yellow', '!')} ${text}`);
  };
  const { direct } = request;
  if (direct !== undefined) {
    out.line(`${out.style('green', '✓')} ${say.directWritten(direct.program)}`);
    note(say.DIRECT_WARNING);
    return;
  }
  if (server === 'direct') note(say.NOT_DIRECT);
  const { ground, commonDir, hosts, scope } = request;
  for (const found of installedState(ground, commonDir)) {
    if (found.programs.length > 0 && found.scope !== scope && hosts.includes(found.host))
      note(say.directBeside(found.file, found.scope));
  }
}
