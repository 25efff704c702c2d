/** What a difference says of one file. */
export interface FileDiff {
  /** Its name now; of a deleted file, the one it had. */
  readonly file: string;
  /** With all its headers, as git printed it. */
  readonly text: string;
  /** The numbers, in the file as it is now, of the lines that were added. */
  readonly added: ReadonlySet<number>;
}

const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/;
const NAMING = [
  ['+++ ', 'b/'],
  ['--- ', 'a/'],
  ['rename to ', ''],
  ['copy to ', ''],
] as const;

/** Cuts what git printed into files. A line of content never begins as a header does. */
export function splitDiff(printed: string): readonly FileDiff[] {
  return printed
    .split(/^(?=diff --git )/m)
    .filter((text) => text.startsWith('diff --git '))
    .map((text) => {
      const lines = text.split('\n');
      return { file: nameOf(lines), text, added: addedIn(lines) };
    });
}

function addedIn(lines: readonly string[]): ReadonlySet<number> {
  const added = new Set<number>();
  let next = 0;
  for (const line of lines) {
    const hunk = HUNK.exec(line);
    if (hunk !== null) next = Number(hunk[1]);
    else if (next === 0) continue;
    else if (line.startsWith('+')) added.add(next++);
    else if (line.startsWith(' ')) next++;
  }
  return added;
}

/** Some kinds of changes have no lines of their own to name the file; then the first one has to do. */
function nameOf(lines: readonly string[]): string {
  const begin = lines.findIndex((line) => line.startsWith('@@ '));
  const heads = begin < 0 ? lines : lines.slice(0, begin);
  for (const [head, prefix] of NAMING) {
    const line = heads.find((one) => one.startsWith(head));
    const name = line?.slice(head.length).replace(/\t$/, '');
    if (name !== undefined && name !== '/dev/null') return unquoted(name).slice(prefix.length);
  }
  return nameInFirst((lines[0] ?? '').slice('diff --git '.length));
}

/** `a/NAME b/NAME`: both are the same here, so the second is half of it. */
function nameInFirst(rest: string): string {
  return unquoted(rest.slice((rest.length + 1) / 2)).slice(2);
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  v: '\v',
  f: '\f',
};

/** git puts names with odd characters between quotes; bytes written as numbers make characters only together. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  const parts = [...name.slice(1, -1).matchAll(/\\([0-7]{3}|.)|[^\\]+/gs)].map(([whole, sign]) => {
    if (sign === undefined) return Buffer.from(whole);
    return sign.length === 3 ? Buffer.from([Number.parseInt(sign, 8)]) : Buffer.from(ESCAPES[sign] ?? sign);
  });
  return Buffer.concat(parts).toString('utf8');
}
