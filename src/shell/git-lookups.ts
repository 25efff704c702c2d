import { bareBranch, type RefWrite } from '../core/command-effects';
import { knownWord, limited, type PossibleValues, type Word } from './words';

/*
 * Looks up the operands of git commands in the repository: whether a name is a branch or a file, and which
 * branch a push writes.
 */

/** Lookups in the repository that a command runs in. */
export interface GitLookups {
  /** The branch that the command runs on. */
  branch(): PossibleValues;
  /** The branch before that one, which `-` refers to. */
  previous(): PossibleValues;
  /** The commit of a ref, by its full name; `null` if there is no such ref, `undefined` if unknown. */
  commitOf(ref: string): string | null | undefined;
  readonly canAsk: boolean;
  /** Runs git there; `undefined` if it fails or may not be run. */
  ask(...args: string[]): string | undefined;
  /** The last value of a setting; `null` if it is not set, `undefined` if unknown. */
  setting(name: string): string | null | undefined;
}

/** Used as the branch name if HEAD is detached. */
export const NO_BRANCH = 'HEAD';
export const UNKNOWN_REF: PossibleValues = [undefined];

/**
 * The ref name in a word. A name whose prefix is known, such as `feature/$NAME`, is kept as written: that is
 * enough to tell which names it cannot be.
 */
export function refNameIn(word: Word | undefined): string | undefined {
  if (word === undefined || word.value !== undefined) return word?.value;
  const text = word.text.replace(/["']/g, '');
  return /^[^$`*?[{(<]/.test(text) ? text : undefined;
}

/** How git reads an operand of `git checkout`: a branch, else a commit, else a remote branch, else a path. */
export function operandKind(name: string, lookups: GitLookups): 'branch' | 'commit' | 'path' | undefined {
  const own = branchCommit(name, lookups);
  if (typeof own === 'string') return 'branch';
  if (!lookups.canAsk) return undefined;
  if (lookups.ask('rev-parse', '--verify', '--quiet', `${name}^{commit}`) !== undefined) return 'commit';
  if (lookups.ask('for-each-ref', '--format=x', `refs/remotes/*/${name}`)) return 'branch';
  return own === null || lookups.ask('ls-files', '--error-unmatch', '--', name) !== undefined
    ? 'path'
    : undefined;
}

export function branchCommit(name: string, lookups: GitLookups): string | null | undefined {
  return lookups.commitOf(`refs/heads/${bareBranch(name)}`);
}

/** Whether a merge is a fast-forward that moves the branch; `undefined` if unknown. */
export function movesForward(source: Word | undefined, lookups: GitLookups): boolean | undefined {
  const [branch, ...others] = lookups.branch();
  const own = branch === undefined || others.length > 0 ? undefined : branchCommit(branch, lookups);
  const theirs = source?.value === undefined ? '@{upstream}' : source.value;
  if (own === undefined || own === null || (source !== undefined && source.value === undefined))
    return undefined;
  const base = lookups.ask('merge-base', own, theirs);
  if (base === undefined) return undefined;
  return base === own && lookups.ask('rev-parse', '--verify', '--quiet', `${theirs}^{commit}`) !== own;
}

/** The settings of a branch that tracks a remote branch, such as `origin/main`. */
export function trackingSettings(
  name: string | undefined,
  upstream: string | undefined,
): Readonly<Record<string, string>> | undefined {
  const [, remote, branch] = /^(?:refs\/remotes\/)?([^/]+)\/(.+)$/.exec(upstream ?? '') ?? [];
  if (name === undefined || remote === undefined) return undefined;
  return { [`branch.${name}.remote`]: remote, [`branch.${name}.merge`]: `refs/heads/${branch}` };
}

/** A setting's name as git compares it: only the part between the first and last dot is case-sensitive. */
export function settingName(name: string): string {
  return name.replace(/^[^.]*|[^.]*$/g, (part) => part.toLowerCase());
}

/** What `git push` without a refspec writes, by the settings; nothing if git would refuse the push. */
export function impliedRefs(
  named: string | undefined,
  isForced: boolean,
  lookups: GitLookups,
): readonly RefWrite[] {
  if (lookups.setting('push.default') === undefined)
    return [{ remote: [named], ref: UNKNOWN_REF, implied: true }];
  return lookups.branch().flatMap((branch) => {
    if (branch === undefined) return [{ remote: UNKNOWN_REF, ref: UNKNOWN_REF }];
    const found = pushFrom(branch, named, lookups);
    if (found === undefined) return [];
    const { remote, target } = found;
    const ref = remoteRef(knownWord(target), () => [branch]);
    const own = branchCommit(branch, lookups);
    const name = ref.length === 1 ? ref[0] : undefined;
    const isThere = typeof own === 'string' && lookups.commitOf(`refs/remotes/${remote}/${name}`) === own;
    const all = matchesManyBranches(target) && { all: true as const };
    return isThere && !isForced ? [] : [{ remote: [remote], ref, ...all }];
  });
}

/** The remote that a branch is pushed to, and what is written there; `undefined` if git would refuse. */
function pushFrom(branch: string, named: string | undefined, lookups: GitLookups) {
  const of = (key: string) => lookups.setting(`branch.${branch}.${key}`) ?? undefined;
  const pullsFrom = of('remote') ?? 'origin';
  const remote = named ?? of('pushremote') ?? lookups.setting('remote.pushdefault') ?? pullsFrom;
  const isKnown = named !== undefined || remote === of('remote') || lookups.setting(`remote.${remote}.url`);
  if (!isKnown) return undefined;
  const isMirror = lookups.setting(`remote.${remote}.mirror`) === 'true';
  const spec = isMirror ? '*' : lookups.setting(`remote.${remote}.push`);
  const target = spec ?? pushedTo(branch, of('merge'), remote === pullsFrom, lookups);
  return target === undefined ? undefined : { remote, target };
}

/** The remote branch that `push.default` selects; `undefined` if git would refuse the push. */
function pushedTo(
  branch: string,
  upstream: string | undefined,
  isPullSource: boolean,
  lookups: GitLookups,
): string | undefined {
  if (branch === NO_BRANCH) return undefined;
  switch (lookups.setting('push.default')) {
    case 'nothing':
      return undefined;
    case 'matching':
      return '*';
    case 'current':
      return branch;
    case 'upstream':
    case 'tracking':
      return isPullSource ? upstream : undefined;
    default: {
      if (!isPullSource || (upstream === undefined && lookups.setting('push.autosetupremote') === 'true'))
        return branch;
      return upstream === `refs/heads/${branch}` ? branch : undefined;
    }
  }
}

/** Whether a push to this remote moves a branch of it here; not if it is an address, unknown or not configured. */
export function leavesTrace(remote: string | undefined, { setting }: GitLookups): boolean {
  const fetched = remote === undefined ? null : setting(`remote.${remote}.fetch`);
  return fetched === undefined ? !/[/:]|^\.+$/.test(remote ?? '') : fetched !== null;
}

/** Whether a refspec is for every branch, or for those that a pattern matches. */
export function matchesManyBranches(spec: string): boolean {
  return /^\+?:$|^[^$`]*\*/.test(spec) && !spec.includes('refs/tags/');
}

export function remoteRef(spec: Word, current: () => PossibleValues): PossibleValues {
  // In `$COMMIT:main` only the target matters, and that is known.
  const behind = /:([\w./-]+)["']?$/.exec(spec.text)?.[1];
  const target = (refNameIn(spec) ?? behind)?.replace(/^\+/, '').replace(/^[^:]*:/, '');
  if (target === undefined) return UNKNOWN_REF;
  if (target.startsWith('refs/tags/')) return [target];
  if (target === '' || target.includes('*') || target.startsWith('$')) return UNKNOWN_REF;
  return limited(target === 'HEAD' || target === '@' ? current() : [bareBranch(target)]);
}
