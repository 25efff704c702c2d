import { fail, type Result, succeed } from '../../core/failure';
import { branchLabel, type GitHead } from '../../core/git-head';
import { remoteDefault } from '../../git/head';
import { askGit, complaintOf, type GitAnswer, runGit } from '../../git/run-git';
import { guardedRepository, onProtected } from '../../guards/workflow/branch-writes';
import * as say from './start-messages';

type Environment = Readonly<Record<string, string | undefined>>;

/** A branch that was switched to, and how that is taken back. */
export interface Switched {
  readonly name: string;
  /** Where it was begun: a branch, or a commit. */
  readonly from: string;
  readonly isNew: boolean;
  undo(): Promise<void>;
}

const FILES_NAMED = 5;
/** How `git check-ref-format` says no; any other code is trouble of its own. */
const BAD_NAME = 1;
const IN_THE_WAY = /would be overwritten|would be removed|would lose untracked files/;

/** Why a workflow's work may not be done on a branch; nothing where it may. */
export async function branchTrouble(
  name: string,
  head: GitHead,
  protectedBranches: readonly string[],
  env: Environment,
): Promise<string | undefined> {
  const call = { cwd: head.root, env };
  const named = await runGit({ ...call, args: ['check-ref-format', `refs/heads/${name}`] });
  if (named.code === BAD_NAME || name.startsWith('-')) return say.badBranch(name);
  if (named.code !== 0) return say.noAnswer(complaintOf(named));
  const there: GitHead = { ...head, position: { kind: 'branch', branch: name } };
  const defaultBranch = remoteDefault(head, askGit);
  const guarded = guardedRepository(
    { git: there, ...(defaultBranch !== undefined && { defaultBranch }) },
    protectedBranches,
  );
  return guarded !== undefined && onProtected(guarded) ? say.protectedBranch(name) : undefined;
}

/** Switches to a branch, which is created where there is none. Local changes come along, or git refuses. */
export async function switchTo(
  name: string,
  head: GitHead,
  env: Environment,
): Promise<Result<Switched, string>> {
  const from = startOf(head);
  if (branchLabel(head) === name) return succeed({ name, from, isNew: false, undo: async () => undefined });
  const git = (...args: string[]): Promise<GitAnswer> => runGit({ cwd: head.root, env, args });
  const has = async (ref: string): Promise<boolean> =>
    (await git('rev-parse', '--verify', '--quiet', ref)).code === 0;
  const isKnown = (await has(`refs/heads/${name}`)) || (await has(`refs/remotes/origin/${name}`));
  const switched = await git('switch', ...(isKnown ? [] : ['-c']), name);
  if (switched.code !== 0) return fail(refusalOf(name, switched));
  const undo = async (): Promise<void> => {
    const wasDetached = head.position.kind === 'detached';
    // The one before, whichever that is: somebody else may have switched after we looked.
    const back = await git('switch', ...(wasDetached ? ['--detach'] : []), '-');
    if (back.code === 0 && !isKnown) await git('branch', '-d', name);
  };
  return succeed({ name, from, isNew: !isKnown, undo });
}

function startOf(head: GitHead): string {
  return head.position.kind === 'detached' ? head.position.commit : branchLabel(head);
}

function refusalOf(name: string, answer: GitAnswer): string {
  const complaint = complaintOf(answer);
  return IN_THE_WAY.test(complaint)
    ? say.filesInTheWay(name, complaint, filesIn(answer))
    : say.notSwitched(name, answer.said.trim() === '' ? complaint : answer.said);
}

/** The files that are in the way, which git lists one a line behind a tab. */
function filesIn({ said }: GitAnswer): string[] {
  const files = said.split('\n').filter((line) => line.startsWith('\t'));
  const named = files.slice(0, FILES_NAMED).map((line) => line.trim());
  return files.length > FILES_NAMED ? [...named, '…'] : named;
}
