import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { signalGroup } from './process-group';

/** Set in the environment of every program we start, so that the guardian can recognise it. */
export const RUN_MARK = 'HOLDPOINT_RUN';

/**
 * The guardian, a POSIX shell script. Lines on its input say that a program is about to be started (`?` and its mark),
 * that its group is running (`+`), that the start failed (`!`), and that a group has ended (`-`). The end of its input
 * means that our process is gone, for whatever reason: then it kills what is left.
 *
 * If we die right after starting a program, the guardian does not know its group; on Linux it finds the mark in the
 * program's environment. The mark shows up there only some moments after the start, hence the rounds.
 */
const SCRIPT = `trap '' HUP INT QUIT TERM
groups=
pending=
while read -r sign word; do
  case $sign in
    '?') pending=$word ;;
    '!') pending= ;;
    +) groups="$groups $word"; pending= ;;
    -)
      left=
      for one in $groups; do [ "$one" = "$word" ] || left="$left $one"; done
      groups=$left ;;
  esac
done
for one in $groups; do kill -9 "-$one"; done
[ -n "$pending" ] && [ -r /proc/self/environ ] || exit
for round in 1 2 3 4 5; do
  for file in $(grep -Fls "${RUN_MARK}=$pending" /proc/[0-9]*/environ); do
    one=\${file#/proc/}
    one=\${one%/environ}
    kill -9 "-$one"
    kill -9 "$one"
  done
  sleep 0.1
done`;

const watched = new Set<number>();
let guardian: ChildProcess | undefined;
let announced = 0;

/**
 * Call it before starting a program. If this process then ends without ending the program, even by SIGKILL, the
 * guardian kills it: one small shell for all groups, started with the first and ended with us. Returns the mark to put
 * into the program's environment.
 */
export function announceStart(): string {
  announced += 1;
  // The final dot keeps one mark from being a prefix of another.
  const mark = `${process.pid}.${Date.now().toString(36)}.${announced}.`;
  if (!guardian?.stdin?.writable) guardian = startGuardian();
  tell(`? ${mark}`);
  return mark;
}

export function announceFailure(): void {
  tell('! -');
}

/** Tells the guardian the group of the announced program. Call the returned function once the group has ended. */
export function watchGroup(group: number): () => void {
  watched.add(group);
  tell(`+ ${group}`);
  return () => {
    watched.delete(group);
    tell(`- ${group}`);
  };
}

function tell(line: string): void {
  if (guardian?.stdin?.writable) guardian.stdin.write(`${line}\n`);
}

/**
 * A session of its own keeps it safe from signals to our group, `cwd: '/'` keeps no mount busy, and without our output
 * streams it keeps nobody waiting who reads those. If it cannot be started, programs run unguarded.
 */
function startGuardian(): ChildProcess | undefined {
  try {
    const child = spawn('/bin/sh', ['-c', SCRIPT], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    child.on('error', () => undefined);
    if (child.pid === undefined) return undefined;
    const input = child.stdin as Socket;
    // It may die any time; then the next program starts another one.
    input.on('error', () => undefined);
    for (const group of watched) input.write(`+ ${group}\n`);
    child.unref();
    input.unref();
    return child;
  } catch {
    return undefined;
  }
}

/** Ends the guardian once nothing is left to watch, so that none of our processes outlives us. */
export async function dismissGuardian(): Promise<void> {
  if (guardian?.pid === undefined || watched.size > 0) return;
  const child = guardian;
  guardian = undefined;
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.ref();
  signalGroup(child.pid as number, 'SIGKILL');
  child.stdin?.destroy();
  await ended;
}
