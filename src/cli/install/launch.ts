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
import { attempt, readText } from '../../core/failure';
import { findProgram, isProgram, programPaths } from '../../exec/programs';
import { KEPT_VARIABLES } from '../../exec/run';
import type { InstallTarget } from '../../hosts/setup';
import { LAUNCH_FILE, LIBRARY_FILE, TRAP } from '../../hosts/start-line';
import { ENVIRONMENT, formatReply } from '../../server/protocol';
import { newNonce, writeFileAtomic } from '../../state/files';
import { SEAL_FILE } from '../../state/sessions';

/** The `dist` directory that this command was built into; its own file is in `dist/cli`. */
export function ownDist(): string {
  return join(dirname(fileURLToPath(import.meta.url)), '..');
}

/** How the launch file asks a server before it starts Node. All programs are absolute paths. */
export interface ResidentStart {
  readonly socket: string;
  /** `nc`, which sends the event to the socket and prints the reply. */
  readonly client: string;
  readonly cat: string;
  /** `setsid` lets the server outlive the host; without it, SIGHUP is ignored. */
  readonly setsid: string | undefined;
  /** Seconds to wait for a silent server before the event is decided without it. */
  readonly patience: number;
}

/** Several times the watchdog's limit for an event; after that, deciding without the server is faster. */
const PATIENCE_SECONDS = 3;

/** `undefined` if this machine lacks a needed program. */
export function residentStart(path: string, socket: string): ResidentStart | undefined {
  const [client, cat] = [findProgram(path, 'nc'), findProgram(path, 'cat')];
  if (client === undefined || cat === undefined) return undefined;
  return { socket, client, cat, setsid: findProgram(path, 'setsid'), patience: PATIENCE_SECONDS };
}

export interface StartPlaces {
  readonly node: string;
  /** The directory of the built files, which may disappear later. */
  readonly dist: string;
  readonly copy: string;
  /** Absent if every event starts its own process. */
  readonly resident?: ResidentStart | undefined;
}

/**
 * The launch file, which every hook line sources with `--host NAME` as arguments. In the normal case it checks two
 * files and execs Node, without starting another process. Certificates, which Node would read at every event, and
 * options that could make it run other code are hidden from Node and passed on to what the hook runs.
 */
export function launchText({ node, dist, copy, resident }: StartPlaces): string {
  const kept = KEPT_VARIABLES.map(
    (name) => `[ -z "\${${name}:-}" ] || export HOLDPOINT_${name}="$${name}"\n`,
  );
  return `# Starts Holdpoint's hook. Sourced by the lines in settings; written by 'holdpoint install'.
# One compound command, so that a truncated file runs nothing.
{
trap - 0
holdpoint_node=${shellWord(node)}
holdpoint_hook=${shellWord(`${dist}/hook.cjs`)}
${kept.join('')}unset ${KEPT_VARIABLES.join(' ')} HOLDPOINT_ASKED
# If the package is gone, use the copy made by 'holdpoint install'.
[ -f "$holdpoint_hook" ] || holdpoint_hook="$HOME/.config/holdpoint/lib/"${shellWord(copy)}/hook.cjs
${resident === undefined ? '' : askServerScript(resident)}# If this Node is gone, as after an upgrade, look for another one that is new enough.
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
${resident === undefined ? '' : PIPE_SCRIPT}[ -x "$holdpoint_node" ] && [ -f "$holdpoint_hook" ] && exec "$holdpoint_node" "$holdpoint_hook" "$@"
command -v holdpoint >/dev/null && exec holdpoint hook "$@"
# In a session that began with us, somebody has taken them away: the line that sourced this file holds.
[ -r "\${C-}" ] && [ -z "\${holdpoint_event-}" ] && ${TRAP} && return
if [ -x "$holdpoint_node" ]; then
  echo 'holdpoint: its files are gone, so nothing is checked. Install it again, then run: holdpoint install' >&2
else
  echo 'holdpoint: no Node 20 or newer was found, so nothing is checked. Install one, then run: holdpoint install' >&2
fi
# An internal error must not hold anything.
${TRAP}
exit
}
`;
}

/** Runs the hook where the event could not be restored as standard input. */
const PIPE_SCRIPT = `if [ -n "$holdpoint_piped" ] && [ -x "$holdpoint_node" ] && [ -f "$holdpoint_hook" ]; then
  printf '%s\\n' "$holdpoint_event" | "$holdpoint_node" "$holdpoint_hook" "$@"
  exit
fi
`;

/**
 * Asks the server: exits with its answer, or restores the event as standard input and falls through to the hook. The
 * server is trusted only if we own its socket, since below `/tmp` anybody may have been there first. JSON can lose
 * the newlines at its end, and `nc` need not signal the end of the event, since the server closes the connection.
 */
function askServerScript({ socket, client, cat, setsid, patience }: ResidentStart): string {
  const catWord = shellWord(cat);
  const values = ENVIRONMENT.map((name) => `\${${name}-}`).join('');
  // Unset variables are not sent; empty ones are.
  const variables = ENVIRONMENT.map((name) => `\${${name}+${name}=$${name}$holdpoint_line}`).join('');
  return `# Ask the running server. If it does not answer, continue below without it.
holdpoint_socket=${shellWord(socket)}
holdpoint_client=${shellWord(client)}
holdpoint_place=\${holdpoint_socket%/*}
holdpoint_dist=\${holdpoint_hook%/*}
holdpoint_asked=
holdpoint_piped=
holdpoint_line='
'
# Skip the server for values that its line format cannot carry: newlines, and spaces within an argument.
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
    # A non-blocking pipe may deliver the event in pieces. LC_ALL=C saves loading a locale.
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
    # The server sends empty lines while it is still working.
    while case $holdpoint_reply in "$holdpoint_line"*) ;; *) false ;; esac; do
      holdpoint_reply=\${holdpoint_reply#"$holdpoint_line"}
    done
    case $holdpoint_reply in
    ${shellWord(formatReply({ exitCode: 0, stdout: '', stderr: '' }))}) exit 0 ;;
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
      # The server may have counted the event before it fell silent.
      holdpoint_asked=silent
      export HOLDPOINT_ASKED="$holdpoint_place"
      ;;
    esac
    # A here-document may need a temporary file, and the disk may be full: then the hook reads a pipe instead.
    if { true <<HOLDPOINT_END
$holdpoint_event
HOLDPOINT_END
    } 2>/dev/null; then
      exec <<HOLDPOINT_END
$holdpoint_event
HOLDPOINT_END
    else
      holdpoint_piped=yes
    fi
  fi
fi
${startServerScript(setsid)}`;
}

/**
 * Starts a server for later events; of several events that find none at the same time, only the first does. The new
 * server ends a silent one. The `starting` note names the silent server, unless it is newer than the socket: then a
 * replacement was started already.
 */
function startServerScript(setsid: string | undefined): string {
  const detached = setsid === undefined ? "trap '' HUP; exec" : `exec ${shellWord(setsid)}`;
  return `# The system removes a user's runtime directory after the last login session; no server can start then.
[ -d "\${holdpoint_place%/*}" ] && [ -x "$holdpoint_node" ] && [ -f "$holdpoint_dist/serve.cjs" ] || holdpoint_asked=no
case $holdpoint_asked in nobody | silent)
  holdpoint_starting=
  [ -O "$holdpoint_place" ] && ! [ -h "$holdpoint_place" ] &&
    read -r holdpoint_starting 2>/dev/null <"$holdpoint_place/starting"
  # A process noted before the socket was created is the silent server itself, or an older one.
  [ "$holdpoint_asked" = silent ] && [ -S "$holdpoint_socket" ] &&
    ! [ "$holdpoint_place/starting" -nt "$holdpoint_socket" ] 2>/dev/null && holdpoint_starting=
  # A zombie still answers 'kill -0', but has no executable.
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

/** The file loaded by hosts that run us in their own process. */
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

/** Reads the launch file back, without running it. */
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
    /** Whether it is newer than its seal, by which the hook line detects changes. */
    changed: written !== undefined && sealed !== undefined && written.mtimeMs > sealed.mtimeMs,
    node,
    nodeThere: node !== undefined && existsSync(node),
    hook,
    hookThere: hook !== undefined && existsSync(hook),
    /** The name of the copy used if `hook` is gone. */
    copy,
    copyThere: copy !== undefined && existsSync(join(dirname(file), 'lib', copy, 'hook.cjs')),
    resident: socket === undefined || client === undefined ? undefined : { socket, client },
  };
}

export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Whether events go to a server first; `as-before` keeps what is set up on this machine. */
export type StartMode = ResidentStart | 'one-shot' | 'as-before';

/** A launcher file in the home that is missing or out of date. */
export interface LauncherFile {
  readonly file: string;
  readonly action: 'created' | 'changed';
  /** Absent for the copy of the hook, which is a directory. */
  readonly text?: string;
}

/** Writes what hook lines need to start this package's hook. */
export function writeLauncher({ home }: InstallTarget, files: readonly LauncherFile[]): void {
  const before = launchState(home).copy;
  for (const { file, text } of files) {
    if (text === undefined) copyHook(file);
    // World-readable, since an agent may run as another user in the same home.
    else writeFileAtomic(file, text, { durable: true, mode: 0o644 });
  }
  writeFileAtomic(join(home, SEAL_FILE), '', { mode: 0o644 });
  const library = copiesIn(home);
  // The copy in use before stays, since a process may still be reading it.
  const used = [before, launchState(home).copy];
  for (const name of existsSync(library) ? readdirSync(library) : [])
    if (!used.includes(name)) rmSync(join(library, name), { recursive: true, force: true });
}

/** Hook lines that came with a clone then report that nothing is installed. */
export function removeLauncher({ home }: InstallTarget): void {
  for (const file of [LAUNCH_FILE, LIBRARY_FILE, SEAL_FILE]) rmSync(join(home, file), { force: true });
  rmSync(copiesIn(home), { recursive: true, force: true });
}

/** The launcher files that must be written. Only reads. */
export function launcherFilesFor({ home, env }: InstallTarget, start: StartMode): readonly LauncherFile[] {
  const path = env['PATH'] ?? '';
  const known = launchState(home).resident;
  const again = known && residentStart(path, known.socket);
  const resident = start === 'as-before' ? again : start === 'one-shot' ? undefined : start;
  const copy = copyName();
  const places = { node: stableNodePath(path), dist: ownDist(), copy, resident };
  const texts = [
    { file: join(home, LIBRARY_FILE), text: libraryText(places) },
    { file: join(home, LAUNCH_FILE), text: launchText(places) },
  ];
  const directory = join(copiesIn(home), copy);
  return [
    ...(existsSync(directory) ? [] : [{ file: directory, action: 'created' } as const]),
    ...texts.flatMap(({ file, text }): LauncherFile[] => {
      const before = readText(file);
      return before === text ? [] : [{ file, text, action: before === undefined ? 'created' : 'changed' }];
    }),
  ];
}

function copiesIn(home: string): string {
  return join(home, dirname(LAUNCH_FILE), 'lib');
}

/** Contains a digest of the files, so that a copy with this name is known to be complete. */
function copyName(): string {
  // Loaded here because a session's start loads this file too, and hashes nothing.
  const { createHash }: typeof import('node:crypto') = require('node:crypto');
  const hash = createHash('sha256');
  for (const file of hookFiles()) hash.update(`${file}\0`).update(readFileSync(join(ownDist(), file)));
  return `${__VERSION__}-${hash.digest('hex').slice(0, 16)}`;
}

/** A copy of the hook's files, for when the package is gone. */
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

/** PATH directories that do not outlive a shell or a project. */
const PASSING = /fnm_multishells|node_modules|[/\\]_npx[/\\]|[/\\]tmp[/\\]/;

/**
 * A path to the running Node that survives upgrades. Package managers put the version into the real path and symlink
 * it into a common directory, so a symlink on the PATH is preferred.
 */
function stableNodePath(path: string): string {
  const own = statSync(process.execPath, { throwIfNoEntry: false });
  const isOwn = (file: string): boolean => {
    const { dev, ino } = statSync(file);
    return dev === own?.dev && ino === own.ino;
  };
  const lasting = programPaths(path, 'node').filter((file) => !PASSING.test(dirname(file)));
  return lasting.find((file) => isProgram(file) && isOwn(file)) ?? process.execPath;
}
