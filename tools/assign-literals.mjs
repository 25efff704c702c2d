// An object literal that runs for the first times goes through V8's runtime twice for every property, however often its
// shape was seen before; a property that is assigned does not. And a shape that is new takes V8 ten times as long as an
// entry in a table. Events run hardly anything twice, so object literals become assignments to an object that has no
// shape: `{a:x,b:y}` is `(t=o(null),t.a=x,t.b=y,t)` with `Object.create` as `o`. Who runs chunks for many events hands in
// another `o`, for objects with shapes.
import { parseSync } from 'oxc-parser';

/** An object with more properties than this one would become a table of V8's when they are assigned. */
const MOST_PROPERTIES = 60;

export function assignLiterals(code) {
  const { program, errors } = parseSync('chunk.cjs', code);
  if (errors.length > 0) throw new Error(errors[0].message);
  const [empty, ...names] = namesApartFrom(code);
  const scope = scopeWith(empty, names);
  const [directive, ...rest] = program.body;
  if (directive?.directive !== 'use strict') throw new Error('a chunk begins with "use strict"');
  const body = rest.map((statement) => render(code, statement, scope)).join('');
  const head = `${code.slice(0, directive.end)}var ${empty}=module.empty??Object.create;`;
  return `${head}${declared(scope)}${body}\n`;
}

/** Variables that nothing in the code is called like. */
function namesApartFrom(code) {
  const words = new Set(code.match(/[\w$]+/g));
  const free = [];
  for (let number = 0; free.length < 40; number++) {
    const name = `t${number.toString(36)}`;
    if (!words.has(name)) free.push(name);
  }
  return free;
}

/** Of one function: what makes an object, and how many variables its literals need. Those inside of each other need one each. */
function scopeWith(empty, names) {
  return { empty, names, used: 0 };
}

function declared({ names, used }) {
  return used > 0 ? `var ${names.slice(0, used).join()};` : '';
}

/**
 * The code of a node. Without a `scope` there is no place for variables, so literals stay there; as they do where they
 * are made into text, for which they need their prototype.
 */
function render(code, node, scope, depth = 0, isText = false) {
  if (isFunction(node)) return renderFunction(code, node, scope);
  if (node.type === 'PropertyDefinition' || node.type === 'StaticBlock')
    return around(code, node, undefined, 0);
  if (scope !== undefined && !isText && isAssignable(node)) return assigned(code, node, scope, depth);
  return around(code, node, scope, depth, isText);
}

function isFunction({ type }) {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type);
}

/** Only plain properties, behind a spread at most. */
function isAssignable({ type, properties }) {
  if (type !== 'ObjectExpression') return false;
  const plain = properties[0]?.type === 'SpreadElement' ? properties.slice(1) : properties;
  return plain.length > 0 && plain.length <= MOST_PROPERTIES && plain.every(isPlain);
}

function isPlain({ type, kind, computed, method, key }) {
  return type === 'Property' && kind === 'init' && !computed && !method && accessTo(key) !== undefined;
}

/** How a property is reached, if it is no element and not the prototype. */
function accessTo({ type, name, value }) {
  const word = type === 'Identifier' ? name : value;
  if (typeof word !== 'string' || word === '__proto__' || /^\d/.test(word)) return undefined;
  return /^[A-Za-z_$][\w$]*$/.test(word) ? `.${word}` : `[${JSON.stringify(word)}]`;
}

function assigned(code, { properties }, scope, depth) {
  const name = scope.names[depth];
  scope.used = Math.max(scope.used, depth + 1);
  const [first] = properties;
  const isSpread = first.type === 'SpreadElement';
  const beginning = isSpread ? `{${render(code, first, scope, depth + 1)}}` : `${scope.empty}(null)`;
  const parts = (isSpread ? properties.slice(1) : properties).map(
    ({ key, value }) => `${name}${accessTo(key)}=${render(code, value, scope, depth + 1)}`,
  );
  return `(${[`${name}=${beginning}`, ...parts, name].join()})`;
}

function renderFunction(code, node, outer) {
  const scope = scopeWith(outer?.empty, outer?.names ?? []);
  // Parameters are outside of the body in which the variables are.
  const head = around(code, { ...node, body: undefined, end: node.body.start }, undefined, 0);
  if (node.body.type === 'BlockStatement') {
    const body = around(code, node.body, outer && scope, 0);
    return `${head}${withVariables(body, node.body, declared(scope))}`;
  }
  const body = render(code, node.body, outer && scope) + code.slice(node.body.end, node.end);
  if (scope.used === 0) return head + body;
  const arrow = head.lastIndexOf('=>') + 2;
  return `${head.slice(0, arrow)}{${declared(scope)}return${head.slice(arrow) || ' '}${body}}`;
}

/** Directives stay first. */
function withVariables(body, { body: [first] }, variables) {
  if (variables === '') return body;
  if (first?.directive !== undefined) throw new Error('no directive is expected inside of a chunk');
  return `{${variables}${body.slice(1)}`;
}

/** The code of a node with what is inside of it. */
function around(code, node, scope, depth, isText = false) {
  let text = '';
  let at = node.start;
  const isInText = makesText(node) || (isText && HANDS_ON.test(node.type));
  for (const child of childrenOf(node)) {
    text += code.slice(at, child.start) + render(code, child, scope, depth, isInText);
    at = child.end;
  }
  return text + code.slice(at, node.end);
}

/** What is made into text with what is in it. */
const HANDS_ON = /^(?:Parenthesized|Array|Conditional|Logical|Sequence)Expression$/;

/** Whether text or a number is made of the values in it. */
function makesText({ type, operator }) {
  if (type === 'BinaryExpression') return !/^(?:[!=]==|in|instanceof)$/.test(operator);
  if (type === 'AssignmentExpression') return !/^(?:&&|\|\||\?\?)?=$/.test(operator);
  return type === 'TemplateLiteral' || (type === 'UnaryExpression' && /^[-+~]$/.test(operator));
}

/** In their order; a shorthand property is the same place twice. */
function childrenOf(node) {
  const children = Object.values(node)
    .flat()
    .filter((child) => typeof child?.type === 'string');
  return children
    .sort((one, other) => one.start - other.start)
    .filter((child, index) => index === 0 || child.start >= children[index - 1].end);
}
