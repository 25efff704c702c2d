export function pathTooLong(socket: string): string {
  return `${socket} is too long for a socket; name a shorter directory in HOLDPOINT_RUNTIME_DIR.`;
}

export function noPlace(dir: string, detail: string): string {
  return `${dir} cannot be made: ${detail}`;
}

export function notOurs(dir: string): string {
  return `${dir} is no directory of yours, so no server answers there. Remove it, or name another in HOLDPOINT_RUNTIME_DIR.`;
}

export function notPrivate(dir: string): string {
  return `${dir} can be entered by others, so no server answers there. Run: chmod 700 '${dir}'`;
}

export const ALREADY_THERE = 'another server is there already.';

export function silentEnded(pid: number): string {
  return `the server that was there (process ${pid}) did not answer any more and was ended.`;
}

export function cannotBeEnded(pid: number): string {
  return `the server that is there (process ${pid}) does not answer, and no signal ends it: the system itself holds it, as it does while a disk is not reached.`;
}

export function listening(socket: string, pid: number): string {
  return `listening on ${socket}, process ${pid}.`;
}

export function cannotListen(detail: string): string {
  return `cannot listen: ${detail}`;
}

/** Of the ways in which a port cannot be had, two are for the person to mend. */
export function noPort(port: number, code: string, detail: string): string {
  const other = 'Choose another: holdpoint serve --http PORT';
  if (code === 'EADDRINUSE')
    return `port ${port} of 127.0.0.1 is taken: another program listens there. ${other}`;
  if (code === 'EACCES') return `port ${port} of 127.0.0.1 is not for everybody. ${other}`;
  return cannotListen(detail);
}

export function ended(why: string): string {
  return `ended: ${why}.`;
}

export function noToken(file: string, detail: string): string {
  return `${file} holds no token that could be used: ${detail}`;
}

export function listeningHttp(port: number, file: string): string {
  return `answering http hooks on http://127.0.0.1:${port}/ to whoever shows the token of ${file}. When this server is gone, Claude Code lets every call pass.`;
}
