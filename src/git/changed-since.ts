import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { GitHead } from '../core/git-head';
import type { CancelSignal } from '../exec/cancel-signal';
import type { Changes } from './changes';
import { runGit } from './run-git';

const TREE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * What differs between each of some older snapshots and the present one, with at most one call of git.
 * A snapshot that is there no more has no entry. What is going on inside of a changed submodule no
 * snapshot tells, so it counts as changed since all of them.
 */
export async function changedSince(
  git: GitHead,
  changes: Changes,
  trees: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  signal?: CancelSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const inner = trees.length === 0 ? [] : changes.files.filter((file) => isDirectory(join(git.root, file)));
  const others = [...new Set(trees)].filter((tree) => TREE.test(tree) && tree !== changes.tree);
  const differences = await compareTrees(git, others, changes.tree, env, signal);
  const since = new Map<string, readonly string[]>();
  if (trees.includes(changes.tree)) since.set(changes.tree, inner);
  for (const [tree, files] of differences) since.set(tree, [...files, ...inner]);
  return since;
}

async function compareTrees(
  git: GitHead,
  trees: readonly string[],
  now: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: CancelSignal | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (trees.length === 0) return new Map();
  const heads = trees.map((tree) => `${tree} ${now}\n`);
  const answer = await runGit({
    cwd: git.root,
    args: ['diff-tree', '-r', '-z', '--no-renames', '--name-only', '--stdin'],
    env,
    signal,
    input: heads.join(''),
  });
  const found = parsePairs(answer.printed, heads);
  // It ends early where a part of a tree is missing; what it was printing then is not all of it.
  if (answer.code !== 0) found.pop();
  return new Map(found.map(([head, files]) => [head.split(' ', 1)[0] ?? '', files]));
}

/** The heads come back in their order, each with its names behind it; those of missing trees do not. */
function parsePairs(printed: string, heads: readonly string[]): [head: string, files: string[]][] {
  const found: [string, string[]][] = [];
  let expected = [...heads];
  let at = 0;
  while (at < printed.length) {
    const head = expected.find((one) => printed.startsWith(one, at));
    if (head !== undefined) {
      found.push([head, []]);
      expected = expected.slice(expected.indexOf(head) + 1);
      at += head.length;
      continue;
    }
    const end = printed.indexOf('\0', at);
    if (end < 0) break;
    found.at(-1)?.[1].push(printed.slice(at, end));
    at = end + 1;
  }
  return found;
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
