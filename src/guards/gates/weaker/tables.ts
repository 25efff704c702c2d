/* Counts the rows of tables and loops that make several tests out of one. */

const LONGEST_TABLE = 20_000;
const MOST_TABLES = 500;

/** The list that a text begins with. */
function listIn(text: string): { readonly items: number; readonly end: number } | undefined {
  let depth = 0;
  let items = 1;
  for (const { 0: part, index } of text.matchAll(/[[{(\]})]|,(?!\s*[\]})])/g)) {
    depth += /[[{(]/.test(part) ? 1 : /[\]})]/.test(part) ? -1 : 0;
    if (depth === 0) return { items, end: index + part.length };
    if (part === ',' && depth === 1) items++;
  }
  return undefined;
}

/** What the tables of a file say about its tests. */
export interface Rows {
  /** How many additional tests come from lists that are written in the file. */
  readonly written: number;
  /** How many rows are skipped. */
  readonly skipped: number;
  /** How many tables cannot be counted: they are computed, or in another file. */
  readonly unknown: number;
}

/** Where a list is given a name, or makes tests: written there, or by its name. */
const USE =
  /^[ \t]*(?:export[ \t]+)?(?:(?:const|let|var)[ \t]+)?(?<to>\w+)[ \t]*(?::[^=\n]{0,200})?=(?!=)|(?<table>\b(?:it|test|describe|suite|context|specify)(?:\.\w+){0,4}\.each(?:\(|(?=`))|\bparametrize\(\s{0,80}(?:["'][^"'\n]{0,200}["']|[[(][^\])\n]{0,200}[\])])\s{0,80},\s{0,80}(?:argvalues=)?|@(?:Value|Csv)Source\((?:\s{0,80}\w+\s{0,80}=)?)|\b(?:of|range|in)[ \t]+(?:Object\.\w+\()?/gm;
/** The beginning of a list, with its type in Go; a text with a row in each line; or a name. */
const START =
  /\s{0,80}(?:(?<type>(?:\[\d*\]|map\[[\w.]+\])\*?(?:struct\s{0,80}\{[^{}]{0,2000}\}|[\w.]+))?(?<list>[[{(])|(?<text>`[^`]{0,5000})|(?<name>\w+))/y;
const MAKES_TESTS =
  /^[^}]{0,300}?(?:(?<![\w.$])(?:it|test|specify|describe|suite|context)(?:\.\w+){0,8}\(|\b[tb]\.(?:Run|Error|Fatal)|\bsubTest\()/;
const SKIPPED_ROW = /\bmarks\s{0,9}=[^\n]{0,100}\b(?:skip|xfail)/g;
/** Several attributes for one test in C#. */
const MORE_DATA = /\[InlineData\([^\n]{0,300}\n\s{0,80}(?=\[InlineData)/g;

export function rowsIn(code: string): Rows {
  const names: Names = new Map();
  const tables: (List | undefined)[] = [];
  let read = 0;
  for (const { 0: use, index, groups = {} } of code.matchAll(USE)) {
    const { to, table } = groups;
    const from = index + use.length;
    if (to !== undefined) names.set(to, from);
    else {
      const { list, end } = read++ < MOST_TABLES ? listAt(code, from, names) : { end: from };
      if (table !== undefined || MAKES_TESTS.test(code.slice(end, end + 400))) tables.push(list);
    }
  }
  const known = tables.filter((list) => list !== undefined);
  return {
    written: known.reduce((sum, { items }) => sum + items - 1, Array.from(code.matchAll(MORE_DATA)).length),
    skipped: known.reduce((sum, { skipped }) => sum + skipped, 0),
    unknown: tables.length - known.length,
  };
}

/** Where the last value of each name begins. */
type Names = Map<string, number>;
type List = { readonly items: number; readonly skipped: number };

/** The list at an index, or that of the name there, and where it ends. None if other lists are spread into it. */
function listAt(code: string, from: number, names: Names): { list?: List | undefined; end: number } {
  START.lastIndex = from;
  const { list: bracket, text: lines, name } = START.exec(code)?.groups ?? {};
  const end = Math.max(from, START.lastIndex);
  const named = names.get(name ?? '');
  if (named !== undefined) return { list: listAt(code, named, new Map()).list, end };
  if (lines !== undefined)
    return { list: { items: lines.split('\n').filter((line) => /\$\{/.test(line)).length, skipped: 0 }, end };
  if (bracket === undefined) return { end };
  const text = code
    .slice(end - 1, end + LONGEST_TABLE)
    .replace(/(['"`])(?:\\.|(?!\1)[^\\\n])*\1/g, (quoted) => '_'.repeat(quoted.length))
    .replace(/[ \t](?:\/\/|#[ \t]).*/g, (comment) => ' '.repeat(comment.length));
  const list = listIn(text);
  const part = text.slice(0, list?.end);
  if (list === undefined || /^.\s*[\])}]/.test(text) || part.includes('...')) return { end };
  return {
    list: { items: list.items, skipped: Array.from(part.matchAll(SKIPPED_ROW)).length },
    end: end - 1 + list.end,
  };
}
