import { fail, type Result, succeed } from '../core/failure';
import type { GitHead } from '../core/git-head';
import { type AskGit, readHeadCommit } from './head';
import * as say from './messages';
import { commitIn, readRef, usesReftable } from './refs';

/** What changes are counted from. */
export interface Base {
  /** As it was asked for; of the empty tree, its name. */
  readonly ref: string;
  /** Absent where there is nothing to compare with: then every file has changed. */
  readonly commit?: string;
  /** Set where it is not what was asked for. */
  readonly warning?: string;
}

export interface WantedBase {
  readonly configured: string;
  /** From the command line: this or none. */
  readonly option?: string;
  /** The branch a pull request wants to go to, without its remote. */
  readonly ci?: string;
}

/** Where a name may stand, in git's own order. */
const PLACES = ['', 'refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/'];
/** What only git can take apart. */
const EXPRESSION = /[~^:@{]|^[0-9a-f]{4,}$/;

/** Finds the commit to compare with, by reading files wherever these can tell. */
export function resolveBase(git: GitHead, wanted: WantedBase, askGit: AskGit): Result<Base, string> {
  const { configured, option, ci } = wanted;
  if (option !== undefined) {
    const commit = lookUp(git, option, askGit);
    return commit === undefined ? fail(say.noSuchBase(option)) : succeed({ ref: option, commit });
  }
  const asked = ci === undefined ? [configured] : [`origin/${ci}`, ci];
  const others = [configured, 'origin/HEAD', 'main', 'master'].filter((ref) => !asked.includes(ref));
  for (const ref of [...asked, ...others]) {
    const commit = lookUp(git, ref, askGit);
    if (commit === undefined) continue;
    return succeed(
      asked.includes(ref) ? { ref, commit } : { ref, commit, warning: say.otherBase(ci ?? configured, ref) },
    );
  }
  return succeed({ ref: emptyTree(40), warning: say.noBase(ci ?? configured) });
}

/** The tree without files, which every git knows without being told; its name depends on the hash. */
export function emptyTree(length: number): string {
  return length === 64
    ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
    : '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
}

function lookUp(git: GitHead, name: string, askGit: AskGit): string | undefined {
  // A name that looks like an option would be one to git.
  if (name === '' || name.startsWith('-')) return undefined;
  if (commitIn(name) === name) return name;
  if (name === 'HEAD') return readHeadCommit(git, askGit);
  const reftable = usesReftable(git.commonDir);
  if (!reftable) {
    for (const ref of [...PLACES.map((place) => place + name), `refs/remotes/${name}/HEAD`]) {
      const commit = readRef(git.commonDir, ref);
      if (commit !== undefined) return commit;
    }
  }
  if (!reftable && !EXPRESSION.test(name)) return undefined;
  return askGit(git.root, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`])?.trim() || undefined;
}
