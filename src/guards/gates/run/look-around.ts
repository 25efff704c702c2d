import type { Result } from '../../../core/failure';
import { fail, succeed } from '../../../core/failure';
import type { GitHead } from '../../../core/git-head';
import { resolveBase } from '../../../git/base';
import { hasBeenMerged } from '../../../git/changes';
import { findGit } from '../../../git/find-git';
import { readHead, readHeadCommit } from '../../../git/head';
import { askGit } from '../../../git/run-git';
import { ciOf } from '../detect/ci';
import type { ExecutionState } from '../execution-state';
import type { CleanReason, Where } from './auto-clean';
import { autoClean, contextChange } from './auto-clean';
import { NO_GIT } from './messages';
import type { RunRequest } from './request';
import type { Scene, Stage } from './scene';
import { warn } from './scene';
import { readState, removeLegacyRef } from './state-file';

/** Finds out where we are, and puts away what an earlier session left about something else. */
export async function lookAround(stage: Stage): Promise<Result<Scene, string>> {
  const { request, logDir } = stage;
  const standing = findStanding(request);
  if (!standing.ok) return standing;
  const { git, base, ground, branch } = standing.value;
  if (base.warning !== undefined) warn(stage, base.warning);
  const commit = readHeadCommit(git, askGit) ?? '';
  const state = await stateOfSession(stage, {
    branch,
    base: ground,
    hasBeenMerged: (one, before, after) => hasBeenMerged(git, one, before, after, request.env),
  });
  removeLegacyRef(logDir);
  return succeed({ git, branch, commit, base, ground, ...(state !== undefined && { state }) });
}

/** Where we are, and what our changes are counted from. */
export function findStanding({
  root,
  config,
  env,
  select,
}: Pick<RunRequest, 'root' | 'config' | 'env' | 'select'>): Result<
  Pick<Scene, 'git' | 'base' | 'ground' | 'branch'>,
  string
> {
  const place = findGit(root);
  if (place === undefined) return fail(NO_GIT);
  const git = readHead(place, askGit);
  if (git.position.kind === 'unreadable') return fail(`${git.position.file}: ${git.position.why}`);
  const { baseRef } = ciOf(env);
  const usual = { configured: config.baseBranch, ...(baseRef !== undefined && { ci: baseRef }) };
  const ground = resolveBase(git, usual, askGit);
  const { base: option } = select;
  const base = option === undefined ? ground : resolveBase(git, { ...usual, option }, askGit);
  if (!ground.ok) return ground;
  if (!base.ok) return base;
  return succeed({ git, base: base.value, ground: ground.value, branch: branchOf(git) });
}

async function stateOfSession(stage: Stage, where: Where): Promise<ExecutionState | undefined> {
  const state = readState(stage.logDir);
  if (state === undefined) return undefined;
  const reason = await contextChange(state, where);
  if (reason === undefined) return state;
  cleanUp(stage, reason);
  return reason.kind === 'session over' ? state : undefined;
}

/** Puts a session away, and says so where anything was done. */
export function cleanUp({ logDir, console, debug }: Stage, reason: CleanReason): void {
  const said = autoClean(logDir, reason);
  if (said === undefined) return;
  console.say({ kind: 'note', text: said });
  debug(`CLEAN type=auto reason=${reason.kind}`);
}

function branchOf({ position }: GitHead): string {
  return position.kind === 'branch' || position.kind === 'rebase' ? position.branch : 'HEAD';
}
