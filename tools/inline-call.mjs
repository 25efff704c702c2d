// Puts the body of a function in the place of the one call of it.
import { asExpression, asStatements } from './inline-body.mjs';
import { parametersOf } from './inline-parameters.mjs';
import { asValueAt } from './inline-reference.mjs';
import { rebuilt, siteOf } from './inline-site.mjs';
import { isFunction, namesDeclaredIn, nodesIn, pathTo, rewritten, variablesIn } from './inline-text.mjs';
import { childrenOf, namesInside, paramsOf } from './top-level.mjs';

/**
 * The caller's code with the callee in it, if that can be. Both are the code and the syntax of one statement; `isStableIn`
 * tells which names keep their value in either, and `wordsFree` are words for new variables.
 */
export function inlineCall(caller, callee, { isStableIn, wordsFree, label }) {
  const fn = callee.node;
  const path = pathTo(caller.node, (node) => isCallOf(node, fn.id.name));
  const site = path && siteOf(path);
  if (site === undefined || sharesLabel(caller.node, fn) || hidesName(caller.node, fn)) return;
  const call = path.at(-1);
  const textOf = (node, instead) => rewritten(node, caller.text, (one) => instead?.get(one));
  const taken = new Set([...variablesIn(caller.node), ...variablesIn(fn)].map(({ name }) => name));
  const freshName = () => nextOf(wordsFree(), taken);
  const names = { isStableName: isStableIn(caller), isStableInside: isStableIn(callee), textOf, freshName };
  const words = new Map(renamed(fn, caller.node, freshName));
  const parameters = parametersOf(fn, call, names);
  if (parameters === undefined) return;
  const all = new Map([...words, ...parameters.words]);
  const say = (node, replace) =>
    rewritten(
      node,
      callee.text,
      (one) => replace?.(one) ?? (one.type === 'Identifier' ? all.get(one.name) : undefined),
    );
  const put = (node, text) => rewritten(caller.node, caller.text, (one) => (one === node ? text : undefined));

  const whole = asExpression(fn, parameters.steps, say, (text) => asValueAt(path, text));
  if (whole?.names.length === 0) return put(call, whole.text);
  const make = (sink) => asStatements(fn, parameters.steps, sink, say, label);
  const text = rebuilt(site, { ...names, make }) ?? withNames(site, call, whole, { fn, all, textOf });
  return text && put(site.slot, site.isInList ? text : `{${text}}`);
}

function isCallOf({ type, callee, optional }, name) {
  return type === 'CallExpression' && !optional && callee.type === 'Identifier' && callee.name === name;
}

function nextOf(words, taken) {
  for (const word of words) {
    if (taken.has(word)) continue;
    taken.add(word);
    return word;
  }
}

/** Another name for each of the callee's own that the caller has as well. */
function renamed(fn, caller, freshName) {
  const there = new Set(variablesIn(caller).map(({ name }) => name));
  const clashing = new Set(namesDeclaredIn(fn).filter((name) => there.has(name)));
  return [...clashing].map((name) => [name, freshName()]);
}

function sharesLabel(...nodes) {
  const [here, there] = nodes.map((node) => nodesIn(node).flatMap(({ label }) => label?.name ?? []));
  return here.some((name) => there.includes(name));
}

/** Whether the callee means by a name something else than the caller. */
function hidesName(caller, fn) {
  const own = new Set(namesDeclaredIn(fn));
  const there = new Set([...paramsOf(caller), ...childrenOf(caller).flatMap(namesInside)]);
  return variablesIn(fn).some(({ name }) => !own.has(name) && there.has(name));
}

/** The statement of the call with the callee as an expression in it, behind a declaration of the names for that. */
function withNames({ slot, isArrow }, call, whole, { fn, all, textOf }) {
  // A head is worked out again and again, and functions made there would share what they have to have each for itself.
  const isLoop = /^(?:For|While|DoWhile)/.test(slot.type);
  const inside = [...fn.params, fn.body].flatMap((node) => nodesIn(node));
  if (whole === undefined || (isLoop && inside.some(isMade))) return;
  const text = textOf(slot, new Map([[call, whole.text]]));
  const declared = whole.names.map((name) => all.get(name) ?? name);
  return `let ${declared.join()};${isArrow ? `return ${text}` : text}`;
}

const isMade = (node) => isFunction(node) || node.type.startsWith('Class');
