import type { GitEffect } from '../core/command-effects';
import { constantOf, knownWord, type SimpleCommand, textOf, type Word } from './command';
import { eachOf, type Target } from './file-targets';
import { harmless, PLANNERS } from './git-commands';
import { readGitCall } from './git-options';
import { type GitPlan, plan, refTo } from './git-plan';
import { resolveFrom } from './paths';
import { type Options, possibleOf } from './possible';
import type { Repositories } from './repositories';
import type { Step } from './scope';

export interface GitFindings {
  readonly effects: readonly GitEffect[];
  readonly files: { readonly targets: readonly Target[]; readonly cwd: Options };
  /** It runs commands that are not followed. */
  readonly code: boolean;
}

/** What a git command does; HEAD's moves are kept in `repositories` for the commands after it. */
export function gitEffectsOf(command: SimpleCommand, step: Step, repositories: Repositories): GitFindings {
  const call = readGitCall(command.args, command.assignments, step.cwd);
  const branch = repositories.branchAt(call.dir, step.worlds);
  const found = planOf(call.subcommand, call.args, branch);
  if (found === undefined) return { effects: [], files: { targets: [], cwd: call.dir }, code: false };
  const settings = found.settings ? repositories.settingsAt(call.dir) : [];
  const files = { targets: [...targetsOf(found), ...settings.map(settingsTarget)], cwd: call.dir };
  if (found.branchAfter !== undefined && !found.dryRun) {
    repositories.move(call.dir, step.id, found.branchAfter, step.worlds);
  }
  if (found.makes !== undefined) {
    const { path, branch: on } = found.makes;
    const of = found.operation === 'worktree' ? call.dir : undefined;
    repositories.make(resolveFrom(call.dir, constantOf(path)), on, of);
  }
  const effect: GitEffect = {
    operation: found.operation,
    dir: possibleOf(call.dir),
    repository: possibleOf(repositories.identityAt(call.dir)),
    branch: possibleOf(branch),
    refsWritten: found.refs,
    createsCommit: found.createsCommit,
    dryRun: found.dryRun,
    certain: command.certain,
  };
  return { effects: [effect], files, code: found.runsCode };
}

function planOf(subcommand: string | undefined, args: readonly Word[], branch: Options): GitPlan | undefined {
  if (subcommand === '') return undefined;
  if (subcommand === undefined) return ANYTHING;
  if (asksForHelp(args)) return undefined;
  const planner = PLANNERS.get(subcommand);
  if (planner !== undefined) return planner(args, branch);
  return harmless().has(subcommand) ? undefined : ANYTHING;
}

/** A subcommand that is not git's own may be an alias for whatever. */
const ANYTHING: GitPlan = plan('unknown', {
  refs: [refTo([undefined])],
  createsCommit: 'unknown',
  branchAfter: [undefined],
  files: 'some',
});

function asksForHelp(args: readonly Word[]): boolean {
  const [first] = args;
  return first !== undefined && (textOf(first) === '-h' || textOf(first) === '--help');
}

function settingsTarget(file: string | undefined): Target {
  return {
    how: 'git',
    candidates: [file === undefined ? { kind: 'unknown', text: '.git/config' } : knownWord(file)],
  };
}

function targetsOf(found: GitPlan): readonly Target[] {
  if (found.files !== 'some') return eachOf('git', found.files);
  return eachOf('git', [{ kind: 'unknown', text: '' }]);
}
