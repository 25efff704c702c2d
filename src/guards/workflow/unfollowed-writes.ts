import type { UnknownEffect } from '../../core/command-effects';
import type { BranchWrite } from './branch-writes';

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
 * What nobody can read may commit to the branch one is on; where that is protected, a person decides. On any
 * other branch it would have to name the protected one, or to push.
 */
export function unfollowedWrite(
  { kind, text }: UnknownEffect,
  branches: readonly string[],
  isOnProtected: boolean,
): readonly BranchWrite[] {
  if (kind === 'program') return [];
  // Quotes and backslashes inside of a word change nothing for a shell.
  const bare = text.replace(/["'\\]/g, '');
  const writesGit = GIT_WRITES.test(bare) && (kind === 'code' || INLINE.test(text));
  const isUnnamed = kind === 'code' && startsUnknown(text);
  const mayWrite = writesGit || isUnnamed || (kind === 'code' && RUNS_TEXT.test(text));
  if (!mayWrite) return [];
  const names = writesGit || (isUnnamed && WRITING_WORD.test(bare));
  const reaches = isOnProtected || (names && (/\bpush\b/.test(bare) || namesOne(bare, branches)));
  return reaches ? [{ certainty: 'unknown', what: shortened(text), branch: '' }] : [];
}

/** `$GIT commit`, `g${X}it commit`: the program is not known, but what it is told is. */
function startsUnknown(text: string): boolean {
  return /^\S*[$`*?[{]/.test(text) && WRITING.test(text);
}

function namesOne(text: string, branches: readonly string[]): boolean {
  const words = text.split(/[^\w./-]+/);
  return branches.some((branch) => words.includes(branch));
}

function shortened(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
}
