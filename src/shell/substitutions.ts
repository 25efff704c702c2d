import { forEachChild, type SyntaxNode } from 'unbash';
import { type Scope, subshell } from './scope';
import type { Worlds } from './worlds';

/**
 * Runs in thought what stands inside a word: `$(…)`, backticks, `<(…)`. True if there was any.
 * What they do to variables and directory ends with them; their success is not looked at.
 */
export function runSubstitutions(node: SyntaxNode, entry: Worlds, scope: Scope): boolean {
  if (
    node.type === 'CommandExpansion' ||
    node.type === 'ProcessSubstitution' ||
    node.type === 'ArithmeticCommandExpansion'
  ) {
    const { script } = node;
    if (script === undefined || (script.errors?.length ?? 0) > 0) {
      scope.trace.trouble ??= 'a substitution does not parse';
      return true;
    }
    scope.walkList(script.commands, entry, subshell(scope));
    return true;
  }
  let found = false;
  forEachChild(node, (child) => {
    if (runSubstitutions(child, entry, scope)) found = true;
  });
  return found;
}
