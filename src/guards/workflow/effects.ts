import type { EffectRunner } from '../../core/guard';
import { findGit, readHead, readHeadCommit } from '../../git/head';
import { askGit, errorLineOf, runGit } from '../../git/run-git';
import { takeSnapshot } from '../../git/snapshot-tree';
import { NOT_TESTED } from './place';

/**
 * Writes the git tree that evidence is bound to: all files of a work tree that tests may depend on. A linked work tree
 * may belong to a project whose root is the main one, so the input names the work tree.
 */
export const runEffect: EffectRunner = async (name, input, context) => {
  if (name !== 'tree') throw new Error(`there is no effect ${name}`);
  const { env, deadline: until, signal } = context;
  const git = findGit(String(input));
  if (git === undefined) return { trouble: 'there is no repository' };
  const taken = await takeSnapshot(git, { env, leaveOut: [], signal, until });
  if (!taken.ok) return { trouble: taken.failure };
  const { index, dispose } = taken.value;
  try {
    const call = { cwd: git.root, env, index, signal, until };
    const forget = ['rm', '-r', '--cached', '--quiet', '--ignore-unmatch', '--', ...NOT_TESTED];
    const forgotten = await runGit({ ...call, args: forget });
    const written = forgotten.code === 0 ? await runGit({ ...call, args: ['write-tree'] }) : forgotten;
    if (written.code !== 0) return { trouble: errorLineOf(written) };
    return { tree: written.printed.trim(), head: readHeadCommit(readHead(git, askGit), askGit) ?? null };
  } finally {
    dispose();
  }
};
