import { ownPaths } from './own';

/*
 * Stands in for `node:path` below the hook's chunks, as `files.ts` does for files: what is wanted of paths that are as
 * they should be takes a few letters, and every other path is left to Node's own functions.
 */

const isPosix = process.platform !== 'win32';

export const sep: '/' | '\\' = isPosix ? '/' : '\\';

/** Whether nothing would be taken out of a path: no empty part, neither `.` nor `..`, no slash at its end. */
function isTidy(path: string): boolean {
  return (
    isPosix &&
    path !== '' &&
    path[0] !== '.' &&
    !path.endsWith('/') &&
    !path.includes('//') &&
    !path.includes('/./') &&
    !path.includes('/../') &&
    !path.endsWith('/.') &&
    !path.endsWith('/..')
  );
}

export function isAbsolute(path: string): boolean {
  return isPosix ? path[0] === '/' : ownPaths().isAbsolute(path);
}

/** Takes nothing out of what it leaves, so that only the ends of a path have to be as they should be. */
export function dirname(path: string): string {
  const isPlain = isPosix && path[0] === '/' && path[1] !== '/' && !path.endsWith('/');
  return isPlain ? path.slice(0, path.lastIndexOf('/') || 1) : unusualDirname(path);
}

function unusualDirname(path: string): string {
  return isPosix && path === '/' ? path : ownPaths().dirname(path);
}

export function basename(path: string, suffix?: string): string {
  return suffix === undefined && isTidy(path)
    ? path.slice(path.lastIndexOf('/') + 1)
    : ownPaths().basename(path, suffix);
}

export function normalize(path: string): string {
  return isTidy(path) ? path : ownPaths().normalize(path);
}

export function join(...parts: string[]): string {
  const joined = parts.join('/');
  return parts[0] !== '' && isTidy(joined) ? joined : ownPaths().join(...parts);
}

export function resolve(...parts: string[]): string {
  const last = parts.at(-1) ?? '';
  if (last[0] === '/') return isTidy(last) ? last : ownPaths().resolve(...parts);
  const [from = '', to = ''] = parts;
  const joined = `${from}/${to}`;
  return parts.length === 2 && from.length > 1 && from[0] === '/' && isTidy(joined)
    ? joined
    : ownPaths().resolve(...parts);
}

export function relative(from: string, to: string): string {
  const below = from[0] === '/' && to.startsWith(`${from}/`) && isTidy(from) && isTidy(to);
  return below ? to.slice(from.length + 1) : ownPaths().relative(from, to);
}
