// The statements at the top of a bundle, and the names in them.
import { constantsAmong } from './constant.mjs';

/**
 * One entry a statement: its place, the top-level names that it declares, whether one of them is ever given another
 * value, whether its own is the same whenever it is worked out, the top-level names that it mentions, those of them that
 * it does not only call, and those that it mentions outside of functions. Others may change what is `wanted`.
 */
export function topLevelOf({ body }, wanted = []) {
  const assigned = new Set(body.flatMap(namesAssignedIn));
  const statements = body.flatMap(oneByOne).map((one) => {
    const declares = namesDeclaredBy(one);
    return { ...one, declares, isAssigned: declares.some((name) => assigned.has(name)) };
  });
  const known = new Set(statements.flatMap(({ declares }) => declares));
  // Few ask for this, and it takes a look at everything.
  let constants;
  const isConstant = (index) => {
    constants ??= constantsAmong(statements, onlyReadIn(body, wanted));
    return constants[index];
  };
  return statements.map((one, index) => ({
    ...one,
    ...mentionsIn(one.node, known),
    get isConstant() {
      return isConstant(index);
    },
  }));
}

function onlyReadIn(body, wanted) {
  const exposed = new Set([...wanted, ...body.flatMap((node) => namesExposedIn(node))]);
  return (name) => !exposed.has(name);
}

function namesAssignedIn(node) {
  const inside = childrenOf(node).flatMap(namesAssignedIn);
  if (node.type === 'UpdateExpression') return [...inside, ...namesIn(node.argument)];
  const isTarget = /^(?:AssignmentExpression|For(?:In|Of)Statement)$/.test(node.type);
  return isTarget ? [...inside, ...namesIn(node.left)] : inside;
}

const READERS = /^(?:includes|indexOf|find|some|every|map|filter|join)$/;

/** Names that are not only spread, or looked through by a method that changes nothing. */
function namesExposedIn(node, parent, outer) {
  if (node.type !== 'Identifier')
    return childrenOf(node).flatMap((child) => namesExposedIn(child, node, parent));
  const isDeclared = parent?.type === 'VariableDeclarator' && parent.id === node;
  const isRead = parent?.object === node && !parent.computed && READERS.test(parent.property.name);
  if (isDeclared || parent?.type === 'SpreadElement' || (isRead && outer?.callee === parent)) return [];
  return [node.name];
}

/** A `var` with several names is as many statements. */
function oneByOne(node) {
  if (node.type !== 'VariableDeclaration' || node.kind !== 'var') return [{ node }];
  return node.declarations.map((declarator) => ({ node: declarator, isVariable: true }));
}

function namesDeclaredBy({ node, isVariable }) {
  if (isVariable) return namesIn(node.id);
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') return [node.id.name];
  return node.type === 'VariableDeclaration' ? node.declarations.flatMap(({ id }) => namesIn(id)) : [];
}

export function namesOfTop(node) {
  return oneByOne(node).flatMap(namesDeclaredBy);
}

export function namesIn(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) => namesIn(one.value ?? one.argument));
    case 'ArrayPattern':
      return pattern.elements.flatMap(namesIn);
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    default:
      return [];
  }
}

/** A name that is also one of something inside counts too: that is only ever too careful. */
function mentionsIn(node, known) {
  const mentions = new Set();
  const handedOn = new Set();
  const atOnce = new Set();
  eachIdentifier(node, ({ name }, use, isInside) => {
    if (!known.has(name)) return;
    mentions.add(name);
    if (use !== 'called') handedOn.add(name);
    if (!isInside) atOnce.add(name);
  });
  return { mentions, handedOn, atOnce };
}

/**
 * Visits every identifier that is a variable's, with how it is used (called, as a property of its own name, or else)
 * and whether that is inside of a function.
 */
export function eachIdentifier(node, visit, isInside = isFunction(node)) {
  for (const [key, value] of Object.entries(node)) {
    if (isNameOnly(node, key)) continue;
    for (const child of [value].flat()) {
      if (child?.type === 'Identifier') visit(child, useOf(node, key), isInside);
      else if (typeof child?.type === 'string')
        eachIdentifier(within(node, child), visit, isInside || isFunction(child));
    }
  }
}

/** The word of `{ a = 1 }` is one step further in than that of `{ a }`. */
function within({ type, shorthand }, child) {
  return type === 'Property' && shorthand ? { ...child, shorthand } : child;
}

/** A function's own, with or without a name; also a method's. */
function isFunction({ type }) {
  return /^(?:Function|ArrowFunction)/.test(type);
}

/** How many functions are made where a statement is run. */
export function functionsMadeBy(node) {
  if (isFunction(node)) return 1;
  return childrenOf(node).reduce((sum, child) => sum + functionsMadeBy(child), 0);
}

function useOf({ type, shorthand }, key) {
  if (type === 'CallExpression' && key === 'callee') return 'called';
  return shorthand && key !== 'right' ? 'property' : 'value';
}

/** `a.name`, `{ name: 1 }` and labels are no variables. */
function isNameOnly({ type, computed, shorthand }, key) {
  if (key === 'label' || (key === 'key' && shorthand)) return true;
  if (type === 'MemberExpression') return key === 'property' && !computed;
  return ['Property', 'MethodDefinition', 'PropertyDefinition'].includes(type) && key === 'key' && !computed;
}

/** The code of statements, with other words for some of their variables. Variables that follow each other share a `var`. */
export function textOf(statements, code, wordsFor = () => undefined, keyword = 'var') {
  const parts = statements.map((one, index) => {
    const text = edited(code, editsIn(one.node, wordsFor), one.node);
    if (!one.isVariable) return needsEnd(one.node, text) ? `${text};` : text;
    const isFirst = statements[index - 1]?.isVariable !== true;
    const isLast = statements[index + 1]?.isVariable !== true;
    return `${isFirst ? `${keyword} ` : ','}${text}${isLast ? ';' : ''}`;
  });
  return parts.join('');
}

export function needsEnd({ type }, text) {
  return !/^(?:Function|Class)Declaration$/.test(type) && !text.endsWith(';');
}

function editsIn(node, wordsFor) {
  const edits = [];
  eachIdentifier(node, ({ name, start, end }, use) => {
    const words = wordsFor(name);
    if (words === undefined) return;
    edits.push({ start, end, text: use === 'property' ? `${name}:${words}` : words });
  });
  return edits;
}

function edited(code, edits, { start, end }) {
  let text = '';
  let at = start;
  for (const edit of edits) {
    text += code.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + code.slice(at, end);
}

/**
 * Names are changed without a look at scopes. That is safe as long as nothing inside a function has the name of
 * something at the top, and esbuild gives short names so.
 */
export function refuseShadows(program, imported) {
  const statements = program.body.flatMap(oneByOne);
  const known = new Set([...imported, ...statements.flatMap(namesDeclaredBy)]);
  const inside = statements.flatMap(({ node }) => [
    ...paramsOf(node),
    ...childrenOf(node).flatMap(namesInside),
  ]);
  const shadow = inside.find((name) => known.has(name));
  if (shadow !== undefined) throw new Error(`a name at the top is declared inside as well: ${shadow}`);
}

export function namesInside(node) {
  const names = childrenOf(node).flatMap(namesInside);
  if (node.type === 'VariableDeclarator') names.push(...namesIn(node.id));
  if (/^(?:Function|Class)/.test(node.type) && node.id) names.push(node.id.name);
  return [...names, ...paramsOf(node)];
}

export function paramsOf({ params = [], param = [] }) {
  return [params, param].flat().flatMap(namesIn);
}

export function childrenOf(node) {
  return Object.values(node)
    .flat()
    .filter((child) => typeof child?.type === 'string');
}
