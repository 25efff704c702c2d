// What a function's parameters become where its body is put in the place of a call.
import { isFirstIn, isStable } from './inline-order.mjs';
import { asValueAt } from './inline-reference.mjs';
import { namesAssignedIn, namesDeclaredIn, pathTo, variablesIn } from './inline-text.mjs';
import { namesIn } from './top-level.mjs';

/**
 * For some parameters the word that stands for them from now on, for the others the steps that give them their value.
 * As in a call, all arguments are worked out before the first pattern or default value is looked at.
 */
export function parametersOf(fn, { arguments: args }, { isStableName, isStableInside, textOf, freshName }) {
  const isStableArg = (arg) => arg === undefined || isStable(arg, isStableName);
  if (!isCountable(fn, args) || !args.slice(fn.params.length).every(isStableArg)) return;
  const assigned = new Set(namesAssignedIn(fn));
  const declared = namesDeclaredIn(fn);
  const isOnce = (name) => declared.indexOf(name) === declared.lastIndexOf(name);
  const isPlain = ({ type, name }) => type === 'Identifier' && !assigned.has(name) && isOnce(name);
  const isSole = args.filter((arg) => !isStableArg(arg)).length === 1;
  const words = new Map();
  const first = [];
  const later = [];
  for (const [index, param] of fn.params.entries()) {
    const arg = args[index];
    const { target, fallback } = partsOf(param, arg);
    const isWord = fallback === undefined && isPlain(target);
    const use = isWord && isSole && fn.params.every(isPlain) && firstUseOf(fn, target.name, isStableInside);
    if (isWord && isStableArg(arg)) words.set(target.name, arg ? asWord(arg, textOf(arg)) : '(void 0)');
    else if (use) words.set(target.name, asValueAt(use, `(${textOf(arg)})`));
    else if (arg === undefined) later.push(toBe(target, (say) => (fallback ? say(fallback) : 'void 0')));
    else if (target.type === 'Identifier') {
      first.push(toBe(target, () => textOf(arg)));
      if (fallback) later.push(unlessGiven(target, fallback));
    } else if (!fallback && (isStableArg(arg) || (isSole && later.length === 0)))
      later.push(toBe(target, () => textOf(arg)));
    else {
      const whole = freshName();
      first.push({ isNew: true, names: [whole], text: () => `${whole}=${textOf(arg)}` });
      later.push(toBe(target, (say) => (fallback ? `${whole}===void 0?${say(fallback)}:${whole}` : whole)));
    }
  }
  return { words, steps: [...first, ...later] };
}

function isCountable({ params }, args) {
  return ![...params, ...args].some(({ type }) => type === 'RestElement' || type === 'SpreadElement');
}

/** A step that declares a parameter, as a declaration has it behind its `let`. */
function toBe(target, value) {
  return { isNew: true, names: namesIn(target), text: (say) => `${say(target)}=${value(say)}` };
}

function unlessGiven(target, fallback) {
  return { isNew: false, text: (say) => `${say(target)}===void 0&&(${say(target)}=${say(fallback)})` };
}

/** A default value counts only if the argument may be undefined. */
function partsOf(param, arg) {
  if (param.type !== 'AssignmentPattern') return { target: param };
  const isValue =
    arg && (arg.type === 'Literal' || /^(?:Object|Array|ArrowFunction)Expression$/.test(arg.type));
  return { target: param.left, fallback: isValue ? undefined : param.right };
}

function asWord({ type }, text) {
  return type === 'Identifier' ? text : `(${text})`;
}

/** The way to the one mention of a parameter, if it is the first thing that the function works out. */
function firstUseOf({ body }, name, isStableName) {
  if (variablesIn(body).filter((one) => one.name === name).length !== 1) return;
  const root = firstExpressionOf(body.body[0]);
  const path = root && pathTo(root, (node) => node.type === 'Identifier' && node.name === name);
  const isStep = (node, index) => index === 0 || isFirstIn(path[index - 1], node, isStableName);
  return path?.every(isStep) ? path : undefined;
}

function firstExpressionOf(statement) {
  switch (statement?.type) {
    case 'ReturnStatement':
    case 'ThrowStatement':
      return statement.argument;
    case 'ExpressionStatement':
      return statement.expression;
    case 'IfStatement':
      return statement.test;
    case 'VariableDeclaration':
      return statement.declarations[0].init;
    case 'ForOfStatement':
      return statement.right;
    default:
      return undefined;
  }
}
