const MOST = 200;

/** Path globs with their alternatives written out: `*.{ts,tsx}` becomes two. Braces may be nested. */
export function writtenOut(globs: readonly string[]): string[] {
  const done: string[] = [];
  const open = [...globs];
  for (let glob = open.shift(); glob !== undefined; glob = open.shift()) {
    const braces = /\{([^{}]*,[^{}]*)\}/.exec(glob);
    if (braces === null || done.length + open.length > MOST) {
      done.push(glob);
      continue;
    }
    const [whole, inner = ''] = braces;
    const [before, after] = [glob.slice(0, braces.index), glob.slice(braces.index + whole.length)];
    open.unshift(...inner.split(',').map((part) => before + part + after));
  }
  return [...new Set(done)];
}
