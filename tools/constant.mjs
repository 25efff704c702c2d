// Which variables at the top have the same value whenever it is worked out, so that it may be worked out late or never.

/** Node's own, and only those: what others have in capitals may come from anywhere. */
const NODES_NUMBERS = /^(?:O_[A-Z]+|MAX_SAFE_INTEGER)$/;
const PLAIN_NAMES = ['undefined', 'NaN', 'Infinity'];
const COLLECTIONS = /^(?:Set|Map|WeakMap|RegExp|(?:Ui|I)nt(?:8|16|32)Array|Float(?:32|64)Array)$/;

/** Tells of each statement at the top. `isOnlyRead` tells of a name that nothing changes what it holds. */
export function constantsAmong(statements, isOnlyRead) {
  const places = new Map(statements.flatMap((one, index) => one.declares.map((name) => [name, index])));
  const kinds = statements.map(() => undefined);
  const kindOfName = (index) => (name) => {
    if (!places.has(name)) return PLAIN_NAMES.includes(name) ? 'plain' : undefined;
    const { node, isAssigned } = statements[places.get(name)];
    if (isAssigned) return undefined;
    if (node.type === 'FunctionDeclaration') return 'thing';
    return places.get(name) < index ? (kinds[places.get(name)] ?? 'thing') : undefined;
  };
  const elementsOf = (name) => {
    const init = statements[places.get(name)]?.node.init;
    return init?.type === 'ArrayExpression' && isOnlyRead(name) ? init.elements : undefined;
  };
  for (const [index, { node, isVariable }] of statements.entries()) {
    if (!isVariable || node.id.type !== 'Identifier') continue;
    const names = { kindOfName: kindOfName(index), elementsOf, isGlobal: (name) => !places.has(name) };
    kinds[index] = node.init ? kindOf(node.init, names) : 'plain';
  }
  return kinds.map((kind) => kind !== undefined);
}

/**
 * Of which kind a value is, if it is the same at any time: `plain` has no parts, so that text can be made of it; of a
 * `thing` it is sure which one it is, but not what is in it.
 */
function kindOf(node, names) {
  const of = (part) => kindOf(part, names);
  switch (node.type) {
    case 'Literal':
      return node.regex === undefined ? 'plain' : 'thing';
    case 'Identifier':
      return names.kindOfName(node.name);
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return 'thing';
    case 'ParenthesizedExpression':
      return of(node.expression);
    case 'TemplateLiteral':
      return plainIf(node.expressions.every((part) => of(part) === 'plain'));
    case 'UnaryExpression':
      return plainIf(/^[-+~!]$|^void$/.test(node.operator) && of(node.argument) === 'plain');
    case 'BinaryExpression':
      return plainIf(!/^in/.test(node.operator) && of(node.left) === 'plain' && of(node.right) === 'plain');
    case 'MemberExpression':
      return plainIf(isNodesNumber(node, names));
    case 'ArrayExpression':
      return thingIf(node.elements.every((part) => part === null || isElement(part, names)));
    case 'ObjectExpression':
      return thingIf(node.properties.every((one) => isProperty(one, names)));
    case 'ClassExpression':
      return thingIf(isClass(node, names));
    case 'NewExpression':
      return thingIf(isCollection(node, names));
    default:
      return undefined;
  }
}

const plainIf = (is) => (is ? 'plain' : undefined);
const thingIf = (is) => (is ? 'thing' : undefined);

function isNodesNumber({ computed, optional, object, property }, { isGlobal }) {
  if (computed || optional || object.type !== 'Identifier') return false;
  return isGlobal(object.name) && NODES_NUMBERS.test(property.name);
}

/** A list that is spread is read there and then. */
function isElement(part, names) {
  if (part.type !== 'SpreadElement') return kindOf(part, names) !== undefined;
  const { type, name } = part.argument;
  if (type !== 'Identifier' || names.kindOfName(name) !== 'thing') return false;
  return names.elementsOf(name)?.every((one) => one !== null && kindOf(one, names) === 'plain') ?? false;
}

function isProperty({ type, computed, key, value }, names) {
  if (type !== 'Property' || (computed && kindOf(key, names) !== 'plain')) return false;
  return kindOf(value, names) !== undefined;
}

/** What its instances have is worked out for each of them. */
function isClass({ superClass, body, decorators = [] }, names) {
  const isBase = superClass === null || isKnownClass(superClass, names);
  return isBase && decorators.length === 0 && body.body.every((one) => isMember(one, names));
}

function isKnownClass({ type, name }, { kindOfName, isGlobal }) {
  if (type !== 'Identifier') return false;
  return isGlobal(name) ? /^\w*Error$/.test(name) : kindOfName(name) !== undefined;
}

function isMember({ type, static: isStatic, computed, key, value, decorators = [] }, names) {
  if (!/^(?:MethodDefinition|PropertyDefinition)$/.test(type) || decorators.length > 0) return false;
  if (computed && kindOf(key, names) !== 'plain') return false;
  return !isStatic || value === null || kindOf(value, names) !== undefined;
}

/** What a collection is made of is read there and then: a list in its place, and pairs in theirs. */
function isCollection({ callee, arguments: args }, names) {
  if (!COLLECTIONS.test(callee.name) || !names.isGlobal(callee.name)) return false;
  const isRead = (part) => part !== null && kindOf(part, names) === 'plain';
  const isPair = (part) => part?.type === 'ArrayExpression';
  return args.every(
    (arg) =>
      isRead(arg) ||
      (arg.type === 'ArrayExpression' &&
        kindOf(arg, names) !== undefined &&
        arg.elements.every((part) => isRead(part) || isPair(part))),
  );
}
