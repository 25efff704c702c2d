/*
 * A cheap look at a command, to tell whether the model of the shell has to be loaded for it. It may say yes
 * for nothing; what it says no to has no effect that a rule asks about.
 */

const GIT = /\b(?:git|gh|glab)\b/;
const STATE = /\.isdlc|state\.json|holdpoint|\.git\b|\.i\w*[*?[]/;
/** Removing something outside of the directory, or the directory itself, may take the state along. */
const REMOVER = /\b(?:rm|mv|trash|rsync|find)\b/;
const FAR_PLACE = /\s["']?(?:\/|~|\$|`|\*|\.{1,2}(?:["'\s/)]|$))/;
/** Code that is not in the line, or a program that is not named in it. */
const UNREAD = /\b(?:eval|sh|bash|zsh|dash|ksh|ash)\b|(?:^|[;&|(){}\n]|\b(?:then|do|else)\b)[ \t]*["']?[$`]/;

/** A commit's message in which nothing is expanded, also as agents like to write it. */
const MESSAGE =
  /(\s(?:-[a-z]*m|--message)[ =]?)(?:'[^']*'|"[^"$`\\]*"|"\$\(cat <<'(\w+)'\n[\s\S]*?\n\2\n\s*\)")/g;
/** Lines of words and nothing else, chained in the plainest way. */
const WORDS_ONLY = /^(?:[\w\s./=:@%+,^~-]|&&|;|\||2>&1|2>\/dev\/null)+$/;
const READS =
  /^git (?:--no-pager )?(?:(?:status|diff|log|show|add|blame|ls-files|rev-parse|rev-list|describe|shortlog|cat-file|grep)(?: .*)?|branch(?: --show-current| -a| -v+| -r| --list)?|remote -v|stash list|fetch(?: \w+)?)$/;
const COMMITS = /^git commit(?: .*)?$/;
/** A push that names at most the branch one is on. */
const PUSHES =
  /^git push(?: (?:-u|-q|-f|--set-upstream|--quiet|--force|--force-with-lease|--follow-tags|--tags))*(?: origin(?: (\S+))?)?$/;

/** What there is to guard before a command. */
export interface Watched {
  /** Whether the workflow has a branch, and others are protected. */
  readonly branch: boolean;
  /** That branch, where the work tree is on it. */
  readonly ownBranch: string | undefined;
}

/** Before a command: may it write a protected branch, or the state? */
export function lookBefore(command: string, { branch, ownBranch }: Watched): boolean {
  if (STATE.test(command) || mayRemove(command)) return true;
  if (!branch) return false;
  if (ownBranch === undefined && UNREAD.test(command)) return true;
  return GIT.test(command) && !isHarmless(command, ownBranch);
}

/** Part by part, since one pattern over a whole line would take the square of its length. */
function mayRemove(command: string): boolean {
  return command.split(/[;&|\n]/).some((part) => {
    const at = part.search(REMOVER);
    return at >= 0 && FAR_PLACE.test(part.slice(at));
  });
}

/** Reading does no harm anywhere; commits and pushes do none on the branch that is meant for them. */
function isHarmless(command: string, ownBranch: string | undefined): boolean {
  const line = command.replace(MESSAGE, '$1TEXT');
  if (!WORDS_ONLY.test(line)) return false;
  const parts = line.split(/&&|\|\|?|;|\n/).map((part) => part.replace(/2>(?:&1|\/dev\/null)/g, '').trim());
  const staysHere = parts.every((part) => !/^(?:cd|pushd|popd)\b/.test(part));
  const isOwnWork = (part: string): boolean =>
    staysHere && ownBranch !== undefined && (COMMITS.test(part) || pushesOwn(part, ownBranch));
  return parts.every((part) => !GIT.test(part) || READS.test(part) || isOwnWork(part));
}

function pushesOwn(part: string, ownBranch: string): boolean {
  const found = PUSHES.exec(part);
  return found !== null && [undefined, 'HEAD', ownBranch].includes(found[1]);
}

/** Whatever runs tests is called by one of these, or by a command that the project has declared. */
const TESTS =
  /test|spec|check|verify|e2e|unit|cover|jest|mocha|\bava\b|\btap\b|jasmine|karma|behave|\btox\b|\bnox\b|nose2|cucumber|\bpest\b|\bbats\b|busted|ginkgo|\bprove\b|\b(?:npm|pnpm|cargo)\b.*\bt\b|\bnpm\b.*\btst\b|cypress|surefire|failsafe|django/i;

/** After a command: may it have run tests, or made a commit? */
export function lookAfter(command: string, testCommands: readonly string[]): boolean {
  if (TESTS.test(command) || (GIT.test(command) && command.includes('commit'))) return true;
  return testCommands.some((line) => command.includes(line.trim().split(/\s+/, 1)[0] ?? ''));
}
