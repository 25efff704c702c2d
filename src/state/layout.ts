import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import type { DocumentBase, DocumentRef } from '../core/document';
import type { GitPlace } from '../core/git-head';

/** The directories of one project on this machine, one for each base of a document. */
export interface Layout {
  readonly root: string;
  readonly git: string;
  readonly own: string;
  readonly home: string;
  /** The message store, where there is one. */
  readonly messages?: string;
  /** The project's lock if it has no state directory of ours; then only `messages` and `project` are written. */
  readonly soleLock?: string;
}

/** Our own directory in a project: config, and state where there is no git. */
export const OWN_DIR = '.holdpoint';

/** Where a project keeps its state; `undefined` if it has neither git nor a directory of ours. */
export function layoutOf(
  root: string,
  git: GitPlace | undefined,
  home: string,
  hasOwnDir: boolean,
): Layout | undefined {
  if (git) return { root, git: git.commonDir, own: `${git.commonDir}/holdpoint`, home };
  if (!hasOwnDir) return undefined;
  const dir = `${root}/${OWN_DIR}`;
  return { root, git: dir, own: `${dir}/state`, home };
}

/** The absolute path of a document. A path that leaves its base is a bug of ours, so it throws. */
export function documentFile(layout: Layout, ref: DocumentRef): string {
  const path = normalize(ref.path);
  if (isAbsolute(path) || path === '.' || path === '..' || path.startsWith(`..${sep}`)) {
    throw new Error(`document path leaves its base: ${ref.path}`);
  }
  return `${directoryOf(layout, ref.base)}/${path}`;
}

/**
 * The directory that no symlink below it may lead out of. Directories that we make ourselves may have been replaced,
 * so their container is the directory above, which the user gave us.
 */
export function containerOf(layout: Layout, base: DocumentBase): string {
  switch (base) {
    case 'git':
    case 'own':
      return layout.git === `${layout.root}/${OWN_DIR}` ? layout.root : layout.git;
    case 'messages':
      return dirname(directoryOf(layout, base));
    case 'project':
    case 'home':
      return directoryOf(layout, base);
  }
}

/** Whether documents of this base are written at all. */
export function isKept({ soleLock }: Layout, base: DocumentBase): boolean {
  return soleLock === undefined || base === 'messages' || base === 'project';
}

/** The lock that covers all documents of the project. */
export function projectLockFile(layout: Layout): string {
  return layout.soleLock ?? `${layout.own}/lock`;
}

/** The journal's newest file. */
export function journalFile(layout: Layout): string {
  return `${layout.own}/journal.jsonl`;
}

function directoryOf(layout: Layout, base: DocumentBase): string {
  if (base === 'project') return layout.root;
  const directory = layout[base];
  if (directory === undefined) throw new Error('there is no message store here');
  return directory;
}

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
