import type { HostName } from '../../core/host-name';
import type { ProgramStart, StartLine } from '../../hosts/setup';

/** Below the home, so that settings that are shared by git hold for everybody. */
export const LAUNCH_FILE = '.config/holdpoint/launch';
/** Beside the launch file: the client that was compiled on this machine. */
export const CLIENT_FILE = '.config/holdpoint/client';
export const LIBRARY_FILE = '.config/holdpoint/library.cjs';

const NOT_INSTALLED = 'holdpoint: not installed on this machine, nothing is checked. Run: holdpoint install';

/**
 * A file that cannot be sourced, or that is damaged, ends some shells with 2, which would refuse everything. An error
 * of ours must not refuse, so however it ends: that is 1, but for Copilot, where only 0 lets pass. The launch file
 * takes the trap away.
 */
export const SOURCE_LAUNCH = `trap 'case $COPILOT_CLI in ?*) exit 0; esac; exit 1' 0; [ -r ~/${LAUNCH_FILE} ] && . ~/${LAUNCH_FILE}`;

/** The same for whoever cannot know that the launch file is there. */
export const LAUNCH_OR_SAY = `${SOURCE_LAUNCH}; echo '${NOT_INSTALLED}' >&2`;

/** How a host starts us: by a shell, or by this program. */
export function startLineFor(host: HostName, direct?: ProgramStart): StartLine {
  return {
    shell: `set -- --host ${host}; ${LAUNCH_OR_SAY}`,
    library: LIBRARY_FILE,
    ...(direct !== undefined && { direct: { ...direct, args: [...direct.args, '--host', host] } }),
  };
}
