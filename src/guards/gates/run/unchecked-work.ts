import { emptyTree } from '../../../git/base';
import { commonCommit, filesBetween } from '../../../git/changes';
import { findGit, type GitHead, readHead, readHeadCommit } from '../../../git/head';
import { fetchedTips, isInHistory, worktreeRoot, worktreesOf } from '../../../git/refs';
import { askGit } from '../../../git/run-git';
import { detectCi, findJobs } from '../detect';
import type { RunResult } from '../run-result';
import type { SessionBaseline } from '../session-baseline';
import { candidatesFor } from './candidates';
import { logDirOf } from './logs';
import { findRepositoryAndBase, findWork } from './plan';
import type { RunRequest } from './run';
import { passedTrees, passedTreesAnywhere, readRunRecord, runRecordFile } from './run-record';

/* A session's work outside the work tree where its turn ends: on a branch, in a stash or elsewhere. */

type SearchContext = Pick<RunRequest, 'root' | 'config' | 'env'> & {
  readonly session: SessionBaseline;
  readonly signal?: AbortSignal | undefined;
};

/** Each one costs a git call. */
const MOST_TREES = 10;

type UncheckedWork = NonNullable<RunResult['aside']>[number];

/** The session's work on which the gates have not passed. */
export async function findUncheckedWork(here: SearchContext): Promise<readonly UncheckedWork[]> {
  const { root, session } = here;
  const place = findGit(root);
  if (place === undefined) return [];
  const git = readHead(place, askGit);
  const candidates = candidatesFor(session, git);
  const passed = candidates.length > 0 ? passedTreesAnywhere(root, here.config) : [];
  const found: UncheckedWork[] = [];
  for (const candidate of candidates) {
    const { commit, what, exit, isStash } = candidate;
    // A stash keeps untracked files in its third parent.
    const untracked = isStash ? askGit(root, ['rev-parse', '--verify', '--quiet', `${commit}^3`]) : undefined;
    for (const one of [commit, untracked ?? '']) {
      if (one === '' || !(await isUnchecked(one, git, passed, here))) continue;
      found.push({ what, exit, version: commit });
      break;
    }
  }
  for (const other of otherRoots(session, git)) {
    const version = await uncheckedIn(other, here);
    if (version !== undefined)
      found.push({ what: `the work tree ${other}`, exit: `\`cd ${other}\``, version });
  }
  return found;
}

/** The work tree that the session began in, and those created since. */
function otherRoots({ root, worktrees }: SessionBaseline, git: GitHead): readonly string[] {
  const made = worktreesOf(git).filter((name) => !worktrees.includes(name));
  const roots = made.flatMap((name) => worktreeRoot(git.commonDir, name) ?? []);
  return [...new Set([root, ...roots])].filter(
    (other) => other !== git.root && findGit(other)?.commonDir === git.commonDir,
  );
}

/**
 * Whether a commit changes files that gates check, to a version that has not passed. Ancestors of HEAD are
 * checked with it, and commits from a remote are not the session's.
 */
async function isUnchecked(
  commit: string,
  git: GitHead,
  passed: readonly string[],
  { root, config, env, session, signal }: SearchContext,
): Promise<boolean> {
  if (isInHistory(root, commit, [...fetchedTips(git, askGit)], askGit)) return false;
  const head = readHeadCommit(git, askGit);
  const starts = [head, session.head, session.base].filter((one) => one !== undefined);
  let start = '';
  for (const one of new Set(starts)) {
    const common = await commonCommit(root, one, commit, env, signal);
    if (common === commit) return false;
    if (one === session.head || start === '') start = common;
  }
  const list = (from: string) => filesBetween(root, from, commit, env, signal);
  const files = (await list(start || emptyTree(commit.length))) ?? [];
  const logs = logDirOf(root, config);
  const own = files.filter((file) => !`${root}/${file}`.startsWith(`${logs}/`));
  const { jobs } = findJobs(config, own, { mode: 'run', ci: detectCi(env).ci, root });
  if (jobs.length === 0) return false;
  for (const tree of passed.slice(-MOST_TREES).reverse()) {
    const listed = await list(tree);
    // Git prunes trees that nothing refers to; one that is gone says nothing about this commit.
    if (listed === undefined) continue;
    const differing = new Set(listed);
    if (!own.some((file) => differing.has(file))) return false;
  }
  return true;
}

/** The tree of another work tree of the session if it has changes on which the gates have not passed there. */
async function uncheckedIn(
  root: string,
  { config, env, session, signal }: SearchContext,
): Promise<string | undefined> {
  const request = { root, config, env, select: { cache: false, workTree: true }, session } as const;
  const located = findRepositoryAndBase(request);
  if (!located.ok) return undefined;
  const logDir = logDirOf(root, config);
  const found = await findWork({ request, logDir, signal }, located.value);
  if (!found.ok || found.value.jobs.length === 0) return undefined;
  const { tree } = found.value.changes;
  const record = readRunRecord(runRecordFile(root, logDir));
  return passedTrees(record, config).includes(tree) ? undefined : tree;
}
