// Which functions of the chunks stand in which fold, as `node bench/list-seldom.mjs` has chosen it.
import { appendFileSync, readFileSync } from 'node:fs';
import { isMovable } from './fold-functions.mjs';
import { functionsMadeBy } from './top-level.mjs';

/** A line for each source file of each fold: the chunk, the fold, the file, and its functions and variables. */
export const LIST = new URL('./seldom.txt', import.meta.url);
/** A file to write all functions to, for who wants to see which are run: each then has a name of its own. */
const { HOLDPOINT_FUNCTIONS: noteFile } = process.env;

/** What the build has to know of the functions of one chunk. One that is not on the list stays where it is. */
export function functionsOf(chunk) {
  if (noteFile !== undefined)
    return { foldOf: () => undefined, nameFor: (origin, one) => noted(chunk, origin, one) };
  const folds = new Map(foldsIn(chunk));
  return { foldOf: ({ file, name }) => folds.get(`${file} ${name}`), nameFor: () => undefined };
}

function foldsIn(chunk) {
  const lines = readFileSync(LIST, 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [of, fold, file, ...names] = line.split(' ');
    return of === chunk ? names.map((name) => [`${file} ${name}`, fold]) : [];
  });
}

let count = 0;

/** Notes with it what may make a chunk want it: to be mentioned is all that is seen of a variable. */
function noted(chunk, { file, name }, one) {
  const id = `seen${count++}`;
  const { declares, mentions, handedOn, atOnce, isVariable = false } = one;
  const note = {
    ...{ id, chunk, file, name, isVariable, isMovable: isMovable(one), size: functionsMadeBy(one.node) },
    ...{ short: declares[0], mentions: [...mentions], handedOn: [...handedOn], atOnce: [...atOnce] },
  };
  appendFileSync(noteFile, `${JSON.stringify(note)}\n`);
  return id;
}
