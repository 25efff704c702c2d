// Which functions of the chunks few events run, as `node bench/list-seldom.mjs` has seen it.
import { appendFileSync, readFileSync } from 'node:fs';

/** A line for each source file of each chunk: the chunk, the file, and its functions; behind a dash, one that none ran. */
export const LIST = new URL('./seldom.txt', import.meta.url);
/** A file to write all functions to, for who wants to see which are run: each then has a name of its own. */
const { HOLDPOINT_FUNCTIONS: noteFile } = process.env;

/**
 * What the build has to know of the functions of one chunk. The seldom ones go together with others of their file, and
 * with each other what no event ran. One that is not on the list stays where it is.
 */
export function functionsOf(chunk) {
  if (noteFile !== undefined) return { foldOf: () => undefined, nameFor: (origin) => noted(chunk, origin) };
  const folds = new Map(foldsIn(chunk));
  return { foldOf: ({ file, name }) => folds.get(`${file} ${name}`), nameFor: () => undefined };
}

function foldsIn(chunk) {
  const lines = readFileSync(LIST, 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [of, file, ...names] = line.split(' ');
    if (of !== chunk) return [];
    return names.map((name) =>
      name[0] === '-' ? [`${file} ${name.slice(1)}`, '-'] : [`${file} ${name}`, file],
    );
  });
}

let count = 0;

function noted(chunk, { file, name }) {
  const id = `seen${count++}`;
  appendFileSync(noteFile, `${id} ${chunk} ${file} ${name}\n`);
  return id;
}
