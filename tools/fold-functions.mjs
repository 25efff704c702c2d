// V8 makes an object of every function of a chunk in every process, run or not. So functions that few events run are
// put together into other functions, the folds, each of which is called when the first of what it holds is wanted.
import { callsAnything, textOf, topLevelOf } from './top-level.mjs';

/** The same code with functions folded: `foldOf` tells into which fold each goes, if any. What is `wanted` stays. */
export function foldFunctions(program, code, foldOf, wanted) {
  const statements = topLevelOf(program);
  const folded = foldable(statements, foldOf, wanted);
  const folds = [...new Set(folded.values())];
  const opened = (fold) => `fold${folds.indexOf(fold)}`;
  const text = (some, inside) =>
    textOf(some, code, (name) => {
      const fold = folded.get(name);
      return fold === undefined || fold === inside ? undefined : `${opened(fold)}().${name}`;
    });
  const inFold = (fold) => statements.filter(({ declares: [name] }) => folded.get(name) === fold);
  const texts = folds.map((fold) => {
    const own = inFold(fold);
    const names = own.filter(isFunction).flatMap(({ declares }) => declares);
    const once = `let unfolded={${names.join()}};${opened(fold)}=()=>unfolded;return unfolded`;
    return `${opened(fold)}=()=>{${text(own, fold)}${once}};`;
  });
  const slots = folds.length > 0 ? `var ${folds.map(opened).join()};` : '';
  return slots + text(inFold(undefined), undefined) + texts.join('');
}

function isFunction({ node }) {
  return node.type === 'FunctionDeclaration';
}

/** The names to fold, each with its fold: functions, and the variables that only those of one fold mention. */
function foldable(statements, foldOf, wanted) {
  const functions = new Map();
  for (const one of statements.filter(isFunction)) {
    const fold = foldOf(one);
    if (fold !== undefined && !wanted.includes(one.declares[0])) functions.set(one.declares[0], fold);
  }
  for (;;) {
    const folded = withVariables(functions, statements);
    const kept = statements.flatMap((one) => keptBy(one, folded)).filter((name) => functions.has(name));
    if (kept.length === 0) return folded;
    for (const name of kept) functions.delete(name);
  }
}

/** Only variables of which it makes no difference when their value is worked out. */
function withVariables(functions, statements) {
  const folded = new Map(functions);
  const variables = statements.filter(({ node, isVariable }) => isVariable && !callsAnything(node));
  for (let size = -1; size !== folded.size; ) {
    size = folded.size;
    for (const one of variables) {
      const [own] = one.declares;
      const users = statements.filter((other) => other !== one && other.mentions.has(own));
      const [fold, ...more] = new Set(users.map(({ declares: [name] }) => folded.get(name)));
      if (fold !== undefined && more.length === 0) folded.set(own, fold);
    }
  }
  return folded;
}

/**
 * What cannot be folded for the sake of one statement. Loading the chunk runs everything but functions; and a function
 * that is handed on, not called, would be unfolded by that alone.
 */
function keptBy({ node, declares: [own], mentions, handedOn }, folded) {
  const fold = folded.get(own);
  if (!isFunction({ node }) && fold === undefined) return [...mentions];
  return [...handedOn].filter((name) => folded.get(name) !== fold);
}
