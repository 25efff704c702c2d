// The body of a function, as it stands in the place of a call: as statements, or as an expression.
import { isEnd } from './inline-order.mjs';
import { isFunction } from './inline-text.mjs';
import { namesIn } from './top-level.mjs';

/** What becomes of a value: it is returned, given to a variable, or of no interest. */
export const returned = { put: (text) => `return ${text};`, isReturn: true };
export const dropped = { put: (text) => `(${text});` };
export const assignedTo = (name) => ({ put: (text) => `${name}=${text};` });

/** The body as a block of statements. A `return` that is not the last thing leaves the block by its label. */
export function asStatements({ body }, steps, sink, say, label) {
  const setUp = steps.map(({ isNew, text }) => `${isNew ? 'let ' : ''}${text(say)};`).join('');
  const inside = (replace) => body.body.map((one) => ended(say(one, replace))).join('');
  if (sink.isReturn) return `{${setUp}${inside()}${isEnd(body) ? '' : 'return;'}}`;
  const last = new Set(lastReturns(body.body.at(-1)));
  const put = ({ argument }) => (argument ? sink.put(asValue(argument, say)) : '');
  let breaks = 0;
  const text = inside((node) => {
    if (isFunction(node)) return say(node);
    if (node.type !== 'ReturnStatement') return;
    if (last.has(node)) return `{${put(node)}}`;
    breaks++;
    return `{${put(node)}break ${label}}`;
  });
  return `${breaks > 0 ? `${label}:` : ''}{${setUp}${text}}`;
}

/** The last statement of a block may have gone without. */
function ended(text) {
  return text.endsWith(';') ? text : `${text};`;
}

function asValue(node, say) {
  return node.type === 'SequenceExpression' ? `(${say(node)})` : say(node);
}

/** The returns behind which a body ends anyway. */
function lastReturns(statement) {
  switch (statement?.type) {
    case 'ReturnStatement':
      return [statement];
    case 'BlockStatement':
      return lastReturns(statement.body.at(-1));
    case 'IfStatement':
      return [...lastReturns(statement.consequent), ...lastReturns(statement.alternate)];
    default:
      return [];
  }
}

/** The body as one expression and the names that have to be declared for it, if it is made of what can be written so. */
export function asExpression({ body }, steps, say, asValue) {
  const declared = [];
  const text = inOrder(body.body, say, declared);
  const names = [
    ...steps.flatMap(({ isNew, names: own }) => (isNew ? own : [])),
    ...declared.flatMap(namesIn),
  ];
  // A name that an inner block has anew would be the same variable outside of blocks.
  if (text === undefined || new Set(names).size < names.length) return;
  return { text: asValue(`(${[...steps.map((step) => step.text(say)), text].join()})`), names };
}

function inOrder([first, ...rest], say, declared) {
  const then = (text, statements) => {
    const after = inOrder(statements, say, declared);
    return after && `${text},${after}`;
  };
  switch (first?.type) {
    case undefined:
      return 'void 0';
    case 'ReturnStatement':
      if (rest.length > 0) return;
      return first.argument ? say(first.argument) : 'void 0';
    case 'ExpressionStatement':
      return then(say(first.expression), rest);
    case 'BlockStatement':
      return inOrder([...first.body, ...rest], say, declared);
    case 'VariableDeclaration':
      declared.push(...first.declarations.map(({ id }) => id));
      return then(first.declarations.map((one) => assignment(one, say)).join(), rest);
    case 'IfStatement':
      return isEnd(first.consequent) ? eitherOf(first, rest, say, declared) : undefined;
    default:
      return undefined;
  }
}

function assignment({ id, init }, say) {
  return `${say(id)}=${init ? say(init) : 'void 0'}`;
}

function eitherOf({ test, consequent, alternate }, rest, say, declared) {
  const one = inOrder([consequent], say, declared);
  const other = inOrder(alternate ? [alternate, ...rest] : rest, say, declared);
  return one && other && `(${say(test)})?(${one}):(${other})`;
}
