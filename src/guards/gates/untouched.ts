import { type Dirent, lstatSync, readdirSync } from 'node:fs';

/** More files than this are left to git, which knows how to look at many. */
const MOST_ENTRIES = 1000;

/**
 * Whether surely nothing below a directory has changed since a moment, by the times that only the kernel sets. Told without
 * a subprocess; where there is too much to look at, nobody knows.
 */
export function untouchedSince(root: string, leaveOut: readonly string[], since: number): boolean {
  let left = MOST_ENTRIES;
  const isOld = (path: string): boolean => lstatSync(path).ctimeMs < since;
  const isQuiet = (dir: string): boolean => {
    if (!isOld(dir)) return false;
    const entries = readdirSync(dir, { withFileTypes: true });
    left -= entries.length;
    return (
      left >= 0 &&
      entries.every((entry: Dirent) => {
        const path = `${dir}/${entry.name}`;
        if (leaveOut.includes(path) || entry.name === '.git' || entry.name === 'node_modules') return true;
        return entry.isDirectory() ? isQuiet(path) : isOld(path);
      })
    );
  };
  try {
    return isQuiet(root);
  } catch {
    return false;
  }
}
