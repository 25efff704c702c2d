import type { EffectRunner } from '../../core/guard';
import { findGit } from '../../git/find-git';
import { readHead, readHeadCommit } from '../../git/head';
import { askGit, complaintOf, runGit } from '../../git/run-git';
import { takeSnapshot } from '../../git/snapshot-tree';
import { NOT_WORK } from './not-work';

/** The tree that evidence is bound to: all files of the work tree as git would commit them that tests may depend on. */
export type TreeFound =
  | { readonly tree: string; readonly head: string | null }
  | { readonly trouble: string };

/** Finds out which tree is there now. */
export const runEffect: EffectRunner = async (name, _input, { projectRoot, env, deadline }) => {
  if (name !== 'tree') throw new Error(`there is no effect ${name}`);
  const signal = AbortSignal.timeout(Math.max(0, deadline - Date.now()));
  return { ...(await treeAt(projectRoot, env, signal)) };
};

async function treeAt(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<TreeFound> {
  const git = findGit(root);
  if (git === undefined) return { trouble: 'there is no repository' };
  const taken = await takeSnapshot(git, { env, leaveOut: [], signal });
  if (!taken.ok) return { trouble: taken.failure };
  const { index, dispose } = taken.value;
  try {
    const call = { cwd: git.root, env, index, signal };
    const forget = ['rm', '-r', '--cached', '--quiet', '--ignore-unmatch', '--', ...NOT_WORK];
    const forgotten = await runGit({ ...call, args: forget });
    const written = forgotten.code === 0 ? await runGit({ ...call, args: ['write-tree'] }) : forgotten;
    if (written.code !== 0) return { trouble: complaintOf(written) };
    return { tree: written.printed.trim(), head: readHeadCommit(readHead(git, askGit), askGit) ?? null };
  } finally {
    dispose();
  }
}
