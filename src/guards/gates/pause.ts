import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { attempt, readText } from '../../core/failure';
import type { Context } from '../../core/guard';
import { DIRECTORY as RECORDINGS } from '../../core/recording/format';
import { isIgnoredBy, ownJson } from '../../core/text';
import type { GitHead } from '../../git/head';
import { worktreesOf } from '../../git/refs';
import type { GatesConfig, StopHookConfig } from './config';
import { isPass } from './report';
import { candidatesFor } from './run/candidates';
import { LOCK_NAME, STATE_NAME } from './run/logs';
import { gatesDigest, originOf, type RunRecord, runRecordFrom } from './run/run-record';
import { ALL, type ExecutionState, parseExecutionState } from './run/state';
import { GATE_RECORDS, runRecordName, type SessionBaseline } from './session-baseline';

/** Far larger than any state file. */
const LARGEST_STATE = 1024 * 1024;

/** The rest of the interval after a pass, in which the gates do not run. */
export interface Pause {
  readonly leftMs: number;
  /** Known without starting anything: no run is in progress, the last one passed, nothing changed since. */
  readonly certain: boolean;
  /** The tree that passed: the pause ends when files change. Absent if agent-gauntlet ran the gates. */
  readonly restsOn?: string;
}

/** No pause after a run that did not pass or ran only some gates, nor on another branch. */
export function pauseIn(
  config: GatesConfig,
  { intervalMinutes }: StopHookConfig,
  session: SessionBaseline | undefined,
  ctx: Context,
): Pause | undefined {
  const fact = ctx.file({ path: `${config.logDir}/${STATE_NAME}`, maxTextBytes: LARGEST_STATE });
  if (fact.kind !== 'file') return undefined;
  const kept = ctx.document(
    ownJson(`${GATE_RECORDS}/${runRecordName(resolve(ctx.projectRoot, config.logDir))}`),
  );
  const record = runRecordFrom(kept.kind === 'present' ? kept.value : undefined);
  const origin = originOf(fact.text === record.state, fact.ctimeMs, session?.at);
  const state = origin === 'foreign' ? undefined : parseExecutionState(fact.text ?? '');
  if (state?.last_run_completed_at === undefined || !mayPause(state, ctx.git)) return undefined;
  const elapsed = ctx.now - Date.parse(state.last_run_completed_at);
  const leftMs = intervalMinutes * 60_000 - elapsed;
  if (elapsed < 0 || leftMs <= 0) return undefined;
  const isLocked = ctx.file({ path: `${config.logDir}/${LOCK_NAME}` }).kind !== 'missing';
  const isOver = !isLocked && state.last_status !== undefined;
  // agent-gauntlet does not record which files it checked, so any change since the session began ends the pause.
  if (origin === 'old') {
    const isTouched = !ctx.gauntletCompat && session !== undefined && !isUntouched(config, session.at, ctx);
    return isTouched ? undefined : { leftMs, certain: isOver };
  }
  const restsOn = treeOf(state, record, config, session);
  if (restsOn === undefined) return undefined;
  return { leftMs, certain: isOver && isQuiet(session, config, record, ctx), restsOn };
}

/** agent-gauntlet records no status; only the logs it left show how its run ended. */
function mayPause(state: ExecutionState, git: GitHead | undefined): boolean {
  const { last_status: status, branch, selection = ALL } = state;
  const position = git?.position;
  const current = position !== undefined && 'branch' in position ? position.branch : 'HEAD';
  if (branch !== undefined && branch !== current) return false;
  return selection === ALL && (status === undefined || isPass(status));
}

/** The tree that passed; `undefined` if it passed other gates, or changes were counted from another base. */
function treeOf(
  { working_tree_ref: tree, base_commit: base }: ExecutionState,
  { gates }: RunRecord,
  config: GatesConfig,
  session: SessionBaseline | undefined,
): string | undefined {
  const isSame = gates === gatesDigest(config) && (session === undefined || session.base === base);
  return isSame ? tree : undefined;
}

/** Whether certainly nothing has happened since the last run, judged by reading files only. */
function isQuiet(
  session: SessionBaseline | undefined,
  config: GatesConfig,
  { seenAt }: RunRecord,
  ctx: Context,
): boolean {
  const { git } = ctx;
  if (git === undefined || (session !== undefined && !hasNoWorkElsewhere(session, git))) return false;
  return isUntouched(config, seenAt, ctx);
}

function isUntouched({ logDir }: GatesConfig, since: number, { projectRoot }: Context): boolean {
  // Recordings grow with every event.
  const leftOut = [logDir, RECORDINGS].map((path) => resolve(projectRoot, path));
  return untouchedSince(projectRoot, leftOut, since);
}

function hasNoWorkElsewhere(session: SessionBaseline, git: GitHead): boolean {
  return (
    session.root === git.root &&
    session.weaker.length === 0 &&
    worktreesOf(git).every((name) => session.worktrees.includes(name)) &&
    candidatesFor(session, git).length === 0
  );
}

/** With more entries than this, git is asked instead: it is faster with many files. */
const MOST_ENTRIES = 1000;

/**
 * Whether certainly nothing below `root` has changed, judged by ctime, which only the kernel sets. Needs no
 * subprocess; false if there are too many entries to look at.
 */
function untouchedSince(root: string, leaveOut: readonly string[], since: number): boolean {
  let left = MOST_ENTRIES;
  const ignored = readText(`${root}/.gitignore`) ?? '';
  // Few projects have packages under git, and there they count.
  const isSkipped = (path: string, name: string): boolean =>
    leaveOut.includes(path) ||
    name === '.git' ||
    (name === 'node_modules' && isIgnoredBy(ignored, path.slice(root.length + 1)));
  const isOld = (path: string): boolean => lstatSync(path).ctimeMs < since;
  // A linked file must be old too; a linked directory must be inside the root, where it is checked anyway.
  const isOldBehind = (link: string): boolean => {
    const stats = statSync(link);
    return stats.isDirectory() ? realpathSync(link).startsWith(`${root}/`) : stats.ctimeMs < since;
  };
  const isQuiet = (dir: string): boolean => {
    if (!isOld(dir)) return false;
    const entries = readdirSync(dir, { withFileTypes: true });
    left -= entries.length;
    return (
      left >= 0 &&
      entries.every((entry: Dirent) => {
        const path = `${dir}/${entry.name}`;
        if (isSkipped(path, entry.name)) return true;
        if (entry.isDirectory()) return isQuiet(path);
        return isOld(path) && (!entry.isSymbolicLink() || isOldBehind(path));
      })
    );
  };
  return attempt(() => isQuiet(root)) ?? false;
}
