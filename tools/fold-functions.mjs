// V8 makes an object of every function of a chunk in every process, run or not. So functions that few events run are
// put together into other functions, the folds, each of which is opened when the first of what it holds is wanted.
import { childrenOf, textOf, topLevelOf } from './top-level.mjs';

/**
 * The same code with functions and variables folded: `foldOf` tells into which fold each goes, if any. What is `wanted`
 * stays. An open fold is a list of what is mentioned elsewhere: an object with a property for each would take V8 longer
 * than all that folds save.
 */
export function foldFunctions(program, code, foldOf, wanted) {
  const statements = topLevelOf(program, wanted);
  const folded = foldable(statements, foldOf, wanted);
  const folds = [...new Set(folded.values())].map((fold, index) =>
    foldCalled(fold, index, statements, folded),
  );
  const places = new Map(folds.flatMap(placesIn));
  const text = (some, inside) =>
    textOf(some, code, (name) => (folded.get(name) === inside ? undefined : places.get(name)));
  const texts = folds.map(
    ({ fold, index, own, shown }) =>
      `open${index}=()=>{${text(own, fold)}return fold${index}=[${shown.join()}]};`,
  );
  const slots = folds.map(({ index }) => `var fold${index},open${index};`);
  const top = statements.filter(({ declares: [name] }) => !folded.has(name));
  return slots.join('') + text(top, undefined) + texts.join('');
}

/** What one fold holds, and which of its names are mentioned elsewhere. */
function foldCalled(fold, index, statements, folded) {
  const isOwn = ({ declares: [name] }) => folded.get(name) === fold;
  const own = statements.filter(isOwn);
  const elsewhere = new Set(statements.filter((one) => !isOwn(one)).flatMap(({ mentions }) => [...mentions]));
  const shown = own.map(({ declares: [name] }) => name).filter((name) => elsewhere.has(name));
  return { fold, index, own, shown };
}

function placesIn({ index, shown }) {
  return shown.map((name, place) => [name, `(fold${index}||open${index}())[${place}]`]);
}

/**
 * Whether a statement at the top may be run at another time, or never: functions, and variables of which it makes no
 * difference when their value is worked out. Who calls it by its place in an open fold gives it that list as `this`.
 */
export function isMovable({ node, isVariable, isAssigned, isConstant }) {
  if (isAssigned) return false;
  if (node.type === 'FunctionDeclaration') return !hasThis(node);
  return isVariable === true && isConstant && !(node.init && mayHaveThis(node.init));
}

function mayHaveThis(value) {
  const isOther = /^(?:Identifier|ParenthesizedExpression)$/.test(value.type);
  return isOther || (value.type === 'FunctionExpression' && hasThis(value));
}

function hasThis(node) {
  return childrenOf(node).some(
    (child) => child.type === 'ThisExpression' || (!/^Function/.test(child.type) && hasThis(child)),
  );
}

/** The names to fold, each with its fold: those that are told, and variables that only those of one fold mention. */
function foldable(statements, foldOf, wanted) {
  const told = new Map();
  for (const one of statements.filter(isMovable)) {
    const fold = foldOf(one);
    if (fold !== undefined && !wanted.includes(one.declares[0])) told.set(one.declares[0], fold);
  }
  for (;;) {
    const folded = withVariables(told, statements, wanted);
    const kept = statements.flatMap((one) => keptBy(one, folded)).filter((name) => told.has(name));
    if (kept.length === 0) return folded;
    for (const name of kept) told.delete(name);
  }
}

function withVariables(told, statements, wanted) {
  const folded = new Map(told);
  const variables = statements.filter(
    ({ declares: [own], isConstant }) => isConstant && !wanted.includes(own),
  );
  for (let size = -1; size !== folded.size; ) {
    size = folded.size;
    for (const one of variables.filter(({ declares: [own] }) => !folded.has(own))) {
      const [own] = one.declares;
      const users = statements.filter((other) => other !== one && other.mentions.has(own));
      const [fold, ...more] = new Set(users.map(({ declares: [name] }) => folded.get(name)));
      if (fold !== undefined && more.length === 0) folded.set(own, fold);
    }
  }
  return folded;
}

/**
 * What cannot be folded for the sake of one statement. Loading the chunk runs everything but functions; and to open a
 * fold must not open others, which might want the same one.
 */
function keptBy({ node, declares: [own], mentions, atOnce, isConstant }, folded) {
  if (node.type === 'FunctionDeclaration') return [];
  const fold = folded.get(own);
  if (fold !== undefined) return [...atOnce].filter((name) => folded.get(name) !== fold);
  return isConstant ? [...atOnce] : [...mentions];
}
