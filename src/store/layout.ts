import { isAbsolute, join, normalize, sep } from 'node:path';
import type { DocumentBase, DocumentRef } from '../domain/document';
import type { GitPlace } from '../domain/git-head';

/** The directories of one project on this machine, one for each base of a document. */
export interface Layout {
  readonly root: string;
  readonly git: string;
  readonly own: string;
  readonly home: string;
  /** The message store, where there is one. */
  readonly messages?: string;
}

/** Our own directory in a project: config, and state where there is no git. */
export const OWN_DIR = '.holdpoint';

/** Where a project keeps its state, or `undefined` where it has no place for any. */
export function layoutOf(
  root: string,
  git: GitPlace | undefined,
  home: string,
  hasOwnDir: boolean,
): Layout | undefined {
  if (git) return { root, git: git.commonDir, own: join(git.commonDir, 'holdpoint'), home };
  if (!hasOwnDir) return undefined;
  const dir = join(root, OWN_DIR);
  return { root, git: dir, own: join(dir, 'state'), home };
}

/** The absolute path of a document. A path that leaves its base is a bug of ours, so it throws. */
export function documentFile(layout: Layout, ref: DocumentRef): string {
  const path = normalize(ref.path);
  if (isAbsolute(ref.path) || path === '.' || path === '..' || path.startsWith(`..${sep}`)) {
    throw new Error(`document path leaves its base: ${ref.path}`);
  }
  return join(directoryOf(layout, ref.base), path);
}

/**
 * The directory that no link below may lead out of. The places we make ourselves are not trusted
 * to be what we made, so their container is the directory above that the user gave us.
 */
export function containerOf(layout: Layout, base: DocumentBase): string {
  switch (base) {
    case 'git':
    case 'own':
      return layout.git === join(layout.root, OWN_DIR) ? layout.root : layout.git;
    case 'project':
    case 'home':
    case 'messages':
      return directoryOf(layout, base);
  }
}

/** The lock that covers all documents of the project. */
export function projectLockFile(layout: Layout): string {
  return join(layout.own, 'lock');
}

export function journalFile(layout: Layout): string {
  return join(layout.own, 'journal.jsonl');
}

function directoryOf(layout: Layout, base: DocumentBase): string {
  if (base === 'project') return layout.root;
  const directory = layout[base];
  if (directory === undefined) throw new Error('there is no message store here');
  return directory;
}
