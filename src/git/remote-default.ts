import type { GitPlace } from '../core/git-head';
import { plainText } from '../exec/quick-look';
import type { AskGit } from './head';
import { branchOf, usesReftable } from './refs';

const HEAD_REF = 'refs/remotes/origin/HEAD';
const LARGEST_BYTES = 4096;

/** The branch that the remote called its default when it was cloned or last asked; often nobody knows. */
export function remoteDefault({ root, commonDir }: GitPlace, askGit: AskGit): string | undefined {
  const target = usesReftable(commonDir)
    ? askGit(root, ['symbolic-ref', '--quiet', HEAD_REF])
    : plainText(`${commonDir}/${HEAD_REF}`, LARGEST_BYTES)?.replace(/^ref:/, '');
  const name = target?.trim() ?? '';
  return branchOf(name.replace(/^refs\/remotes\/origin\//, 'refs/heads/'));
}
