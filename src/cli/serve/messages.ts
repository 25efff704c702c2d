import type { ServerStatus } from '../../server/control';

/** Who answers events while no server does. */
export function notRunning(isInstalled: boolean): string {
  return isInstalled
    ? 'No server is running; the next event starts it.'
    : 'No server is running. Every event starts a process of its own.';
}

export function running({ pid, version, answered, left, rss, http }: ServerStatus): string {
  const alone = Object.values(left).reduce((sum, count) => sum + count, 0);
  const web = http === undefined ? '' : `; http hooks on 127.0.0.1:${http}`;
  return `Server ${version} runs as process ${pid}: ${answered} events answered, ${alone} left to a process of their own, ${Math.round(rss / 1_048_576)} MB${web}.`;
}

export function silent(pid: number): string {
  return `The server (process ${pid}) is there but does not answer. Events wait for it and are then decided without. End it: holdpoint serve --stop`;
}

export function stopped(pid: number): string {
  return `Server ${pid} has ended.`;
}

export function silentStopped(pid: number): string {
  return `Server ${pid} did not answer any more and was ended by a signal.`;
}

export function stays(pid: number): string {
  return `Server ${pid} does not answer, and no signal ends it: the system itself holds it, as it does while a disk is not reached.`;
}

export function thereAlready({ pid }: ServerStatus): string {
  return `A server is there already, process ${pid}. End it first: holdpoint serve --stop`;
}

export function notStarted(why: string): string {
  return `The server did not start${why === '' ? '.' : `: ${why}`}`;
}

export const IDLE_ABOVE_ZERO = '--idle takes a number of seconds above 0.';

export function notAPort(port: string): string {
  return `--http takes the number of a port, from 1 to 65535, or 0 for any that is free; '${port}' is none.`;
}

export function oneTooMany(word: string): string {
  return `'${word}' is one word too many. A port goes behind --http.`;
}
