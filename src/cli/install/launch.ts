import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostName } from '../../core/host-name';
import { programOn } from '../../exec/programs';
import type { StartLine } from '../../hosts/setup';
import { ENVIRONMENT, formReply } from '../../server/wire';
import { textIn } from './files';

/** Below the home, so that settings that are shared by git hold for everybody. */
export const LAUNCH_FILE = '.config/holdpoint/launch';
/** The same for hosts that run us in their own process. */
export const LIBRARY_FILE = '.config/holdpoint/library.cjs';

const NOT_INSTALLED = 'holdpoint: not installed on this machine, nothing is checked. Run: holdpoint install';

/**
 * How a host starts us. A file that cannot be sourced, or that is damaged, ends some shells with 2, which would refuse
 * everything. An error of ours must not refuse, so the line ends with 1, but for Copilot, where only 0 lets pass. The
 * launch file takes the trap away.
 */
export function startLineFor(host: HostName): StartLine {
  const trap = "trap 'case $COPILOT_CLI in ?*) exit 0; esac; exit 1' 0";
  const source = `[ -r ~/${LAUNCH_FILE} ] && . ~/${LAUNCH_FILE}`;
  return {
    shell: `set -- --host ${host}; ${trap}; ${source}; echo '${NOT_INSTALLED}' >&2`,
    library: LIBRARY_FILE,
  };
}

/** The directory of the built files that this command belongs to: it lies in `cli` below it. */
export function ownDist(): string {
  return join(dirname(fileURLToPath(import.meta.url)), '..');
}

/** How a server is asked before Node is started. All programs by their absolute paths. */
export interface ResidentStart {
  readonly socket: string;
  /** `nc`, which carries the event to the socket and the reply back. */
  readonly client: string;
  readonly cat: string;
  /** `setsid`, by which the server outlives the host; where there is none, hangups are ignored. */
  readonly setsid: string | undefined;
  /** Seconds after which a server that says nothing is given up, and the event decided without it. */
  readonly patience: number;
}

/** Several times what the watchdog lets an event take. One that waits longer is decided sooner without the server. */
const PATIENCE_SECONDS = 3;

/** The way to a server with the programs of this machine; nothing where one is missing. */
export function residentStart(path: string, socket: string): ResidentStart | undefined {
  const [client, cat] = [programOn(path, 'nc'), programOn(path, 'cat')];
  if (client === undefined || cat === undefined) return undefined;
  return { socket, client, cat, setsid: programOn(path, 'setsid'), patience: PATIENCE_SECONDS };
}

export interface StartPlaces {
  readonly node: string;
  /** The directory of the built files; it may be a place that goes away. */
  readonly dist: string;
  /** The name of the copy below `~/.config/holdpoint/lib`. */
  readonly copy: string;
  /** Absent where every event starts a process of its own. */
  readonly resident?: ResidentStart | undefined;
}

/**
 * The file that every line in settings sources, with the host's name as arguments. Where all is as it was when it
 * was written, it only looks at two files and becomes Node; no process is started beside. Certificates are kept
 * from Node, which would read them at every event, and go to what the hook runs.
 */
export function launchText({ node, dist, copy, resident }: StartPlaces): string {
  return `# Starts Holdpoint's hook. Sourced by the lines in settings; written by 'holdpoint install'.
# One command as a whole: of a file that is cut short nothing is run, and the line says how that ends.
{
trap - 0
holdpoint_node=${shellWord(node)}
holdpoint_hook=${shellWord(`${dist}/hook.cjs`)}
if [ -n "\${NODE_EXTRA_CA_CERTS:-}" ]; then
  export HOLDPOINT_NODE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"
  unset NODE_EXTRA_CA_CERTS
fi
# Its files are gone, as after a removed checkout: the copy that was made at the installation.
[ -f "$holdpoint_hook" ] || holdpoint_hook="$HOME/.config/holdpoint/lib/"${shellWord(copy)}/hook.cjs
${resident === undefined ? '' : askServerScript(resident)}# Node is gone, as after an upgrade: any other that is new enough.
if ! [ -x "$holdpoint_node" ]; then
  [ -n "\${ZSH_VERSION:-}" ] && emulate sh
  for holdpoint_try in "$(command -v node)" /opt/homebrew/bin/node /usr/local/bin/node \\
    /home/linuxbrew/.linuxbrew/bin/node /usr/bin/node; do
    "$holdpoint_try" -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' </dev/null 2>/dev/null || continue
    holdpoint_node=$holdpoint_try
    break
  done
fi
if ! [ -x "$holdpoint_node" ]; then
  for holdpoint_try in "$HOME"/.asdf/installs/nodejs/[2-9][0-9].*/bin/node \\
    "$HOME"/.local/share/mise/installs/node/[2-9][0-9].*/bin/node \\
    "$HOME"/.volta/tools/image/node/[2-9][0-9].*/bin/node \\
    "$HOME/Library/Application Support"/fnm/node-versions/v[2-9][0-9].*/installation/bin/node \\
    "$HOME"/.local/share/fnm/node-versions/v[2-9][0-9].*/installation/bin/node \\
    "\${NVM_DIR:-$HOME/.nvm}"/versions/node/v[2-9][0-9].*/bin/node; do
    [ -x "$holdpoint_try" ] && holdpoint_node=$holdpoint_try
  done
fi
[ -x "$holdpoint_node" ] && [ -f "$holdpoint_hook" ] && exec "$holdpoint_node" "$holdpoint_hook" "$@"
command -v holdpoint >/dev/null && exec holdpoint hook "$@"
if [ -x "$holdpoint_node" ]; then
  echo 'holdpoint: its files are gone, so nothing is checked. Install it again, then run: holdpoint install' >&2
else
  echo 'holdpoint: no Node 20 or newer was found, so nothing is checked. Install one, then run: holdpoint install' >&2
fi
# An error of ours refuses nothing. That is 1, but for Copilot, where only 0 lets pass.
[ "\${COPILOT_CLI:-}" ]
exit
}
`;
}

/**
 * The part of the launch file that asks the server. It ends the shell with the server's answer, or gives back what it
 * has read as standard input and goes on to the hook. The server is trusted only where its socket is ours: below `/tmp`
 * anybody may have been there first. That newlines at the end of an event are lost means nothing in JSON. The server
 * ends the connection, so `nc` need not tell it that the event has ended.
 */
function askServerScript({ socket, client, cat, setsid, patience }: ResidentStart): string {
  const catWord = shellWord(cat);
  const values = ENVIRONMENT.map((name) => `\${${name}-}`).join('');
  // A variable that is not set is not sent; one that is empty is.
  const variables = ENVIRONMENT.map((name) => `\${${name}+${name}=$${name}$holdpoint_line}`).join('');
  return `# Most events are answered by a server that has started already. What it does not answer goes on below.
holdpoint_socket=${shellWord(socket)}
holdpoint_client=${shellWord(client)}
holdpoint_place=\${holdpoint_socket%/*}
holdpoint_dist=\${holdpoint_hook%/*}
holdpoint_asked=
unset HOLDPOINT_ASKED
holdpoint_line='
'
# A value that would break the lines of the question, and a blank within an argument.
case "$PWD$holdpoint_dist${values}" in *"$holdpoint_line"*) holdpoint_asked=odd ;; esac
for holdpoint_try in "$@"; do
  case $holdpoint_try in *\\ * | *"$holdpoint_line"*) holdpoint_asked=odd ;; esac
done
if [ -z "$holdpoint_asked" ]; then
  holdpoint_asked=no
  if ! [ -S "$holdpoint_socket" ]; then
    holdpoint_asked=nobody
  elif [ -O "$holdpoint_socket" ] && [ -x "$holdpoint_client" ] && [ -x ${catWord} ]; then
    holdpoint_machine=
    read -r holdpoint_machine 2>/dev/null </proc/sys/kernel/hostname
    holdpoint_header="HP1
dist=$holdpoint_dist
args=$*
pid=$$
parent=$PPID
cwd=$PWD
\${holdpoint_machine:+machine=$holdpoint_machine$holdpoint_line}${variables}"
    # A pipe that does not block has its event in pieces.
    holdpoint_event=
    holdpoint_try=
    until holdpoint_piece=$(${catWord} 2>/dev/null) || [ \${#holdpoint_try} -gt 500 ]; do
      holdpoint_event=$holdpoint_event$holdpoint_piece
      holdpoint_try=x$holdpoint_try
      sleep 0.02
    done
    holdpoint_event=$holdpoint_event$holdpoint_piece
    holdpoint_reply=$("$holdpoint_client" -w ${patience} -U "$holdpoint_socket" 2>/dev/null <<HOLDPOINT_END
$holdpoint_header
$holdpoint_event
HOLDPOINT_END
    )
    # Empty lines say that the server is still at work.
    while case $holdpoint_reply in "$holdpoint_line"*) ;; *) false ;; esac; do
      holdpoint_reply=\${holdpoint_reply#"$holdpoint_line"}
    done
    case $holdpoint_reply in
    ${shellWord(formReply({ exitCode: 0, stdout: '', stderr: '' }))}) exit 0 ;;
    'HP1 '[02]' '*)
      holdpoint_first=\${holdpoint_reply%%"$holdpoint_line"*}
      holdpoint_mark=\${holdpoint_first##* }
      holdpoint_rest=\${holdpoint_reply#*"$holdpoint_line"}
      case $holdpoint_rest in
      *"$holdpoint_mark"*"$holdpoint_mark")
        holdpoint_rest=\${holdpoint_rest%"$holdpoint_mark"}
        printf %s "\${holdpoint_rest%%"$holdpoint_mark"*}" >&2
        printf %s "\${holdpoint_rest#*"$holdpoint_mark"}"
        holdpoint_first=\${holdpoint_first#HP1 }
        exit "\${holdpoint_first%% *}"
        ;;
      esac
      ;;
    alone) ;;
    *)
      # It may have answered all the same: then the hook finds the answer beside the socket.
      holdpoint_asked=silent
      export HOLDPOINT_ASKED="$holdpoint_place"
      ;;
    esac
    exec <<HOLDPOINT_END
$holdpoint_event
HOLDPOINT_END
  fi
fi
${startServerScript(setsid)}`;
}

/**
 * Starts a server for the events to come. Of those that find none at the same time, only the first does. One that is
 * there and says nothing is ended by the new one. It stands in the note of who was started, unless that is newer than
 * its socket: then somebody has started another already.
 */
function startServerScript(setsid: string | undefined): string {
  const detached = setsid === undefined ? "trap '' HUP; exec" : `exec ${shellWord(setsid)}`;
  return `# The runtime directory of a user goes when the last session ends; no server could start then.
[ -d "\${holdpoint_place%/*}" ] && [ -x "$holdpoint_node" ] && [ -f "$holdpoint_dist/serve.cjs" ] || holdpoint_asked=no
case $holdpoint_asked in nobody | silent)
  holdpoint_starting=
  [ -O "$holdpoint_place" ] && ! [ -h "$holdpoint_place" ] &&
    read -r holdpoint_starting 2>/dev/null <"$holdpoint_place/starting"
  # Whoever is noted there since before the socket was made is the one that says nothing, or came before it.
  [ "$holdpoint_asked" = silent ] && [ -S "$holdpoint_socket" ] &&
    ! [ "$holdpoint_place/starting" -nt "$holdpoint_socket" ] 2>/dev/null && holdpoint_starting=
  # A process that has ended may stay as a name of no program where nobody asks how it ended.
  if [ -z "$holdpoint_starting" ] || ! kill -0 "$holdpoint_starting" 2>/dev/null ||
    { [ -e /proc/self/exe ] && ! [ -e "/proc/$holdpoint_starting/exe" ]; }; then
    (
      cd /
      unset NODE_OPTIONS
      export HOLDPOINT_RUNTIME_DIR="$holdpoint_place"
      ${detached} "$holdpoint_node" "$holdpoint_dist/serve.cjs"
    ) </dev/null >/dev/null 2>&1 &
    [ -O "$holdpoint_place" ] && ! [ -h "$holdpoint_place" ] && echo $! >"$holdpoint_place/starting"
  fi
  ;;
esac
`;
}

/** The file that hosts load which run us in their own process. */
export function libraryText({ dist, copy }: StartPlaces): string {
  return `// Finds Holdpoint's files for hosts that run it in their own process. Written by 'holdpoint install'.
'use strict';
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const places = [${JSON.stringify(dist)}, join(__dirname, 'lib', ${JSON.stringify(copy)})];
exports.load = (name) => {
  const place = places.find((each) => existsSync(join(each, name + '.cjs')));
  if (place !== undefined) return require(join(place, name + '.cjs'));
  throw new Error('holdpoint: its files are gone. Install it again, then run: holdpoint install');
};
`;
}

export type LaunchState = ReturnType<typeof launchState>;

/** Reads back what `launchText` has written. Never runs it. */
export function launchState(home: string) {
  const file = join(home, LAUNCH_FILE);
  const text = textIn(file);
  const wordAt = (pattern: RegExp): string | undefined =>
    pattern
      .exec(text ?? '')?.[1]
      ?.slice(1, -1)
      .replaceAll("'\\''", "'");
  const node = wordAt(/^holdpoint_node=(.*)$/m);
  const hook = wordAt(/^holdpoint_hook=(.*)$/m);
  const copy = wordAt(/\/holdpoint\/lib\/"(.*)\/hook\.cjs$/m);
  const socket = wordAt(/^holdpoint_socket=(.*)$/m);
  const client = wordAt(/^holdpoint_client=(.*)$/m);
  return {
    file,
    present: text !== undefined,
    node,
    nodeThere: node !== undefined && existsSync(node),
    hook,
    hookThere: hook !== undefined && existsSync(hook),
    /** The name of the copy that takes the hook's place when it is gone. */
    copy,
    copyThere: copy !== undefined && existsSync(join(dirname(file), 'lib', copy, 'hook.cjs')),
    /** Where a server is asked first: its socket, and the program that reaches it. */
    resident: socket === undefined || client === undefined ? undefined : { socket, client },
  };
}

export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
