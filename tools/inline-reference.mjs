// A member of an object is more than its value where it is called: the object becomes `this` there. A value that a
// function returned, or was given, is no more than that.
import { parseSync } from 'oxc-parser';

/** The text of an expression for the place at the end of a path, so that only its value counts there. */
export function asValueAt(path, text) {
  const outside = path.slice(0, -1).findLastIndex(({ type }) => type !== 'ParenthesizedExpression');
  return looksAtMore(path[outside], path[outside + 1]) && isReference(text) ? `(0,${text})` : text;
}

function looksAtMore(parent, part) {
  if (parent?.type === 'UnaryExpression') return parent.operator === 'delete';
  return (parent?.type === 'CallExpression' && parent.callee === part) || parent?.tag === part;
}

/** The text may be of any function. What only a class understands counts as one. */
function isReference(text) {
  const { program, errors } = parseSync('text.mjs', `async function*any(){${text}}`);
  if (errors.length > 0) return true;
  let node = program.body[0].body.body[0].expression;
  while (node.type === 'ParenthesizedExpression') node = node.expression;
  return /^(?:Identifier|MemberExpression|ChainExpression)$/.test(node.type);
}
