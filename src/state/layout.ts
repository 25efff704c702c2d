import { dirname, isAbsolute, normalize, sep } from 'node:path';
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
