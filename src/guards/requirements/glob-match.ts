/** `*` stays inside one directory, `**` crosses them, a name that ends with a slash means all that is in it. */
export function matchesPath(glob: string, path: string): boolean {
  const pattern = glob.replace(/^(?:\.\/)+/, '');
  const globs = (pattern.endsWith('/') ? `${pattern}**` : pattern).split('/');
  return matchRun(globs, path.split('/'), '**', matchesName);
}

/** `*` any run and `?` any one character, `[ab]` and `[!a-c]` one of a class; a backslash takes a sign's meaning away. */
export function matchesName(glob: string, name: string): boolean {
  const signs = /[[\\]/.test(glob) ? (glob.match(SIGNS) ?? []) : glob;
  return matchRun(signs, name, '*', fits);
}

const SIGNS = /\\.|\[[!^]?\]?(?:\\.|[^\]\\])*\]|./gs;

function fits(sign: string, letter: string): boolean {
  if (sign.length < 2) return sign === '?' || sign === letter;
  return sign[0] === '[' ? isInClass(sign.slice(1, -1), letter) : sign[1] === letter;
}

const MEMBERS = /(?:\\.|[^\\])-(?:\\.|[^\\])|\\?./gs;

function isInClass(text: string, letter: string): boolean {
  const negated = text[0] === '!' || text[0] === '^';
  const members = text.slice(negated ? 1 : 0).match(MEMBERS) ?? [];
  const found = members.some((member) => {
    const [from = '', to = from] = member.replace(/\\(.)/gs, '$1').split(/(?<=.)-/s);
    return from <= letter && letter <= to;
  });
  return found !== negated;
}

/**
 * Matches item by item; `star` stands for any run of them. Walks back to the last star only, so that
 * no pattern and no path, however long, can make it hang.
 */
function matchRun(
  globs: ArrayLike<string>,
  parts: ArrayLike<string>,
  star: string,
  fits: (glob: string, part: string) => boolean,
): boolean {
  let [g, p, last, mark] = [0, 0, -1, 0];
  while (p < parts.length) {
    const glob = globs[g];
    if (glob === star) {
      last = g++;
      mark = p;
    } else if (glob !== undefined && fits(glob, parts[p] ?? '')) {
      g++;
      p++;
    } else if (last >= 0) {
      g = last + 1;
      p = ++mark;
    } else return false;
  }
  while (globs[g] === star) g++;
  return g === globs.length;
}
