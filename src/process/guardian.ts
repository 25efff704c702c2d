import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Holds the numbers of the groups that run. The end of its input means that we are gone, in whatever
 * way; then it kills the groups that are left, and ends. Only words that the shell has built in.
 */
const SCRIPT = `trap '' HUP INT QUIT TERM
groups=
while read -r sign group; do
  if [ "$sign" = + ]; then groups="$groups $group"; continue; fi
  left=
  for one in $groups; do [ "$one" = "$group" ] || left="$left $one"; done
  groups=$left
done
for one in $groups; do kill -9 "-$one"; done`;

const watched = new Set<number>();
let guardian: ChildProcess | undefined;

/**
 * One small shell serves all groups. It lives as long as we do; to be called before a group is started,
 * so that no moment is lost once it has been.
 */
export function readyGuardian(): void {
  if (guardian === undefined) startGuardian();
}

/** Has a group killed when this process ends without having let go of it, even by SIGKILL. */
export function watchGroup(group: number): () => void {
  watched.add(group);
  tell(`+ ${group}\n`);
  return () => {
    watched.delete(group);
    tell(`- ${group}\n`);
  };
}

function tell(lines: string): void {
  guardian?.stdin?.write(lines);
}

/**
 * A session of its own keeps it out of what hits our group; its working directory holds no mount,
 * its closed streams hold up nobody who reads ours to their end.
 */
function startGuardian(): void {
  const child = spawn('/bin/sh', ['-c', SCRIPT], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const gone = (): void => {
    if (guardian === child) guardian = undefined;
  };
  child.on('error', gone);
  child.on('exit', gone);
  child.stdin?.on('error', gone);
  child.unref();
  if (child.stdin && 'unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  guardian = child;
  tell([...watched].map((group) => `+ ${group}\n`).join(''));
}
