import {
  type Effects,
  type GitEffect,
  optionsOf,
  type RefWrite,
  type UnknownEffect,
} from '../../core/command-effects';
import type { GitHead } from '../../core/git-head';
import { globMatches } from '../../core/glob';

/** The repository that a workflow belongs to, and its protected branches. */
export type Guarded = {
  /** The git directory that all its work trees share. */
  readonly repository: string;
  /** The branch at the beginning of the line; absent where HEAD names none. */
  readonly current?: string;
  /** Names, or patterns with `*`. */
  readonly branches: readonly string[];
  /** Whether the default branch of the remote is protected, so that nobody may redefine it. */
  readonly watchesDefault: boolean;
};

/**
 * A command that writes a protected branch, or of which that cannot be told. `branch` is empty where the
 * branch is what cannot be told.
 */
export type BranchWrite = {
  readonly certainty: 'writes' | 'unknown';
  readonly what: string;
  readonly branch: string;
};

const DEFAULT_MARK = '@default';
const DEFAULT_REF = 'refs/remotes/origin/HEAD';

/** `undefined` where there is no repository, so that no branch can be written. */
export function guardedRepository(
  { git, defaultBranch }: { readonly git: GitHead | undefined; readonly defaultBranch?: string | undefined },
  patterns: readonly string[],
): Guarded | undefined {
  if (git === undefined) return undefined;
  const known = defaultBranch === undefined ? [] : [defaultBranch];
  return {
    repository: git.commonDir,
    ...('branch' in git.position && { current: git.position.branch }),
    branches: patterns.flatMap((pattern) => (pattern === DEFAULT_MARK ? known : [pattern])),
    watchesDefault: patterns.includes(DEFAULT_MARK),
  };
}

/** Whether the current branch is a protected one. */
export function onProtected(guarded: Guarded): boolean {
  return guarded.current !== undefined && isProtected(guarded.current, guarded);
}

/** The first write to a protected branch that a line brings; else the first thing that may be one. */
export function branchWrite(effects: Effects, guarded: Guarded): BranchWrite | undefined {
  const found = [
    ...effects.git.flatMap((effect) => writesOf(effect, guarded)),
    ...effects.forge.flatMap(({ program, operation }) => mergesAtForge(program, operation)),
    ...effects.unknown.flatMap((unknown) => unfollowedWrite(unknown, guarded)),
  ];
  return found.find(({ certainty }) => certainty === 'writes') ?? found[0];
}

function isProtected(name: string, { branches, watchesDefault }: Guarded): boolean {
  const bare = name.replace(/^(?:refs\/)?heads\//, '');
  return branches.some((pattern) => globMatches(pattern, bare)) || (watchesDefault && name === DEFAULT_REF);
}

function writesOf(effect: GitEffect, guarded: Guarded): readonly BranchWrite[] {
  const places = optionsOf(effect.repository);
  const isElsewhere = places.every((place) => place !== undefined && place !== guarded.repository);
  if (effect.dryRun || isElsewhere) return [];
  const isHere = places.length === 1 && places[0] === guarded.repository;
  return effect.refsWritten.flatMap((write) => refWrite(write, effect, isHere, guarded));
}

/**
 * Following a remote brings nothing new to it, and a push that names nothing pushes the current branch. An alias,
 * whatever it stands for, works on the current branch too.
 */
function refWrite(
  write: RefWrite,
  effect: GitEffect,
  isHere: boolean,
  guarded: Guarded,
): readonly BranchWrite[] {
  if (write.follows === true || write.implied === true) return [];
  const isUnknown = effect.operation === 'unknown';
  const names = optionsOf(isUnknown ? effect.branch : write.ref);
  const may = names.filter((name) => name === undefined || isProtected(name, guarded));
  if (may.length === 0) return [];
  const isSure = isHere && names.length === 1 && names[0] !== undefined && !isUnknown;
  const branch = may.find((one) => one !== undefined) ?? '';
  return [{ certainty: isSure ? 'writes' : 'unknown', what: `git ${effect.operation}`, branch }];
}

/** Which branch a request is merged into is known only at the forge; mostly it is the protected one. */
const FORGE_WRITES =
  /^(?:(?:pr|mr) (?:merge|accept)|repo sync|api \S+ .*(?:\/merges?\b|\/git\/refs|\/contents\/|\/branches\/|graphql))/;

function mergesAtForge(program: string, operation: string): readonly BranchWrite[] {
  const name = operation.startsWith('api ') ? 'api' : operation;
  return FORGE_WRITES.test(operation)
    ? [{ certainty: 'unknown', what: `${program} ${name}`, branch: '' }]
    : [];
}

const MOST_CHARACTERS = 60;
const WRITING = /\b(?:commit|merge|rebase|cherry-pick|revert|am|reset|push|pull|update-ref)\b/;
/** The same as a word of its own, as in `$GIT push`. */
const WRITING_WORD = /\s(?:commit|merge|rebase|cherry-pick|revert|am|reset|push|pull|update-ref)(?:\s|$)/;
const GIT_WRITES =
  /\bgit\b[^\n]{0,80}\b(?:commit|merge|rebase|cherry-pick|revert|am|reset|push|update-ref)\b/;
const INLINE = /\s(?:-[A-Za-z]*[ceEr]|--eval|--print)\s|\n/;
/** Commands that run a text which is not in the line. */
const RUNS_TEXT = /^(?:\S*\/)?(?:eval|bash|sh|dash|zsh|ksh|ash)\b/;

/**
 * What nobody can read may commit to the current branch; where that is protected, a person decides. On any
 * other branch it would have to name the protected one, or to push.
 */
function unfollowedWrite({ kind, text }: UnknownEffect, guarded: Guarded): readonly BranchWrite[] {
  if (kind === 'program') return [];
  // Quotes and backslashes inside of a word change nothing for a shell.
  const bare = text.replace(/["'\\]/g, '');
  const writesGit = GIT_WRITES.test(bare) && (kind === 'code' || INLINE.test(text));
  // As in `$GIT commit` and `g${X}it commit`: the program is not known, but what it is told is.
  const isUnnamed = kind === 'code' && /^\S*[$`*?[{]/.test(text) && WRITING.test(text);
  if (!writesGit && !isUnnamed && !(kind === 'code' && RUNS_TEXT.test(text))) return [];
  const names = writesGit || (isUnnamed && WRITING_WORD.test(bare));
  const words = bare.split(/[^\w./-]+/);
  const reaches = /\bpush\b/.test(bare) || guarded.branches.some((branch) => words.includes(branch));
  if (!onProtected(guarded) && !(names && reaches)) return [];
  const line = text.split('\n', 1)[0] ?? '';
  const what = line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
  return [{ certainty: 'unknown', what, branch: '' }];
}
