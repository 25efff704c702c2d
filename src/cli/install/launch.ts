import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostName } from '../../core/host-name';
import { attempt, readText } from '../../exec/attempt';
import { isProgram, placesOn, programOn } from '../../exec/programs';
import { KEPT_VARIABLES } from '../../exec/run';
import type { Ground, StartLine } from '../../hosts/setup';
import { ENVIRONMENT, formReply } from '../../server/wire';
import { newNonce, writeFileAtomic } from '../../state/files';
import { CLIENTS, SEAL_FILE } from '../../state/sessions';

/** Below the home, so that settings that are shared by git hold for everybody. */
export const LAUNCH_FILE = '.config/holdpoint/launch';
/** The same for hosts that run us in their own process. */
export const LIBRARY_FILE = '.config/holdpoint/library.cjs';

const NOT_INSTALLED = 'holdpoint: not installed on this machine, nothing is checked. Run: holdpoint install';

const TAKEN_AWAY =
  'Held by Holdpoint: its launch file was removed or changed while this session ran. A person runs `holdpoint install`, or ends this session.';

/**
 * How a host starts us. A file that cannot be sourced, or that is damaged, ends some shells with 2, which would refuse
 * everything. An error of ours must not refuse, so the line ends with 1, but for Copilot, where only 0 lets pass. The
 * launch file takes the trap away. In a session that began with us it does refuse: there the note of its client tells
 * the home, which settings can change, and that somebody has taken us away since.
 */
export function startLineFor(host: HostName): StartLine {
  const trap = "trap 'case $COPILOT_CLI in ?*) exit 0; esac; exit 1' 0";
  const known = `C=\${CLAUDE_PROJECT_DIR:-.}/.git/holdpoint/${CLIENTS}/$PPID; [ -r "$C" ] && read -r HOME <"$C"`;
  const files = `L=~/${LAUNCH_FILE}; S=~/${SEAL_FILE}`;
  const isOurs = '{ [ ! -r "$C" ] || { [ -e "$S" ] && [ ! "$L" -nt "$S" ]; }; }';
  const source = `[ -r "$L" ] && ${isOurs} && . "$L"`;
  const events = (HELD_EVENTS[host] ?? ['PreToolUse', 'Stop'])
    .map((name) => `*_name\\":\\"${name}*`)
    .join('|');
  const held = `[ -r "$C" ] && read -r E; case $E in ${events}) trap - 0; echo '${TAKEN_AWAY}' >&2; exit 2; esac`;
  return {
    shell: `set -- --host ${host}; ${trap}; ${known}; ${files}; ${source}; ${held}; echo '${NOT_INSTALLED}' >&2`,
    library: LIBRARY_FILE,
  };
}

/** The events that a host lets us hold, where they have other names than those of Claude Code. */
const HELD_EVENTS: Partial<Record<HostName, readonly string[]>> = {
  gemini: ['BeforeTool', 'AfterAgent'],
  cursor: ['preToolUse', 'before', 'stop'],
};

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
 * from Node, which would read them at every event, and options that could make it run something else; they go to what
 * the hook runs.
 */
export function launchText({ node, dist, copy, resident }: StartPlaces): string {
  const kept = KEPT_VARIABLES.map(
    (name) => `[ -z "\${${name}:-}" ] || export HOLDPOINT_${name}="$${name}"\n`,
  );
  return `# Starts Holdpoint's hook. Sourced by the lines in settings; written by 'holdpoint install'.
# One command as a whole: of a file that is cut short nothing is run, and the line says how that ends.
{
trap - 0
holdpoint_node=${shellWord(node)}
holdpoint_hook=${shellWord(`${dist}/hook.cjs`)}
${kept.join('')}unset ${KEPT_VARIABLES.join(' ')} HOLDPOINT_ASKED
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
    # A pipe that does not block has its event in pieces. Without a language there is less to load.
    holdpoint_event=
    holdpoint_try=
    until holdpoint_piece=$(LC_ALL=C ${catWord} 2>/dev/null) || [ \${#holdpoint_try} -gt 500 ]; do
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
function libraryText({ dist, copy }: StartPlaces): string {
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
  const text = readText(file);
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
  const [written, sealed] = [file, join(home, SEAL_FILE)].map((one) => attempt(() => statSync(one)));
  return {
    file,
    present: text !== undefined,
    /** As the hook line sees it. */
    changed: written !== undefined && sealed !== undefined && written.mtimeMs > sealed.mtimeMs,
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

/** Whether a server is asked first, and how; `as-before`: as it is on this machine already. */
export type Start = ResidentStart | 'one-shot' | 'as-before';

/** A file of ours in the home that entries lead to, and that is missing or something else. */
export interface StartFile {
  readonly file: string;
  readonly action: 'created' | 'changed';
  /** Absent for the copy of the hook, which is a directory. */
  readonly text?: string;
}

/** Writes what lines in settings need to start the hook of this package. */
export function writeStart({ home }: Ground, files: readonly StartFile[]): void {
  const before = launchState(home).copy;
  for (const { file, text } of files) {
    if (text === undefined) copyHook(file);
    // For everybody to read: an agent may run as somebody else in the same home.
    else writeFileAtomic(file, text, { durable: true, mode: 0o644 });
  }
  writeFileAtomic(join(home, SEAL_FILE), '', { mode: 0o644 });
  const library = copiesIn(home);
  // The copy that was in use before stays: a process may still be reading it.
  const used = [before, launchState(home).copy];
  for (const name of existsSync(library) ? readdirSync(library) : [])
    if (!used.includes(name)) rmSync(join(library, name), { recursive: true, force: true });
}

/** Removes them again. Lines in settings that came with a clone say then that nothing is installed. */
export function removeStart({ home }: Ground): void {
  for (const file of [LAUNCH_FILE, LIBRARY_FILE, SEAL_FILE]) rmSync(join(home, file), { force: true });
  rmSync(copiesIn(home), { recursive: true, force: true });
}

/** What starts the hook, as far as it has to be written. Reads only. */
export function startFilesFor({ home, env }: Ground, start: Start): readonly StartFile[] {
  const path = env['PATH'] ?? '';
  const known = launchState(home).resident;
  const again = known && residentStart(path, known.socket);
  const resident = start === 'as-before' ? again : start === 'one-shot' ? undefined : start;
  const copy = copyName();
  const places = { node: lastingNode(path), dist: ownDist(), copy, resident };
  const texts = [
    { file: join(home, LIBRARY_FILE), text: libraryText(places) },
    { file: join(home, LAUNCH_FILE), text: launchText(places) },
  ];
  const directory = join(copiesIn(home), copy);
  return [
    ...(existsSync(directory) ? [] : [{ file: directory, action: 'created' } as const]),
    ...texts.flatMap(({ file, text }): StartFile[] => {
      const before = readText(file);
      return before === text ? [] : [{ file, text, action: before === undefined ? 'created' : 'changed' }];
    }),
  ];
}

function copiesIn(home: string): string {
  return join(home, dirname(LAUNCH_FILE), 'lib');
}

/** The name of the copy of the hook's files. It contains their digest, so a copy that is there is whole. */
function copyName(): string {
  // Loaded here: a session's start has this file too, and hashes nothing.
  const { createHash }: typeof import('node:crypto') = require('node:crypto');
  const hash = createHash('sha256');
  for (const file of hookFiles()) hash.update(`${file}\0`).update(readFileSync(join(ownDist(), file)));
  return `${__VERSION__}-${hash.digest('hex').slice(0, 16)}`;
}

/** Copies the hook's files, for the day on which the package is gone. */
function copyHook(directory: string): void {
  const temporary = join(dirname(directory), `.${newNonce()}`);
  mkdirSync(temporary, { recursive: true });
  for (const file of hookFiles()) copyFileSync(join(ownDist(), file), join(temporary, file));
  renameSync(temporary, directory);
}

function hookFiles(): readonly string[] {
  return readdirSync(ownDist())
    .filter((name) => name.endsWith('.cjs'))
    .sort();
}

/** Directories of the PATH that do not outlive a shell or a project. */
const PASSING = /fnm_multishells|node_modules|[/\\]_npx[/\\]|[/\\]tmp[/\\]/;

/**
 * The path by which the running Node is best remembered. Its own has the version in it where packages are
 * linked into a common directory, so a link on the PATH that leads to it outlives an upgrade.
 */
function lastingNode(path: string): string {
  const own = statSync(process.execPath, { throwIfNoEntry: false });
  const isOwn = (file: string): boolean => {
    const { dev, ino } = statSync(file);
    return dev === own?.dev && ino === own.ino;
  };
  const lasting = placesOn(path, 'node').filter((file) => !PASSING.test(dirname(file)));
  return lasting.find((file) => isProgram(file) && isOwn(file)) ?? process.execPath;
}
