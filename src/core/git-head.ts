/** Where HEAD points. During a rebase it is detached, but the branch being rebased is known. */
export type HeadPosition =
  | { readonly kind: 'branch'; readonly branch: string }
  | { readonly kind: 'detached'; readonly commit: string }
  | { readonly kind: 'rebase'; readonly branch: string; readonly commit: string }
  | { readonly kind: 'unreadable'; readonly file: string; readonly why: string };

/** The directories of a repository. */
export interface GitPlace {
  /** The root of the work tree. */
  readonly root: string;
  /** This work tree's own git directory. */
  readonly gitDir: string;
  /** The git directory that all work trees share. */
  readonly commonDir: string;
  /** The linked work tree's name, absent in the main one. */
  readonly worktree?: string;
  /** Set where even the directories could not be read; then the rest is only a guess. */
  readonly trouble?: HeadPosition;
}

/** A repository and where its HEAD points, read without a subprocess. */
export interface GitHead extends GitPlace {
  readonly position: HeadPosition;
}

/** The branch under which state is kept: during a rebase the one being rebased, and a stand-in where there is none. */
export function branchLabel(git: GitHead | undefined): string {
  if (git === undefined) return '_no_git';
  switch (git.position.kind) {
    case 'branch':
    case 'rebase':
      return git.position.branch;
    case 'detached':
      return '_detached';
    case 'unreadable':
      return '_unreadable';
  }
}
