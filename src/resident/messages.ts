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

export function listening(socket: string, pid: number): string {
  return `listening on ${socket}, process ${pid}.`;
}

export function cannotListen(detail: string): string {
  return `cannot listen: ${detail}`;
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
