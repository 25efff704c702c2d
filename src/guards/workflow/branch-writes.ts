import { type Effects, type GitEffect, optionsOf, type RefWrite } from '../../core/command-effects';
import { globMatches } from '../../core/glob';
import type { Snapshot } from '../../core/snapshot';
import { unfollowedWrite } from './unfollowed-writes';

/** The repository that a workflow belongs to, and the branches of it that nobody may write. */
export type Guarded = {
  /** The git directory that all its work trees share. */
  readonly repository: string;
  /** The branch at the beginning of the line; absent where HEAD names none. */
  readonly current?: string;
  /** Names, or patterns with `*`. */
  readonly branches: readonly string[];
  /** Whether the remote's own idea of its default branch is relied upon. */
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
  { git, defaultBranch }: { readonly git: Snapshot['git']; readonly defaultBranch?: string | undefined },
  patterns: readonly string[],
): Guarded | undefined {
  if (git === undefined) return undefined;
  const { position } = git;
  const current = 'branch' in position ? position.branch : undefined;
  const known = defaultBranch === undefined ? [] : [defaultBranch];
  return {
    repository: git.commonDir,
    ...(current !== undefined && { current }),
    branches: patterns.flatMap((pattern) => (pattern === DEFAULT_MARK ? known : [pattern])),
    watchesDefault: patterns.includes(DEFAULT_MARK),
  };
}

export function onProtected(guarded: Guarded): boolean {
  return guarded.current !== undefined && isProtected(guarded.current, guarded);
}

/** The first write to a protected branch that a line brings; else the first thing that may be one. */
export function branchWrite(effects: Effects, guarded: Guarded): BranchWrite | undefined {
  const found = [
    ...effects.git.flatMap((effect) => writesOf(effect, guarded)),
    ...effects.forge.flatMap(({ program, operation }) => mergesAtForge(program, operation)),
    ...effects.unknown.flatMap((unknown) => unfollowedWrite(unknown, guarded.branches, onProtected(guarded))),
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
  return effect.refsWritten.flatMap((write) => judged(write, effect, isHere, guarded));
}

/**
 * What a remote has already been given is no news to it, and a push that names nothing pushes the branch one
 * is on. An alias, whatever it stands for, works on that branch too.
 */
function judged(
  write: RefWrite,
  effect: GitEffect,
  isHere: boolean,
  guarded: Guarded,
): readonly BranchWrite[] {
  if (write.follows === true || write.implied === true) return [];
  const names = effect.operation === 'unknown' ? optionsOf(effect.branch) : optionsOf(write.ref);
  const may = names.filter((name) => name === undefined || isProtected(name, guarded));
  if (may.length === 0) return [];
  const [name] = names;
  const isSure = isHere && names.length === 1 && name !== undefined && effect.operation !== 'unknown';
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
