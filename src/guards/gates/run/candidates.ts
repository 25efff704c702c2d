import type { GitHead } from '../../../git/head';
import {
  fetchedTips,
  headLinesSince,
  type LogLine,
  lastMoves,
  othersIn,
  refsBelow,
  stashesOf,
  wasFetched,
  worktreesOf,
} from '../../../git/refs';
import { askGit } from '../../../git/run-git';
import type { Beginning } from '../session';

/** A commit that holds work, and how to speak of it. */
export interface Candidate {
  readonly commit: string;
  readonly what: string;
  readonly exit: string;
  readonly isStash?: true;
}

/** What came up in the repository during the session and is not what is checked out, by reading files alone. */
export function candidatesFor(session: Beginning, git: GitHead): readonly Candidate[] {
  const others = othersIn(git, session.worktrees);
  const known = new Set(session.stashes);
  // Git counts from the newest one.
  const stashes = stashesOf(git)
    .reverse()
    .flatMap(({ commit, what }, at): Candidate[] => {
      const branch = branchOfStash(what);
      if (known.has(commit) || others.has(branch)) return [];
      const name = `stash@{${at}}`;
      const of = branch === '' ? '' : ` (made on ${branch})`;
      return [{ commit, what: `\`${name}\`${of}`, exit: `\`git stash pop ${name}\``, isStash: true }];
    });
  return [...stashes, ...branchesFor(session, git, others)];
}

/** Git names the branch first: `WIP on work: …`, `On work: …`. */
function branchOfStash(what: string): string {
  return /^(?:WIP on|On) ([^:]+):/.exec(what)?.[1] ?? '';
}

function branchesFor(
  { heads, log, worktrees }: Beginning,
  git: GitHead,
  others: ReturnType<typeof othersIn>,
): Candidate[] {
  const { position } = git;
  const here = position.kind === 'branch' ? position.branch : '';
  const now = refsBelow(git, 'refs/heads/', askGit);
  const made = new Set((headLinesSince(git.gitDir, log) ?? []).filter(isOwnWork).map(({ commit }) => commit));
  // A branch in a work tree that was made since is looked at there.
  const elsewhere = othersIn(
    git,
    worktreesOf(git).filter((name) => !worktrees.includes(name)),
  );
  const moved = [...now].filter(([name, commit]) => {
    if (name === here || others.has(name) || elsewhere.has(name)) return false;
    if (made.has(commit)) return true;
    return heads !== undefined && heads[name] !== commit && !others.made(commit);
  });
  const fetched = moved.length === 0 ? new Set() : fetchedTips(git, askGit);
  const isBrought = (name: string): boolean =>
    wasFetched(lastMoves(`${git.commonDir}/logs/refs/heads/${name}`).at(-1)?.how ?? '');
  const own = moved.filter(([name, commit]) => made.has(commit) || !(fetched.has(commit) || isBrought(name)));
  const branches = own.map(([name, commit]) => ({
    commit,
    what: `the branch \`${name}\``,
    exit: `\`git switch ${name}\``,
  }));
  const pushed =
    made.size === 0
      ? []
      : [...refsBelow(git, 'refs/tags/', askGit), ...refsBelow(git, 'refs/remotes/', askGit)];
  const refs = pushed
    .filter(([, commit]) => made.has(commit) && !branches.some((branch) => branch.commit === commit))
    .map(([name, commit]) => ({ commit, what: `\`${name}\``, exit: `\`git switch --detach ${name}\`` }));
  return [...branches, ...refs];
}

/** Whether a step of HEAD made a commit here, rather than going to one that was there. */
function isOwnWork({ what }: LogLine): boolean {
  return /^(?:commit|cherry-pick|revert|am|rebase|merge|pull)\b/.test(what) && !/Fast-forward$/i.test(what);
}
