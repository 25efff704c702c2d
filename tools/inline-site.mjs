// Where a call stands in its function, and how statements are put before what it stands in.
import { assignedTo, dropped, returned } from './inline-body.mjs';
import { isFirstIn } from './inline-order.mjs';
import { isFunction, variablesIn } from './inline-text.mjs';
import { namesIn } from './top-level.mjs';

/** Of the path to a call: the statement that it stands in, or the expression that is all of an arrow function. */
export function siteOf(path) {
  const at = path.findLastIndex(isFunction);
  const inside = path.slice(at + 1);
  if (at < 0 || inside[0] !== path[at].body || inside.some(({ type }) => type.startsWith('Class'))) return;
  if (inside[0].type !== 'BlockStatement') return { slot: inside[0], route: inside, isArrow: true };
  let index = inside.findLastIndex(isStatement);
  if (/^For/.test(inside[index - 1].type) && inside[index - 1].body !== inside[index]) index--;
  const [parent, slot] = inside.slice(index - 1);
  if (parent.type === 'LabeledStatement') return;
  const isInList = parent.type === 'BlockStatement' || parent.type === 'SwitchCase';
  return { slot, route: inside.slice(index + 1), isInList };
}

const isStatement = ({ type }) => /Statement$|^VariableDeclaration$/.test(type);

/** The statements for a site, if they can be: `make` is asked for those of the call, by what becomes of its value. */
export function rebuilt({ slot, route, isArrow }, { make, isStableName, textOf, freshName }) {
  const place = (nodes, sink) => placed(nodes, sink, { make, isStableName, textOf, freshName, place });
  if (isArrow) return place(route, returned);
  switch (slot.type) {
    case 'ReturnStatement':
      return place(route, returned);
    case 'ExpressionStatement':
      return place(route, dropped);
    case 'VariableDeclaration':
      return declared(slot, route, place, { isStableName, textOf, freshName });
    default:
      return before(slot, headOf(slot, route), place, { textOf, freshName });
  }
}

/** The expression that a statement works out first, and all below it that leads to the call. */
function headOf(slot, route) {
  const { type, test, discriminant, right, init, argument } = slot;
  if (type === 'ForStatement' && init?.type === 'VariableDeclaration')
    return route[2] === init.declarations[0].init ? route.slice(2) : [];
  const heads = {
    IfStatement: test,
    SwitchStatement: discriminant,
    ForOfStatement: right,
    ForInStatement: right,
  };
  const head = { ...heads, ForStatement: init, ThrowStatement: argument }[type];
  return head && route[0] === head ? route : [];
}

function before(slot, route, place, { textOf, freshName }) {
  if (route.length === 0 || isAboutLoop(slot, route[0])) return;
  const name = freshName();
  const text = place(route, assignedTo(name));
  return text && `let ${name};${text}${textOf(slot, new Map([[route[0], name]]))}`;
}

/** Whether the head of a loop mentions the variables that the loop itself declares. */
function isAboutLoop({ left, init }, head) {
  const own = [left, init].flatMap((one) => one?.declarations ?? []).flatMap(({ id }) => namesIn(id));
  return variablesIn(head).some(({ name }) => own.includes(name));
}

function declared({ kind, declarations }, [one, ...route], place, { isStableName, textOf, freshName }) {
  // A `var` is also known outside of its block, to change a `const` throws, and else this is a pattern's default value.
  const isKept = kind === 'const' && declarations.every(({ id }) => namesIn(id).every(isStableName));
  if ((kind !== 'let' && !isKept) || route[0] !== one.init) return;
  const at = declarations.indexOf(one);
  const some = (part) => (part.length > 0 ? `let ${part.map((each) => textOf(each)).join()};` : '');
  const isName = one.id.type === 'Identifier';
  const name = isName ? one.id.name : freshName();
  const text = place(route, assignedTo(name));
  const taken = isName ? '' : `let ${textOf(one.id)}=${name};`;
  return (
    text && `${some(declarations.slice(0, at))}let ${name};${text}${taken}${some(declarations.slice(at + 1))}`
  );
}

/** Statements that work out an expression which leads to the call, and do with its value what the sink says. */
function placed(route, sink, tools) {
  const [node, next] = route;
  const { textOf, freshName, place, make } = tools;
  const on = (into) => place(route.slice(1), into);
  if (next === undefined) return make(sink);
  if (node.type === 'ParenthesizedExpression') return on(sink);
  if (node.type === 'SequenceExpression') return inSequence(node, next, on, sink, textOf);
  if (node.type === 'ConditionalExpression' && next !== node.test) {
    const text = on(sink);
    const other = (part) => (part === next ? text : sink.put(textOf(part)));
    return text && `if(${textOf(node.test)}){${other(node.consequent)}}else{${other(node.alternate)}}`;
  }
  if (node.type === 'LogicalExpression' && next !== node.left) {
    const name = freshName();
    const text = on(sink);
    const isTaken = { '&&': name, '||': `!${name}`, '??': `${name}==null` }[node.operator];
    return text && `let ${name}=${textOf(node.left)};if(${isTaken}){${text}}else{${sink.put(name)}}`;
  }
  return takenOut(route, sink, tools);
}

function inSequence({ expressions }, next, on, sink, textOf) {
  const at = expressions.indexOf(next);
  const done = expressions.slice(0, at).map((one) => dropped.put(textOf(one)));
  const rest = expressions.slice(at + 1);
  const text = on(rest.length > 0 ? dropped : sink);
  return (
    text &&
    `${done.join('')}${text}${rest.length > 0 ? sink.put(`(${rest.map((one) => textOf(one)).join()})`) : ''}`
  );
}

/** What leads to the call is worked out first in any case, so it can be worked out before. */
function takenOut(route, sink, { isStableName, textOf, freshName, place }) {
  const isStep = (node, index) => index === 0 || isFirstIn(route[index - 1], node, isStableName);
  const until = route.findIndex((node, index) => index > 0 && isParted(node, route[index + 1]));
  if (!route.slice(0, until + 1).every(isStep)) return;
  const name = freshName();
  const text = place(route.slice(until), assignedTo(name));
  return text && `let ${name};${text}${sink.put(textOf(route[0], new Map([[route[until], name]])))}`;
}

/** Whether an expression is the call itself, or one of those that are taken apart. */
function isParted(node, next) {
  if (next === undefined) return true;
  if (node.type === 'ConditionalExpression') return next !== node.test;
  if (node.type === 'LogicalExpression') return next !== node.left;
  return node.type === 'SequenceExpression' && next !== node.expressions[0];
}
