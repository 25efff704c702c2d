import type { HostName } from '../core/host-name';
import { CLIENTS, SEAL_FILE } from '../state/sessions';

/** Below the home, so that hook lines in settings shared by git work for everyone. */
export const LAUNCH_FILE = '.config/holdpoint/launch';

/**
 * For hosts that run us in their own process: a CommonJS file below the home whose `load(name)` returns the exports of
 * the installed version's `name.cjs`, or throws.
 */
export const LIBRARY_FILE = '.config/holdpoint/library.cjs';

const NOT_INSTALLED = 'holdpoint: not installed on this machine, nothing is checked. Run: holdpoint install';

const TAKEN_AWAY =
  'Held by Holdpoint: its files were removed or changed while this session ran. A person runs `holdpoint install`, or ends this session.';

/** Ends with a code that holds nothing: 1, but 0 for Copilot, which treats 1 as a hold. */
export const TRAP = "trap 'case $COPILOT_CLI in ?*) exit 0; esac; exit 1' 0";

/**
 * The shell line by which a host starts us. Sourcing an unreadable or damaged file ends some shells with exit code 2,
 * which would block everything, so a trap prevents that; the launch file clears it. In a session that began with us,
 * which the client's note shows, a missing or changed launch file does block; the note also has the real HOME, since
 * settings can change that variable.
 */
export function startLineFor(host: HostName): string {
  // The session may have begun below the root, and not every host names where.
  const root = `D=\${CLAUDE_PROJECT_DIR:-$PWD}; until [ -e "$D/.git" ] || [ "$D" = "\${D%/*}" ]; do D=\${D%/*}; done`;
  // In a linked work tree `.git` is a file that names a directory below the repository's, in a submodule often from there.
  const git = `G=$D/.git; [ -f "$G" ] && read -r S G <"$G" && G=\${G%/worktrees/*}; case $G in /*) ;; *) G=$D/$G; esac`;
  const known = `${root}; ${git}; C=$G/holdpoint/${CLIENTS}/$PPID; [ -r "$C" ] && read -r HOME <"$C"`;
  const files = `L=~/${LAUNCH_FILE}; S=~/${SEAL_FILE}`;
  const isOurs = '{ [ ! -r "$C" ] || { [ -e "$S" ] && [ ! "$L" -nt "$S" ]; }; }';
  const source = `[ -r "$L" ] && ${isOurs} && . "$L"`;
  const events = (HELD_EVENTS[host] ?? ['PreToolUse', 'Stop'])
    .map((name) => `*_name\\":\\"${name}*`)
    .join('|');
  const held = `[ -r "$C" ] && read -r E; case $E in ${events}) trap - 0; echo '${TAKEN_AWAY}' >&2; exit 2; esac`;
  return `set -- --host ${host}; ${TRAP}; ${known}; ${files}; ${source}; ${held}; echo '${NOT_INSTALLED}' >&2`;
}

/** The events we can hold, for hosts that do not use Claude Code's names. */
const HELD_EVENTS: Partial<Record<HostName, readonly string[]>> = {
  gemini: ['BeforeTool', 'AfterAgent'],
  cursor: ['preToolUse', 'before', 'stop'],
};
