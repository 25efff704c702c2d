// Looks into the syntax of a function, and writes parts of it anew.
import { childrenOf, namesIn, namesInside, paramsOf } from './top-level.mjs';

export const isFunction = ({ type }) => /^(?:Function|ArrowFunction)/.test(type);

/** The code of a node with other text for some of what is in it; `replace` is asked about each part, from the outside in. */
export function rewritten(node, code, replace) {
  const edits = [];
  collect(node, replace, edits);
  edits.sort((one, other) => one.start - other.start);
  let text = '';
  let at = node.start;
  for (const edit of edits) {
    text = besides(besides(text, code.slice(at, edit.start)), edit.text);
    at = edit.end;
  }
  return besides(text, code.slice(at, node.end));
}

/** `of[1]` must not become `ofa`. */
function besides(one, other) {
  return /[\w$]/.test(one.at(-1) ?? '') && /^[\w$]/.test(other) ? `${one} ${other}` : one + other;
}

function collect(node, replace, edits) {
  const text = replace(node);
  if (text !== undefined) {
    edits.push({ start: node.start, end: node.end, text });
    return;
  }
  for (const child of variablesAndParts(node)) {
    const value = node.shorthand ? shortened(child) : undefined;
    const word = value && replace(value);
    if (word === undefined) collect(child, replace, edits);
    else {
      edits.push({ start: value.start, end: value.end, text: `${value.name}:${word}` });
      if (child !== value) collect(child.right, replace, edits);
    }
  }
}

/** What `{ a }` or `{ a = 1 }` means by its only word. */
function shortened(value) {
  return value.type === 'AssignmentPattern' ? value.left : value;
}

/** All parts of a node but words that are no variables: `a.name`, `{ name: 1 }`, labels. */
function variablesAndParts(node) {
  const { type, computed, label, key, property } = node;
  const isKeyed = ['Property', 'MethodDefinition', 'PropertyDefinition'].includes(type);
  const word = isKeyed ? key : property;
  return childrenOf(node).filter((child) => child !== label && (computed || child !== word));
}

/** Every node below one, itself first. */
export function nodesIn(node, into = []) {
  into.push(node);
  for (const child of childrenOf(node)) nodesIn(child, into);
  return into;
}

/** The identifiers of variables below a node, as often as they stand there. */
export function variablesIn(node, into = []) {
  if (node.type === 'Identifier') into.push(node);
  else for (const child of variablesAndParts(node)) variablesIn(child, into);
  return into;
}

/** The nodes from one down to another. */
export function pathTo(node, isEnd) {
  if (isEnd(node)) return [node];
  for (const child of childrenOf(node)) {
    const path = pathTo(child, isEnd);
    if (path !== undefined) return [node, ...path];
  }
}

/** All names that are declared in a function, its parameters and those in their default values with them. */
export function namesDeclaredIn(fn) {
  return [...paramsOf(fn), ...[...fn.params, fn.body].flatMap(namesInside)];
}

/** The names of variables that get another value than that of their declaration. */
export function namesAssignedIn(node) {
  return nodesIn(node).flatMap((one) => {
    if (one.type === 'AssignmentExpression') return namesIn(one.left);
    if (one.type === 'UpdateExpression') return namesIn(one.argument);
    return /^For(?:Of|In)/.test(one.type) ? namesIn(one.left) : [];
  });
}
