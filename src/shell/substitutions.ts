import type { SyntaxNode, Word } from 'unbash';
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
  if (isPlain(node)) return false;
  let found = false;
  scope.trace.loadParser().forEachChild(node, (child) => {
    if (runSubstitutions(child, entry, scope)) found = true;
  });
  return found;
}

/** A command of which one look tells that nothing is inside; most are of that kind. */
function isPlain(node: SyntaxNode): boolean {
  if (node.type === 'Word') return isPlainWord(node);
  if (node.type !== 'Command' || node.prefix.length > 0 || node.redirects.length > 0) return false;
  return [node.name, ...node.args].every((word) => word?.type === 'Word' && isPlainWord(word));
}

function isPlainWord({ parts }: Word): boolean {
  return (
    parts === undefined ||
    parts.every((part) => PLAIN_PARTS.includes(part.type) && !('parts' in part && part.parts))
  );
}

const PLAIN_PARTS = ['Literal', 'SingleQuoted', 'AnsiCQuoted', 'Glob'];
