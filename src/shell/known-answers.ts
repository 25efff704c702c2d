import { textOf } from './command';
import type { Scope } from './scope';
import { variableValue } from './variables';
import type { Worlds } from './worlds';

const ASK_BRANCH = [
  'git branch --show-current',
  'git rev-parse --abbrev-ref HEAD',
  'git symbolic-ref --short HEAD',
  'git symbolic-ref --short -q HEAD',
];
const MOVES_HEAD = ['checkout', 'switch', 'rebase', 'bisect', 'pull', '-m', '-M', '--move'];

/** What a substitution such as `$(pwd)` prints, for the few whose answer is known without running them. */
export function answerOf(substitution: string, worlds: Worlds, scope: Scope): string | undefined {
  const inner = substitution.startsWith('$(') ? substitution.slice(2, -1) : substitution.slice(1, -1);
  const command = inner
    .replace(/2>\s*\/dev\/null/, '')
    .trim()
    .replace(/\s+/g, ' ');
  const directory = variableValue('PWD', worlds, scope);
  if (command === 'pwd' || directory === undefined) return command === 'pwd' ? directory : undefined;
  if (command === 'git rev-parse --show-toplevel') return scope.trace.repositoryAt?.(directory)?.root;
  if (!ASK_BRANCH.includes(command) || hasMovedHead(scope)) return undefined;
  return scope.trace.repositoryAt?.(directory)?.branch;
}

/** A command before this one may have changed the branch, so that the one at the start says nothing. */
function hasMovedHead({ trace }: Scope): boolean {
  return trace.steps.some(({ words }) => words.some((word) => MOVES_HEAD.includes(textOf(word))));
}
