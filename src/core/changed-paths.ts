import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findGit, repositoryAt } from '../git/head';
import type { Effects, PossibleValues } from './command-effects';
import { attempt } from './failure';
import type { Chunks } from './guard';
import type { Invocation } from './hook';

/** Longer lines are not parsed: everything that they name counts as changed. */
const LONGEST_COMMAND = 32 * 1024;

/** Paths that a line writes, or where it runs git or tests. Code we cannot follow may change all it names. */
export function changedPaths(
  command: string,
  cwd: string,
  named: readonly string[],
  { env, chunks }: Pick<Invocation, 'env' | 'chunks'>,
): readonly string[] {
  if (command.length > LONGEST_COMMAND) return named;
  const home = env['HOME'] ?? '';
  const effects = effectsOf(command, cwd, home, chunks);
  if (effects === undefined) return named;
  const { writes, git, tests, unknown } = effects;
  const found = [
    ...writes.flatMap(({ path }) => path),
    ...git.flatMap(({ dir, repository }) => [...dir, ...otherRepositories(repository, dir)]),
    ...tests.flatMap(({ places }) => places),
    ...(unknown.length > 0 ? named : []),
  ];
  return found.flatMap((path) => (path === undefined ? [] : [resolve(cwd, path)]));
}

/** `undefined` if the parser fails. The guards run into that too, and report it. */
function effectsOf(command: string, cwd: string, home: string, chunks: Chunks): Effects | undefined {
  return attempt(() =>
    chunks.effectsOf(command, {
      cwd,
      ...(home !== '' && { home }),
      repositoryAt: (directory) => repositoryAt(directory, chunks.askGit),
      isDirectory: (path) => existsSync(`${path}/.`),
      testCommands: [],
    }),
  );
}

/** Repositories that are not those of `dirs`: if work trees share one, only the tree git runs in counts. */
function otherRepositories(repositories: PossibleValues, dirs: PossibleValues): PossibleValues {
  const own = dirs.map((dir) => (dir === undefined ? undefined : findGit(dir)?.commonDir));
  return repositories.filter((repository) => !own.includes(repository));
}
