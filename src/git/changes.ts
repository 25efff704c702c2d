import { existsSync } from 'node:fs';
import { fail, type Result, succeed } from '../core/failure';
import type { GitHead } from '../core/git-head';
import type { CancelSignal } from '../exec/cancel-signal';
import { askGit } from './ask-git';
import { type Base, emptyTree } from './base';
import { type DiffStats, listingOptions, parseListing } from './diff-listing';
import { readHeadCommit } from './head';
import * as say from './messages';
import { complaintOf, type GitAnswer, runGit } from './run-git';
import { type Snapshot, takeSnapshot } from './snapshot-tree';
import { wayBelow } from './way-below';

/** Which changes are wanted. Without `commit`, `uncommitted` and `upTo`: all since the base, committed or not. */
export interface ChangesRequest {
  readonly git: GitHead;
  readonly base: Base;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Only what this commit brought. */
  readonly commit?: string;
  /** Only what no commit has. */
  readonly uncommitted?: boolean;
  /** From the base to this commit; the work tree does not count. */
  readonly upTo?: string;
  /** Begin at this commit instead of today's base, which may have moved on with what it is to be compared with. */
  readonly heldSince?: string;
  /** Absolute; nothing in these counts. */
  readonly leaveOut: readonly string[];
  readonly stats?: boolean;
  readonly signal?: CancelSignal | undefined;
}

export interface Changes {
  /** The work tree as it is, untracked files included. */
  readonly tree: string;
  /** Relative to the root. A submodule counts as one file. */
  readonly files: readonly string[];
  readonly warnings: readonly string[];
  readonly stats?: DiffStats;
}

/** What has changed, with three calls of git; trouble comes back as a sentence. */
export async function findChanges(request: ChangesRequest): Promise<Result<Changes, string>> {
  const taken = await takeSnapshot(request.git, request, usualComparison(request));
  if (!taken.ok) return taken;
  const snapshot = taken.value;
  try {
    const found = await compare(request, snapshot);
    if (found.answer.code !== 0) return fail(found.failure ?? say.noChanges(complaintOf(found.answer)));
    const { files, stats } = parseListing(found.answer.printed, request.stats === true);
    const warnings = [...snapshot.warnings, ...(found.warning === undefined ? [] : [found.warning])];
    return succeed({
      tree: snapshot.tree,
      files: files.filter(counts(request)),
      warnings,
      ...(stats && { stats }),
    });
  } finally {
    snapshot.dispose();
  }
}

interface Comparison {
  readonly answer: GitAnswer;
  readonly warning?: string;
  readonly failure?: string;
}

type Ask = (command: string, ...args: string[]) => Promise<GitAnswer>;

/** What nearly every look for changes ends with, so that it need not wait for the snapshot to be asked for. */
function usualComparison(request: ChangesRequest): readonly string[] | undefined {
  const { git, base, commit, upTo, uncommitted, heldSince = base.commit } = request;
  const isUsual = commit === undefined && upTo === undefined && uncommitted !== true;
  if (!isUsual || heldSince === undefined) return undefined;
  return ['diff-index', ...listing(request), ...whereToLook(git), '--merge-base', heldSince, '--'];
}

async function compare(request: ChangesRequest, snapshot: Snapshot): Promise<Comparison> {
  if (snapshot.compared !== undefined) return { answer: snapshot.compared };
  const { index, tree } = snapshot;
  const { git, base, env, signal, commit, upTo } = request;
  const ask: Ask = (command, ...args) =>
    runGit({ cwd: git.root, env, index, signal, args: [command, ...listing(request), ...args, '--'] });
  const empty = emptyTree(tree.length);
  if (commit !== undefined) return ofCommit(ask, commit);
  if (upTo !== undefined && request.uncommitted !== true) return upToCommit(ask, base, upTo, empty);
  const head = readHeadCommit(git, askGit);
  const fromIndex: Ask = (...args) => ask('diff-index', ...whereToLook(git), ...args);
  if (head === undefined) return { answer: await fromIndex(empty) };
  if (request.uncommitted === true) return { answer: await fromIndex(head) };
  if (base.commit === undefined && request.heldSince === undefined) return { answer: await fromIndex(empty) };
  const mergeBase = (other: string): Promise<GitAnswer> =>
    runGit({ cwd: git.root, env, signal, args: ['merge-base', other, head] });
  return sinceBase(fromIndex, mergeBase, request);
}

function listing({ stats }: ChangesRequest): readonly string[] {
  return listingOptions(stats === true);
}

/** The index has all there is to know but what is going on inside of submodules. */
function whereToLook({ root }: GitHead): readonly string[] {
  return existsSync(`${root}/.gitmodules`) ? [] : ['--cached'];
}

async function ofCommit(ask: Ask, commit: string): Promise<Comparison> {
  const failure = say.noSuchCommit(commit);
  if (commit.startsWith('-')) return { answer: { code: -1, printed: '', said: '' }, failure };
  const answer = await ask('diff-tree', `${commit}^1`, commit);
  // The first commit has none before it, nor has the first of a shallow clone.
  if (answer.code === 0) return { answer };
  return { answer: await ask('diff-tree', '--root', '--no-commit-id', commit), failure };
}

async function upToCommit(ask: Ask, base: Base, upTo: string, empty: string): Promise<Comparison> {
  if (upTo.startsWith('-')) return ofCommit(ask, upTo);
  if (base.commit === undefined) return { answer: await ask('diff-tree', empty, upTo) };
  const answer = await ask('diff-tree', '--merge-base', base.commit, upTo);
  if (answer.code === 0) return { answer };
  return { ...(await ofCommit(ask, upTo)), warning: say.noBaseOfCommit(base.ref) };
}

async function sinceBase(
  fromIndex: Ask,
  mergeBase: (commit: string) => Promise<GitAnswer>,
  { base, heldSince }: ChangesRequest,
): Promise<Comparison> {
  let answer: GitAnswer = { code: -1, printed: '', said: '' };
  for (const start of [heldSince, base.commit]) {
    if (start === undefined) continue;
    answer = await fromIndex('--merge-base', start);
    if (answer.code === 0) return { answer };
    // Several commits in common, none at all, or a git that does not know the option.
    const common = (await mergeBase(start)).printed.split('\n', 1)[0] ?? '';
    answer = await fromIndex(common === '' ? start : common);
    if (answer.code === 0)
      return common === '' ? { answer, warning: say.noCommonCommit(base.ref) } : { answer };
  }
  return { answer };
}

function counts({ git, leaveOut }: ChangesRequest): (file: string) => boolean {
  const left = leaveOut.map((path) => wayBelow(git.root, path));
  return (file) => !left.some((path) => path !== undefined && (file === path || file.startsWith(`${path}/`)));
}
