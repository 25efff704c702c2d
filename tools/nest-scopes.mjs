// All names at the top of a chunk are variables of one function. Of a function with more than 75 of them V8 keeps a
// table of names, which it fills anew in every process that reads the chunk's kept code. So the statements are put
// into blocks, each inside the one before it, none of which has so many.
import { textOf, topLevelOf } from './top-level.mjs';

const MOST_NAMES = 70;

/** The same statements in nested blocks. What stands in an outer block never mentions a name of an inner one. */
export function nestScopes(program, code) {
  const [outermost = [], ...inner] = blocksOf(topLevelOf(program));
  // A `var` in a block would be the function's again.
  const blocks = inner.map((statements) => `{${textOf(statements, code, undefined, 'let')}`);
  return textOf(outermost, code) + blocks.join('') + '}'.repeat(inner.length);
}

function blocksOf(statements) {
  const blocks = [];
  let names = Number.POSITIVE_INFINITY;
  for (const piece of inseparable(statements)) {
    const more = piece.flatMap(({ declares }) => declares).length;
    if (names + more > MOST_NAMES) blocks.push([]);
    names = names + more > MOST_NAMES ? more : names + more;
    blocks.at(-1).push(...piece);
  }
  return blocks;
}

/** Splits behind every statement up to which nothing is mentioned that is declared later. */
function inseparable(statements) {
  const places = new Map(statements.flatMap(({ declares }, index) => declares.map((name) => [name, index])));
  const pieces = [[]];
  let last = 0;
  for (const [index, one] of statements.entries()) {
    last = Math.max(last, index, ...[...one.mentions].map((name) => places.get(name)));
    pieces.at(-1).push(one);
    if (last === index) pieces.push([]);
  }
  return pieces.filter((piece) => piece.length > 0);
}
