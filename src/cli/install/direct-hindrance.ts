import { linesIn } from '../../hosts/own-lines';
import { SETUPS, setupOf } from '../../hosts/setup-table';
import { foreseenDirect } from '../resident/direct';
import { type InstalledFile, installedState } from './installed-state';
import * as say from './messages';
import type { InstallRequest } from './request';
import { startLineFor } from './start-line';

/** Why entries without a shell may not be written there, if they may not: a sentence for people. */
export function directHindrance(request: InstallRequest): string | undefined {
  const { hosts, scope } = request;
  for (const host of hosts) {
    const setup = setupOf(host);
    if (setup?.withoutShell === undefined) return say.onlyByShell(setup?.title ?? host, able());
    if (!setup.withoutShell.includes(scope)) return say.notShared(setup, scope);
  }
  const [other] = othersBeside(request);
  return other && say.lineBeside(other.file, other.scope);
}

/** The hosts that have the form. */
function able(): readonly string[] {
  return SETUPS.filter(({ withoutShell }) => withoutShell !== undefined).map(({ name }) => name);
}

/** Settings that the same host reads too and that call us otherwise: it runs equal entries once, all others each. */
function othersBeside({ hosts, scope, ground, commonDir }: InstallRequest): readonly InstalledFile[] {
  const direct = foreseenDirect(ground);
  return installedState(ground, commonDir).filter((found) => {
    if (!hosts.includes(found.host) || found.scope === scope) return false;
    const { program: command, args = [] } = startLineFor(found.host, direct).direct ?? {};
    const [wanted] = linesIn({ command: command ?? '', args: [...args] });
    return found.lines.some((line) => line !== wanted);
  });
}
