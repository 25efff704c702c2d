import type { HostName } from '../../domain/host-name';
import type { StartLine } from '../../hosts/setup';

/** Below the home, so that settings that are shared by git hold for everybody. */
export const LAUNCH_FILE = '.config/holdpoint/launch';
export const LIBRARY_FILE = '.config/holdpoint/library.cjs';

const NOT_INSTALLED = 'holdpoint: not installed on this machine, nothing is checked. Run: holdpoint install';

/**
 * How a host starts us. A file that cannot be sourced ends some shells with 2, which would refuse everything, so
 * it is looked at first. An error of ours must not refuse: that is 1, but for Copilot, where only 0 lets pass.
 */
export function startLineFor(host: HostName): StartLine {
  const launch = `~/${LAUNCH_FILE}`;
  const shell = `set -- --host ${host}; [ -r ${launch} ] && . ${launch}; echo '${NOT_INSTALLED}' >&2; [ $COPILOT_CLI ]; exit`;
  return { shell, library: LIBRARY_FILE };
}
