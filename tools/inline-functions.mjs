// A function that is called in one place is put there instead: V8 makes an object of every function of a chunk, of its
// code and of its scope in every process that runs it, and the code alone costs a fraction of that.
import { parseSync } from 'oxc-parser';
import { inlineCall } from './inline-call.mjs';
import { namesAssignedIn, namesDeclaredIn, nodesIn, variablesIn } from './inline-text.mjs';
import { childrenOf, namesInside, namesOfTop, needsEnd } from './top-level.mjs';

/** The code of the statements with functions in the place of their only call, where `isMeant` allows it. */
export function inlineFunctions({ body }, code, { isMeant, wanted, imported }) {
  let pieces = body.map(({ start, end }) => pieceOf(code.slice(start, end)));
  const names = namesOf(pieces, imported);
  for (const { declares: name } of pieces.filter(({ node }) => isPlainFunction(node))) {
    const callee = pieces.find(({ declares }) => declares === name);
    const caller = wanted.includes(name) ? undefined : onlyCallerOf(callee, pieces);
    if (caller === undefined || !isMeant(caller.declares, name)) continue;
    const text = inlineCall(caller, callee, { ...names, label: `inlined${pieces.length}` });
    if (text === undefined) continue;
    const grown = pieceOf(text);
    if (isLong(grown) && hasLoop(grown.node)) continue;
    pieces = pieces.filter((one) => one !== callee).map((one) => (one === caller ? grown : one));
  }
  return pieces.map(({ node, text }) => (needsEnd(node, text) ? `${text};` : text)).join('');
}

/**
 * Of a function whose loop goes round some hundred times, such as one over the letters of a text, V8 makes machine
 * code, and of the whole of it.
 */
const MOST_AROUND_A_LOOP = 2500;

function isLong({ text }) {
  return text.length > MOST_AROUND_A_LOOP;
}

function hasLoop(node) {
  return nodesIn(node).some(({ type }) => /^(?:For|While|DoWhile)/.test(type));
}

/** One statement at the top, and how often it mentions which names. */
function pieceOf(text) {
  const { program, errors } = parseSync('piece.mjs', text);
  if (errors.length > 0 || program.body.length !== 1) throw new Error(`this is not one statement: ${text}`);
  const [node] = program.body;
  const counts = new Map();
  for (const { name } of variablesIn(node)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return { text, node, counts, declares: node.id?.name };
}

function onlyCallerOf({ declares: name, counts }, pieces) {
  const [caller, ...more] = pieces.filter((one) => one.declares !== name && one.counts.has(name));
  return counts.get(name) === 1 && more.length === 0 && caller?.counts.get(name) === 1 ? caller : undefined;
}

/** Names that a chunk has without declaring them. */
const GIVEN = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  'require',
  'module',
  'exports',
  'nodeRequire',
]);

/** Whether a function means the same wherever it stands, as far as its own words tell. */
function isPlainFunction(fn) {
  if (fn.type !== 'FunctionDeclaration' || fn.async || fn.generator) return false;
  if (nodesIn(fn).some((node) => isBound(node) || isOverruling(node))) return false;
  return !namesDeclaredIn(fn).some((name) => GIVEN.has(name));
}

function isBound({ type, name, kind, directive }) {
  if (type === 'Identifier') return name === 'arguments' || name === 'eval';
  if (type === 'VariableDeclaration') return kind !== 'let' && kind !== 'const';
  return ['ThisExpression', 'MetaProperty', 'Super'].includes(type) || typeof directive === 'string';
}

/** Whether a `finally` may end otherwise than by its end: what was returned before then counts no more. */
function isOverruling({ type, finalizer }) {
  const isLeft = (node) => /^(?:Return|Break|Continue)Statement$/.test(node.type);
  return type === 'TryStatement' && finalizer !== null && nodesIn(finalizer).some(isLeft);
}

/** What inlining has to know of the names of a chunk. */
function namesOf(pieces, imported) {
  const top = new Set([...imported, ...pieces.flatMap(({ node }) => namesOfTop(node))]);
  const assigned = new Set(pieces.flatMap(({ node }) => namesAssignedIn(node)));
  const inside = new Set(pieces.flatMap(({ node }) => childrenOf(node).flatMap(namesInside)));
  const everywhere = new Set(pieces.flatMap(({ counts }) => [...counts.keys()]));
  const isStableIn = ({ node }) => {
    const own = new Set([...namesAssignedIn(node), ...childrenOf(node).flatMap(namesOfVars)]);
    return (name) => !(top.has(name) ? assigned : own).has(name);
  };
  return { isStableIn, wordsFree: () => wordsFrom(inside, top, everywhere) };
}

/** A `var` inside of a function has no value up to its place, and another one in every turn of a loop. */
function namesOfVars(node) {
  return nodesIn(node).flatMap((one) =>
    one.type === 'VariableDeclaration' && one.kind === 'var' ? namesInside(one) : [],
  );
}

/** Words for variables, most of which other functions have as well: a new one would be one more thing to make. */
function* wordsFrom(inside, top, everywhere) {
  for (const word of inside) if (!top.has(word)) yield word;
  for (let count = 0; ; count++) {
    const word = `$${count.toString(36)}`;
    if (!everywhere.has(word)) yield word;
  }
}
