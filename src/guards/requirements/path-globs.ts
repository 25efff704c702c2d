/** As many globs as one with alternatives may stand for. */
export const MOST_WRITTEN_OUT = 200;

/** Globs with their alternatives written out: `*.{ts,tsx}` becomes two. Braces may be nested. */
export function writtenOut(globs: readonly string[]): string[] {
  const done: string[] = [];
  const open = [...globs];
  for (let glob = open.shift(); glob !== undefined; glob = open.shift()) {
    const braces = ALTERNATIVES.exec(glob);
    if (braces === null || done.length + open.length > MOST_WRITTEN_OUT) {
      done.push(glob);
      continue;
    }
    const [whole, inner = ''] = braces;
    const [before, after] = [glob.slice(0, braces.index), glob.slice(braces.index + whole.length)];
    open.unshift(...inner.split(',').map((part) => before + part + after));
  }
  return [...new Set(done)];
}

/** The innermost braces with a comma in them; a backslash takes their meaning away. */
const ALTERNATIVES = /(?<!\\)\{((?:\\.|[^{}\\])*,(?:\\.|[^{}\\])*)\}/;
