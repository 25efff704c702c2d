/** Sentences about the server that answers events without Node being started for each. */

const ONE_SHOT = 'Installed without: every event starts a process of its own, as before.';

export function noClient(names: string): string {
  return `Nothing on this machine reaches a socket (looked for: ${names}).`;
}

export function noneWorks(names: string): string {
  return `Nothing on this machine carries an event to a server and its answer back (tried: ${names}).`;
}

export function noTrial(detail: string): string {
  return `No server could be tried (${detail}).`;
}

export function notResident(why: string): string {
  return `${why} ${ONE_SHOT}`;
}

export function resident(client: string): string {
  return `A server answers events, reached by ${client}; the first event starts it, and without it each event is decided as before.`;
}

export const SERVER_ENDED = 'The server that answered events was ended.';

export function silentEnded(pid: number): string {
  return `The server (process ${pid}) did not answer any more and was ended by a signal.`;
}

export function serverStays(pid: number): string {
  return `The server (process ${pid}) does not answer, and no signal ends it: the system itself holds it.`;
}

export function silentServer(pid: number, client: string): string {
  return `process ${pid} is there but does not answer, so events wait for it; end it: holdpoint serve --stop; reached by ${client}`;
}

export const ONE_SHOT_AGAIN =
  'Every event starts a process of its own again; `holdpoint install --resident` has a server answer them.';
