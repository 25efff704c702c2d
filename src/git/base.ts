import { fail, type Result, succeed } from '../core/failure';
import { commitIn, type GitHead, readHeadCommit, readRef, usesReftable } from './head';
import type { AskGit } from './run-git';

/** The commit that changes are compared with. */
export interface Base {
  /** The name that resolved; for the empty tree, its hash. */
  readonly ref: string;
  /** Absent if nothing resolved: then every file counts as changed. */
  readonly commit?: string;
  /** Set if this is not the base that was asked for. */
  readonly warning?: string;
}

export interface WantedBase {
  readonly configured: string;
  /** From the command line; if it does not resolve, nothing else is tried. */
  readonly option?: string;
  /** The target branch of a pull request, without the remote's name. */
  readonly ci?: string;
}

/** Finds the commit to compare with, reading git's files where possible instead of running git. */
export function resolveBase(git: GitHead, wanted: WantedBase, askGit: AskGit): Result<Base, string> {
  const { configured, option, ci } = wanted;
  if (option !== undefined) {
    const commit = lookUp(git, option, askGit);
    if (commit !== undefined) return succeed({ ref: option, commit });
    return fail(`No branch or commit ${JSON.stringify(option)} to compare with.`);
  }
  const asked = ci === undefined ? [configured] : [`origin/${ci}`, ci];
  const missing = `The base branch ${ci ?? configured} does not exist here`;
  for (const ref of new Set([...asked, configured, 'origin/HEAD', 'main', 'master'])) {
    const commit = lookUp(git, ref, askGit);
    if (commit === undefined) continue;
    if (asked.includes(ref)) return succeed({ ref, commit });
    return succeed({ ref, commit, warning: `${missing}; compared with ${ref} instead.` });
  }
  const warning = `${missing}, and no other was found; every file counts as changed.`;
  return succeed({ ref: emptyTree(40), warning });
}

/** The hash of the empty tree, which every git knows; it depends on the hash length. */
export function emptyTree(length: number): string {
  return length === 64
    ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
    : '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
}

/** Prefixes that complete a short name, in git's own order. */
const PLACES = ['', 'refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/'];
/** Names that only git itself can resolve. */
const EXPRESSION = /[~^:@{]|^[0-9a-f]{4,}$/;

function lookUp(git: GitHead, name: string, askGit: AskGit): string | undefined {
  // Git would take a name with a leading dash for an option.
  if (name === '' || name.startsWith('-')) return undefined;
  if (commitIn(name) === name) return name;
  if (name === 'HEAD') return readHeadCommit(git, askGit);
  if (!usesReftable(git.commonDir)) {
    for (const ref of [...PLACES.map((prefix) => prefix + name), `refs/remotes/${name}/HEAD`]) {
      const commit = readRef(git.commonDir, ref);
      if (commit !== undefined) return commit;
    }
    if (!EXPRESSION.test(name)) return undefined;
  }
  return askGit(git.root, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`])?.trim() || undefined;
}
