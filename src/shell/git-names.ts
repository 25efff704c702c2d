import { constantOf, type Word } from './command';
import { bareBranch, NO_BRANCH, nameIn } from './git-plan';

const NEVER_IN_NAMES = [' ', '~', '^', ':', '?', '*', '[', '\\', '..', '@{', '//'];

/** True for an operand of `git checkout` that can only be a path. */
export function looksLikePath(word: Word): boolean {
  const text = constantOf(word);
  if (text === undefined) return false;
  return (
    text.startsWith('./') ||
    text.startsWith('../') ||
    text.startsWith('/') ||
    text.endsWith('/') ||
    text === '.' ||
    text === '..'
  );
}

/**
 * The branch that HEAD names after `git checkout <target>`; `undefined` when the text does not tell:
 * `v1.2` may be a tag, a branch or a file.
 */
export function nameOfTarget(word: Word, how: { isSwitch: boolean; tracks: boolean }): string | undefined {
  const text = nameIn(word);
  if (text === undefined || text === '-' || text === 'HEAD' || text === '@' || text.startsWith('@{-'))
    return undefined;
  if (how.tracks) return afterRemote(text);
  if (NEVER_IN_NAMES.some((piece) => text.includes(piece))) return text.includes(':') ? undefined : NO_BRANCH;
  return how.isSwitch || !mayBeOther(text) ? bareBranch(text) : undefined;
}

/** Tags, hashes, branches of a remote and files are all spelled so. */
function mayBeOther(text: string): boolean {
  const isHash = /^[0-9a-f]{7,40}$/.test(text) && /[0-9]/.test(text);
  return (
    isHash || text.includes('.') || ['origin/', 'upstream/', 'refs/'].some((start) => text.startsWith(start))
  );
}

function afterRemote(text: string): string | undefined {
  const bare = text.startsWith('refs/remotes/') ? text.slice('refs/remotes/'.length) : text;
  const slash = bare.indexOf('/');
  return slash < 0 ? undefined : bare.slice(slash + 1);
}
