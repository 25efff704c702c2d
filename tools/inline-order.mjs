// What is worked out before what, as far as inlining has to know it.

/** The parts of an expression that are surely worked out, in their order, up to the first that may be left out. */
function partsInOrder(node) {
  switch (node.type) {
    case 'CallExpression':
    case 'NewExpression':
      return node.optional ? [node.callee] : [node.callee, ...node.arguments];
    case 'MemberExpression':
      return node.optional || !node.computed ? [node.object] : [node.object, node.property];
    case 'BinaryExpression':
      return [node.left, node.right];
    case 'ConditionalExpression':
      return [node.test];
    case 'LogicalExpression':
      return [node.left];
    case 'SequenceExpression':
      return node.expressions;
    case 'TemplateLiteral':
      // Each becomes text before the next one is looked at.
      return node.expressions.slice(0, 1);
    case 'ArrayExpression':
      return node.elements.filter((element) => element !== null);
    case 'ObjectExpression':
      return node.properties;
    case 'Property':
      // A key becomes text before the value is looked at.
      return [node.computed ? node.key : node.value];
    case 'AssignmentExpression':
      return node.operator === '=' && node.left.type === 'Identifier' ? [node.right] : [];
    case 'ChainExpression':
    case 'ParenthesizedExpression':
      return [node.expression];
    case 'UnaryExpression':
    case 'AwaitExpression':
    case 'SpreadElement':
      return [node.argument];
    default:
      return [];
  }
}

/** Whether nothing that matters is worked out in `node` before its part. */
export function isFirstIn(node, part, isStableName) {
  const parts = partsInOrder(node);
  const before = parts.slice(0, Math.max(0, parts.indexOf(part)));
  return parts.includes(part) && before.every((one) => isMadeAnytime(one, isStableName));
}

/** Whether an expression does nothing, and has the same value now and later. */
export function isStable(node, isStableName) {
  switch (node.type) {
    case 'Literal':
      return node.regex === undefined;
    case 'Identifier':
      return isStableName(node.name);
    case 'UnaryExpression':
      return /^(?:void|!|-)$/.test(node.operator) && node.argument.type === 'Literal';
    case 'ParenthesizedExpression':
      return isStable(node.expression, isStableName);
    default:
      return false;
  }
}

/** As `isStable`, or a thing made anew that nobody has seen yet: it can be made later as well, but only once. */
function isMadeAnytime(node, isStableName) {
  if (/^(?:ArrowFunction|Function)Expression$/.test(node.type) || node.regex !== undefined) return true;
  if (node.type === 'Property') return !node.computed && isMadeAnytime(node.value, isStableName);
  if (node.type === 'ObjectExpression')
    return node.properties.every((one) => isMadeAnytime(one, isStableName));
  return isStable(node, isStableName);
}

/** Whether what stands behind a statement is never reached. */
export function isEnd(statement) {
  switch (statement?.type) {
    case 'ReturnStatement':
    case 'ThrowStatement':
      return true;
    case 'BlockStatement':
      return isEnd(statement.body.at(-1));
    case 'IfStatement':
      return isEnd(statement.consequent) && isEnd(statement.alternate);
    case 'TryStatement':
      return (
        isEnd(statement.finalizer) ||
        (isEnd(statement.block) && (!statement.handler || isEnd(statement.handler.body)))
      );
    default:
      return false;
  }
}
