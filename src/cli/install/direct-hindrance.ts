import type { HostName } from '../../core/host-name';
import { linesIn } from '../../hosts/own-lines';
import type { ProgramStart, Scope } from '../../hosts/setup';
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
  const { ground, commonDir } = request;
  const files = installedState(ground, commonDir);
  for (const host of hosts) {
    const other = lineBeside(host, scope, files, foreseenDirect(ground));
    if (other !== undefined) return say.lineBeside(other.file, other.scope);
  }
  return undefined;
}

/** The hosts that have the form. */
function able(): readonly string[] {
  return SETUPS.filter(({ withoutShell }) => withoutShell !== undefined).map(({ name }) => name);
}

/** Settings that the same host reads too and that call us otherwise: it runs equal entries once, all others each. */
export function lineBeside(
  host: HostName,
  scope: Scope,
  files: readonly InstalledFile[],
  direct: ProgramStart,
): InstalledFile | undefined {
  const { program: command, args = [] } = startLineFor(host, direct).direct ?? {};
  const [wanted] = linesIn({ command: command ?? '', args: [...args] });
  return files.find(
    (found) => found.host === host && found.scope !== scope && found.lines.some((line) => line !== wanted),
  );
}
