import { ENVIRONMENT, formReply } from '../../server/wire';
import { shellWord } from '../install/shell-word';
import { SOURCE_LAUNCH } from '../install/start-line';
import type { Carrier, PerlClient, ResidentStart } from './client';
import { PERL_CLIENT } from './perl-client';

/**
 * The part of the launch file that asks the server. It ends the shell with the server's answer, or leaves standard
 * input as it was and goes on to the hook. The server is trusted only where its socket is ours: below `/tmp`
 * anybody may have been there first. `HOLDPOINT_ASKED` is how Perl says that it has asked already.
 */
export function launchPart({ socket, client, setsid }: ResidentStart): string {
  return `# Most events are answered by a server that has started already. What it does not answer goes on below.
holdpoint_socket=${shellWord(socket)}
holdpoint_client=${shellWord(client.program)}
# by: ${client.name}
holdpoint_place=\${holdpoint_socket%/*}
holdpoint_dist=\${holdpoint_hook%/*}
holdpoint_asked=\${HOLDPOINT_ASKED:-}
unset HOLDPOINT_ASKED
${client.kind === 'native' ? unasked() : question(client)}
${startPart(setsid)}
`;
}

/**
 * What stands before all else where the client is our own: it needs nothing from the shell, so as little as can be is
 * read and parsed before the shell becomes it. It comes back with `HOLDPOINT_ASKED`.
 */
export function launchHead({ socket, client }: ResidentStart, hook: string, copiedHook: string): string {
  if (client.kind !== 'native') return '';
  const [place, program] = [shellWord(socket), shellWord(client.program)];
  return `holdpoint_hook=${hook}
[ -f "$holdpoint_hook" ] || holdpoint_hook=${copiedHook}
[ -S ${place} ] && [ -O ${place} ] && [ -x ${program} ] && [ -z "\${HOLDPOINT_ASKED:-}" ] &&
  exec ${program} ${place} ${client.patience} "\${holdpoint_hook%/*}" ${shellWord(SOURCE_LAUNCH)} "$@"
`;
}

/** Whoever comes here has been asked above, or there is nobody to ask. */
function unasked(): string {
  return `[ -n "$holdpoint_asked" ] || [ -S "$holdpoint_socket" ] || holdpoint_asked=nobody`;
}

function question(client: Carrier | PerlClient): string {
  return `holdpoint_line='
'
# A value that would break the lines of the question, and a blank within an argument.
case "$PWD$holdpoint_dist${ENVIRONMENT.map((name) => `\${${name}-}`).join('')}" in *%* | *"$holdpoint_line"*) holdpoint_asked=odd ;; esac
for holdpoint_try in "$@"; do
  case $holdpoint_try in *[%\\ ]* | *"$holdpoint_line"*) holdpoint_asked=odd ;; esac
done
if [ -z "$holdpoint_asked" ]; then
  holdpoint_asked=no
  if ! [ -S "$holdpoint_socket" ]; then
    holdpoint_asked=nobody
  elif [ -O "$holdpoint_socket" ] && ${ready(client)}; then
    holdpoint_machine=
    read -r holdpoint_machine 2>/dev/null </proc/sys/kernel/hostname
    holdpoint_header="HP1
dist=$holdpoint_dist
args=$*
parent=$PPID
cwd=$PWD
\${holdpoint_machine:+machine=$holdpoint_machine$holdpoint_line}${ENVIRONMENT.map(sent).join('')}"
${client.kind === 'perl' ? byPerl(client) : byCarrier(client)}
  fi
fi`;
}

/** A variable that is not set is not sent; one that is empty is. */
function sent(name: string): string {
  return `\${${name}+${name}=$${name}$holdpoint_line}`;
}

function ready(client: Carrier | PerlClient): string {
  const here = '[ -x "$holdpoint_client" ]';
  // Perl would load what this variable names, and fail by an exit code of its own.
  return client.kind === 'perl'
    ? `${here} && [ -z "\${PERL5OPT-}" ]`
    : `${here} && [ -x ${shellWord(client.cat)} ]`;
}

function byPerl({ patience }: PerlClient): string {
  return `    PERL_BADLANG=0 exec "$holdpoint_client" -e ${shellWord(PERL_CLIENT)} "$holdpoint_socket" ${patience} ${shellWord(SOURCE_LAUNCH)} "$holdpoint_header" "$@"`;
}

/** What was read is given back as standard input. That newlines at its end are lost means nothing in JSON. */
function byCarrier(client: Carrier): string {
  const cat = shellWord(client.cat);
  const words = client.words(client.patience);
  const socket = words.at(-1)?.endsWith(':')
    ? `${words.at(-1)}"$holdpoint_socket"`
    : `${words.at(-1)} "$holdpoint_socket"`;
  return `    # A pipe that does not block has its event in pieces.
    holdpoint_event=
    holdpoint_try=
    until holdpoint_piece=$(${cat} 2>/dev/null) || [ \${#holdpoint_try} -gt 500 ]; do
      holdpoint_event=$holdpoint_event$holdpoint_piece
      holdpoint_try=x$holdpoint_try
      sleep 0.02
    done
    holdpoint_event=$holdpoint_event$holdpoint_piece
    holdpoint_reply=$("$holdpoint_client" ${[...words.slice(0, -1), socket].join(' ')} 2>/dev/null <<HOLDPOINT_END
$holdpoint_header
$holdpoint_event
HOLDPOINT_END
    )
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
    *) holdpoint_asked=silent ;;
    esac
    exec <<HOLDPOINT_END
$holdpoint_event
HOLDPOINT_END`;
}

/**
 * Starts a server for the events to come. Of those that find none at the same time, only the first does. One that is
 * there and says nothing is ended by the new one. It stands in the note of who was started, unless that is newer than
 * its socket: then somebody has started another already.
 */
function startPart(setsid: string | undefined): string {
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
esac`;
}
