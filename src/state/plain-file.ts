import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';

/** A file that is there, but cannot be used as one. */
export class NotAFile extends Error {}

/**
 * Opens a regular file and hands it over until `use` comes back. A pipe in its place would block us for
 * ever, and is refused as a directory is.
 */
export function withPlainFile<T>(
  path: string,
  flags: number,
  use: (fd: number, stats: Stats) => T,
  mode = 0o600,
): T {
  const fd = openSync(path, flags | constants.O_NONBLOCK, mode);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new NotAFile(stats.isDirectory() ? 'is a directory' : 'is not a regular file');
    return use(fd, stats);
  } finally {
    closeSync(fd);
  }
}
