import type { Stats } from 'node:fs';
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** A symlink on the way to a file that leads out of its container, or nowhere. */
export interface OutwardLink {
  readonly kind: 'outward';
  readonly link: string;
  readonly target: string;
  readonly why: string;
  /** True if the file itself is the symlink, false if a directory above it is. */
  readonly isFile: boolean;
  /** True if the target does not exist. */
  readonly isDangling: boolean;
}

/** Where a file really is once the symlinks inside its container have been followed. */
export type Place =
  | { readonly kind: 'found'; readonly path: string; readonly stats: Stats }
  | { readonly kind: 'missing'; readonly path: string }
  | OutwardLink;

/**
 * Checks every component from the container to the file, so that no symlink leads outside unnoticed. The container
 * itself may be a symlink. Throws what `lstat` throws, except for absence.
 */
export function placeOf(container: string, file: string): Place {
  const steps = relative(container, file).split(sep);
  let path = container;
  for (const [index, step] of steps.entries()) {
    path = join(path, step);
    const isFile = index === steps.length - 1;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return { kind: 'missing', path: join(path, ...steps.slice(index + 1)) };
    if (stats.isSymbolicLink()) {
      const real = followInside(container, path, isFile);
      if (typeof real !== 'string') return real;
      path = real;
      if (isFile) return { kind: 'found', path, stats: lstatSync(path) };
    } else if (isFile) {
      return { kind: 'found', path, stats };
    }
  }
  throw new Error(`not below ${container}: ${file}`);
}

function followInside(container: string, link: string, isFile: boolean): string | OutwardLink {
  let target: string;
  try {
    target = realpathSync.native(link);
  } catch {
    target = resolve(dirname(link), readlinkSync(link));
    const why = `is reached by a link that leads nowhere: ${target}`;
    return { kind: 'outward', link, target, why, isFile, isDangling: true };
  }
  const inside = realpathSync.native(container) + sep;
  if (target.startsWith(inside)) return target;
  const why = `is reached by a link that leaves ${container}: ${target}`;
  return { kind: 'outward', link, target, why, isFile, isDangling: false };
}
