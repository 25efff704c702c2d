import type { GitPlace } from '../../core/git-head';
import { resolveBase } from '../../git/base';
import { readHead, remoteDefault } from '../../git/head';
import { askGit } from '../../git/run-git';

/** The branch from which others are made. */
export interface DefaultBranch {
  readonly name: string;
  /** What changes are counted from. */
  readonly base: string;
  /** Whether a remote has it, so that others build on it as well. */
  readonly isShared: boolean;
}

const USUAL = ['main', 'master'];

/** Finds the default branch; nothing where it cannot be told. */
export function defaultBranchOf(place: GitPlace): DefaultBranch | undefined {
  const head = readHead(place, askGit);
  const exists = (ref: string): boolean => {
    const base = resolveBase(head, { configured: '', option: ref }, askGit);
    return base.ok && base.value.commit !== undefined;
  };
  const told = remoteDefault(place, askGit);
  const remote = [...(told === undefined ? [] : [told]), ...USUAL].find((name) =>
    exists(`refs/remotes/origin/${name}`),
  );
  if (remote !== undefined) return { name: remote, base: `origin/${remote}`, isShared: true };
  const current = head.position.kind === 'branch' ? head.position.branch : undefined;
  const local = USUAL.find((name) => exists(`refs/heads/${name}`)) ?? USUAL.find((name) => name === current);
  return local === undefined ? undefined : { name: local, base: local, isShared: false };
}
