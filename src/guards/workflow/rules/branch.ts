import { numberAt, objectAt } from '../../../config/pointer';
import { bareBranch, type Effects, type GitEffect, type UnknownEffect } from '../../../core/command-effects';
import { globMatches } from '../../../core/text';
import type { GitHead } from '../../../git/head';
import { commandEffects, type Facts, holdFinding, holdHeading, type Rule } from '../facts';

/** While a workflow has its own branch, commits to protected branches are held. */
export const branchGuard: Rule = (facts) => {
  const branch = facts.workflow?.branch;
  const found = branch?.status === 'active' ? protectedWrite(facts) : undefined;
  if (branch === undefined || found === undefined) return undefined;
  const { what, branch: written, certainty, current } = found;
  const expected = branch.name ?? 'the branch of the workflow';
  const { clear, next } = wayOn(branch.name, what, current, facts);
  if (certainty === 'unknown') {
    const command = what === 'git unknown' ? 'this git command' : `\`${what}\``;
    const target = written === '' ? 'a protected branch' : `the protected branch '${written}'`;
    const text = `${command} may write to ${target} while a workflow is active.\nExpected branch: ${expected}`;
    return { weight: 'ask', text, fact: `${what} may write ${written || 'a protected branch'}`, clear };
  }
  return holdFinding(
    `${what} writes ${written}`,
    clear,
    `${holdHeading(facts, 'branch-guard', 'COMMIT TO MAIN BLOCKED')} \`${what}\` would write to '${written}', which is protected while a workflow is active.`,
    `Current branch: ${current}`,
    `Expected branch: ${expected}`,
    `Next: ${next}.`,
  );
};

/** Git's own commands, or one such as `npm version`. */
const ADDS_COMMIT = /^git (?:commit|cherry-pick|revert|am)$|^(?!git )/;

/** What to do instead, on the workflow's branch, which may have been renamed. */
function wayOn(name: string | undefined, what: string, current: string, { ctx }: Facts) {
  const later = 'you can merge it when the workflow is finished';
  if (current === name) {
    const stay = `stay on '${name}'; ${later}`;
    return { clear: stay, next: stay };
  }
  const { heads } = ctx.refs() ?? {};
  const isGone = name !== undefined && heads !== undefined && heads[name] === undefined;
  const clear = `git switch ${isGone ? '-c ' : ''}${name ?? 'BRANCH'}`;
  const renamed = isGone ? `, or \`git branch -m NEW ${name}\` if it was renamed,` : '';
  // What only adds a commit belongs there. To merge, reset or delete there would be something else.
  const there = ADDS_COMMIT.test(what) ? 'do it there' : `work there; ${later}`;
  return { clear, next: `run \`${clear}\`${renamed} and ${there}` };
}

/** The write to a protected branch that a command will make, or may make. */
export function protectedWrite(facts: Facts) {
  const { event, ctx, model } = facts;
  const effects = event.kind === 'tool.before' && ctx.git ? commandEffects(facts) : undefined;
  if (effects === undefined) return undefined;
  const known = { git: ctx.git, defaultBranch: ctx.defaultBranch() };
  const guarded = guardedRepository(known, model.protectedBranches);
  const write = guarded && branchWrite(effects, guarded);
  return write && { ...write, current: guarded.current ?? 'none' };
}

/** Reminds a team that has code review off to review a commit. */
export const reviewReminder: Rule = (facts) => {
  const { event, state } = facts;
  const review = objectAt(state, ['code_review']);
  const isNeeded = review?.['enabled'] !== true && (numberAt(review, 'team_size') ?? 1) > 1;
  if (event.kind !== 'tool.after' || event.outcome === 'failure' || !isNeeded) return undefined;
  const { git = [] } = commandEffects(facts) ?? {};
  if (!git.some(({ operation, dryRun }) => operation === 'commit' && !dryRun)) return undefined;
  const text =
    'This team has more than one member, and code review is off. Have the commit reviewed before you merge it.';
  return { weight: 'warn', text, fact: 'a commit was made and code review is off' };
};

type Guarded = NonNullable<ReturnType<typeof guardedRepository>>;

/** A command that writes a protected branch, or may do so; `branch` is empty if it is unknown. */
type BranchWrite = { certainty: 'writes' | 'unknown'; what: string; branch: string };

const DEFAULT_MARK = '@default';
const DEFAULT_REF = 'refs/remotes/origin/HEAD';

/** The repository that a workflow belongs to, and its protected branches: names, or patterns with `*`. */
export function guardedRepository(
  { git, defaultBranch }: { readonly git: GitHead | undefined; readonly defaultBranch?: string | undefined },
  patterns: readonly string[],
) {
  if (git === undefined) return undefined;
  return {
    /** The git directory that all its work trees share. */
    repository: git.commonDir,
    /** The branch at the start of the line; undefined if HEAD is detached. */
    current: 'branch' in git.position ? git.position.branch : undefined,
    branches: patterns.flatMap((pattern) => (pattern === DEFAULT_MARK ? (defaultBranch ?? []) : pattern)),
    /** Whether the default branch of the remote is protected, so that it may not be redefined. */
    watchesDefault: patterns.includes(DEFAULT_MARK),
  };
}

export function onProtected(guarded: Guarded): boolean {
  return guarded.current !== undefined && isProtected(guarded.current, guarded);
}

/** The first write to a protected branch in a line; else the first possible one. */
export function branchWrite(effects: Effects, guarded: Guarded): BranchWrite | undefined {
  const found = [
    ...effects.git.flatMap((effect) => writesOf(effect, guarded)),
    ...effects.forge.flatMap(({ program, operation }) => {
      const what = `${program} ${operation.startsWith('api ') ? 'api' : operation}`;
      return FORGE_WRITES.test(operation) ? [{ certainty: 'unknown' as const, what, branch: '' }] : [];
    }),
    ...effects.unknown.flatMap((unknown) => unfollowedWrite(unknown, guarded) ?? []),
  ];
  return found.find(({ certainty }) => certainty === 'writes') ?? found[0];
}

/** Only the forge knows which branch a pull request is merged into; mostly it is the protected one. */
const FORGE_WRITES =
  /^(?:(?:pr|mr) (?:merge|accept)|repo sync|api \S+ (?:(?!graphql )\S*(?:\/merges?\b|\/git\/refs|\/contents\/|\/branches\/)|graphql .*(?:[mM]erge\w*|Branch\w*|Refs?)\s*\())/s;

function isProtected(name: string, { branches, watchesDefault }: Guarded): boolean {
  const bare = bareBranch(name);
  return branches.some((pattern) => globMatches(pattern, bare)) || (watchesDefault && name === DEFAULT_REF);
}

/**
 * Ignores writes that only follow the remote. An alias is assumed to work on the current branch, and so is a push without
 * a refspec if the settings cannot be read. What happens if all goes well is held; what happens only if an earlier command
 * fails is asked about.
 */
function writesOf(effect: GitEffect, guarded: Guarded): readonly BranchWrite[] {
  if (effect.dryRun) return [];
  const what = effect.by ?? `git ${effect.operation}`;
  const isAlias = effect.operation === 'unknown';
  const isGuarded = (name: string | undefined) => name !== undefined && isProtected(name, guarded);
  const isOther = (place: string | undefined) => place !== undefined && place !== guarded.repository;
  const usual = effect.likely ?? effect;
  // Then an unknown branch is one of the repository elsewhere, or the one here, which is not protected. A push names any.
  const goesElsewhere =
    effect.operation !== 'push' && !onProtected(guarded) && usual.repository.every(isOther);
  const found = ({ repository, refsWritten }: Pick<GitEffect, 'repository' | 'refsWritten'>) => {
    const places = repository;
    const isHere = places.every((place) => place === guarded.repository);
    if (places.every(isOther)) return [];
    const writes = refsWritten.filter(({ follows }) => !follows);
    return writes.flatMap(({ maybe, ref, implied }): BranchWrite[] => {
      const names = isAlias || implied ? effect.branch : ref;
      const isSure = isHere && names.every(isGuarded) && !isAlias && !maybe && !effect.guessed;
      const may = names.filter((name) => (name === undefined ? !goesElsewhere : isGuarded(name)));
      const branch = may.find((name) => name !== undefined) ?? '';
      return may.length === 0 ? [] : [{ certainty: isSure ? 'writes' : 'unknown', what, branch }];
    });
  };
  const likely = found(usual).filter(({ certainty }) => certainty === 'writes');
  return likely.length > 0 ? likely : found(effect).map((write) => ({ ...write, certainty: 'unknown' }));
}

const MOST_CHARACTERS = 60;
const WRITING = /\b(?:commit|merge|rebase|cherry-pick|revert|am|reset|push|pull|update-ref)\b/;
/** The same as a separate word, as in `$GIT push`. */
const WRITING_WORD = /\s(?:commit|merge|rebase|cherry-pick|revert|am|reset|push|pull|update-ref)(?:\s|$)/;
const GIT_WRITES =
  /\bgit\b[^\n]{0,80}\b(?:commit|merge|rebase|cherry-pick|revert|am|reset|push|update-ref)\b/;
/** Commands that run code which is not in the line. */
const RUNS_TEXT = /^(?:\S*\/)?(?:eval|bash|sh|dash|zsh|ksh|ash)\b/;

/**
 * Code that cannot be followed may commit to the current branch; if that is protected, ask. On any other
 * branch it would have to name the protected one, or to push.
 */
function unfollowedWrite(
  { kind, text, code = text, starts }: UnknownEffect,
  guarded: Guarded,
): BranchWrite | undefined {
  if (kind === 'program') return undefined;
  // Quotes and backslashes inside a word mean nothing to a shell.
  const bare = text.replace(/["'\\]/g, '');
  const writesGit = GIT_WRITES.test(bare) && (kind === 'code' || starts === true);
  // As in `$GIT commit` and `g${X}it commit`: the program is unknown, but its arguments are not.
  const isUnnamed = kind === 'code' && /^\S*[$`*?[{]/.test(text) && WRITING.test(text);
  if (!writesGit && !isUnnamed && !(kind === 'code' && RUNS_TEXT.test(text))) return undefined;
  const names = writesGit || (isUnnamed && WRITING_WORD.test(bare));
  const words = code.replace(/["'\\]/g, '').split(/[^\w./-]+/);
  const reaches = /\bpush\b/.test(bare) || guarded.branches.some((branch) => words.includes(branch));
  if (!onProtected(guarded) && !(names && reaches)) return undefined;
  const line = text.split('\n', 1)[0] ?? '';
  const what = line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
  return { certainty: 'unknown', what, branch: '' };
}
