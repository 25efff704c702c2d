// The words for what git did not do, and for what was done instead.

export const CANCELLED = 'The operation was aborted';

export function noSnapshot(why: string): string {
  return `git could not take a snapshot of the work tree: ${why}`;
}

export function notInSnapshot(why: string): string {
  return `git left something out of the snapshot: ${why}`;
}

export function noChanges(why: string): string {
  return `git could not tell what has changed: ${why}`;
}

export function noSuchBase(ref: string): string {
  return `There is no branch or commit ${JSON.stringify(ref)} to compare with.`;
}

export function noSuchCommit(ref: string): string {
  return `There is no commit ${JSON.stringify(ref)}.`;
}

export function otherBase(wanted: string, used: string): string {
  return `The base branch ${wanted} does not exist here; compared with ${used} instead.`;
}

export function noBase(wanted: string): string {
  return `The base branch ${wanted} does not exist here, nor does any other; every file counts as changed.`;
}

export function noCommonCommit(ref: string): string {
  return `The history here does not reach a commit in common with ${ref}; compared with that itself.`;
}

export function noBaseOfCommit(ref: string): string {
  return `The history here does not reach a commit in common with ${ref}; only the last commit counts.`;
}
