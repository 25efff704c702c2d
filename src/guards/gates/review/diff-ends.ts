import { emptyTree } from '../../../git/base';
import { findGit } from '../../../git/find-git';
import { readHead, readHeadCommit } from '../../../git/head';
import { askGit, runGit } from '../../../git/run-git';
import { ciOf } from '../detect/ci';
import type { GateContext } from '../run/gate-context';
import { heldSince } from '../run/scene';
import { readState } from '../run/state-file';

/** Between what a difference is taken: words for git, the first that it understands count. */
export type DiffEnds = readonly (readonly string[])[];

/** What this run is about as a whole, in the same terms as its list of changed files. */
export async function endsOfRun(context: GateContext): Promise<DiffEnds> {
  const { select, env, base, changes } = context;
  const { sha } = ciOf(env);
  const empty = emptyTree(changes.tree.length);
  if (select.commit !== undefined) return endsOfCommit(select.commit);
  if (sha !== undefined && select.uncommitted !== true && !sha.startsWith('-')) {
    const since = base.commit === undefined ? [empty, sha] : ['--merge-base', base.commit, sha];
    return [since, ...endsOfCommit(sha)];
  }
  const head = headOf(context);
  if (head === undefined) return [[empty, changes.tree]];
  if (select.uncommitted === true) return [[head, changes.tree]];
  const starts = [...new Set([beginning(context, head), base.commit].flatMap((commit) => commit ?? []))];
  const ends: string[][] = [];
  for (const start of starts) ends.push([await commonCommit(start, head, context), changes.tree]);
  return ends.length > 0 ? ends : [[empty, changes.tree]];
}

function endsOfCommit(commit: string): DiffEnds {
  return commit.startsWith('-')
    ? []
    : [
        [`${commit}^1`, commit],
        ['--root', commit],
      ];
}

/** Where an open session has begun, if that still matters. */
function beginning({ rerun, select, logDir, base }: GateContext, head: string): string | undefined {
  return rerun && select.base === undefined ? heldSince(readState(logDir), base, head) : undefined;
}

function headOf({ root }: GateContext): string | undefined {
  const place = findGit(root);
  return place === undefined ? undefined : readHeadCommit(readHead(place, askGit), askGit);
}

async function commonCommit(start: string, head: string, context: GateContext): Promise<string> {
  if (start === head) return head;
  const { root, env, signal } = context;
  const { printed } = await runGit({ cwd: root, args: ['merge-base', start, head], env, signal });
  return printed.split('\n', 1)[0] || start;
}
