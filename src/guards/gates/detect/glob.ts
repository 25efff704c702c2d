/** More alternatives than this are no pattern that a person wrote; the rest of the braces stand for themselves. */
const MOST_ALTERNATIVES = 500;

/** A character, one that a backslash takes the meaning from, or a choice in brackets. */
const SIGN = /\\.|\[[!^]?.[^\]]*\]|./gsu;

/** What one sign of a pattern takes: any run of characters, or one of some. */
type Sign = '*' | ((char: string) => boolean);

/** Whether anything in a text stands for more than itself. */
export function isGlob(text: string): boolean {
  return /[*?[{]/.test(text);
}

/**
 * A pattern for whole paths, with `*` and `?` inside one name, `**` across directories, `[a-z]`, `[!a]`
 * and `{a,b}`. No path, however long, can make it hang.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const globs = alternatives(pattern).map((one) => one.split('/').map(signsOf));
  return (path) => {
    const names = path.split('/').map((name) => [...name]);
    return globs.some((segments) => matchRun(segments, names, isAnyDirectories, matchName));
  };
}

/** Braces written out, the innermost first. */
function alternatives(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let glob = open.pop(); glob !== undefined; glob = open.pop()) {
    const braces = /\{([^{}]*,[^{}]*)\}/.exec(glob);
    if (braces === null || done.length + open.length > MOST_ALTERNATIVES) {
      done.push(glob);
      continue;
    }
    const [whole, inner = ''] = braces;
    const [before, after] = [glob.slice(0, braces.index), glob.slice(braces.index + whole.length)];
    open.push(...inner.split(',').map((part) => before + part + after));
  }
  return done;
}

function signsOf(name: string): readonly Sign[] | '**' {
  if (name === '**') return name;
  return [...name.matchAll(SIGN)].map(([sign]) => {
    if (sign === '*') return sign;
    if (sign === '?') return () => true;
    if (sign.length === 1) return exactly(sign);
    return sign.startsWith('[') ? oneOf([...sign.slice(1, -1)]) : exactly(sign.replace('\\', ''));
  });
}

function exactly(wanted: string): Sign {
  return (char) => char === wanted;
}

/** What stands between brackets. */
function oneOf(inside: readonly string[]): Sign {
  const negated = inside[0] === '!' || inside[0] === '^';
  const set = negated ? inside.slice(1) : inside;
  return (char) => {
    for (let at = 0; at < set.length; at++) {
      const from = set[at] ?? '';
      const isRange = set[at + 1] === '-' && at + 2 < set.length;
      const to = isRange ? (set[at + 2] ?? from) : from;
      if (isRange) at += 2;
      if (char >= from && char <= to) return !negated;
    }
    return negated;
  };
}

function isAnyDirectories(segment: readonly Sign[] | '**'): boolean {
  return segment === '**';
}

function matchName(segment: readonly Sign[] | '**', name: readonly string[]): boolean {
  if (segment === '**') return true;
  return matchRun(
    segment,
    name,
    (sign) => sign === '*',
    (sign, char) => sign !== '*' && sign(char),
  );
}

/** Matches item by item; a star stands for any run of them. It goes back to the last star only. */
function matchRun<Sign, Part>(
  signs: readonly Sign[],
  parts: readonly Part[],
  isStar: (sign: Sign) => boolean,
  fits: (sign: Sign, part: Part) => boolean,
): boolean {
  let [s, p, last, mark] = [0, 0, -1, 0];
  while (p < parts.length) {
    const sign = signs[s];
    if (sign !== undefined && isStar(sign)) {
      last = s++;
      mark = p;
    } else if (sign !== undefined && fits(sign, parts[p] as Part)) {
      s++;
      p++;
    } else if (last >= 0) {
      s = last + 1;
      p = ++mark;
    } else return false;
  }
  return signs.slice(s).every(isStar);
}
