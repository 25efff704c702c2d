/** The lines of a text, whichever way they end; a byte order mark at the front is none of it. */
export function linesOf(text: string): string[] {
  return (text.startsWith('\uFEFF') ? text.slice(1) : text).split(/\r\n?|\n/);
}

/** A line with its tabs widened to stops of four, so that a place in it is also a column. */
export function widen(line: string): string {
  const [first = '', ...rest] = line.includes('\t') ? line.split('\t') : [line];
  return rest.reduce((wide, part) => wide + ' '.repeat(4 - (wide.length % 4)) + part, first);
}

/** A line without the spaces and tabs at its ends. Not `trim`: other white space is text to Markdown. */
export function strip(line: string): string {
  let start = 0;
  let end = line.length;
  while (isBlank(line[start])) start += 1;
  while (end > start && isBlank(line[end - 1])) end -= 1;
  return line.slice(start, end);
}

/** The first place at or after `from` that holds no space. */
export function skipSpaces(wide: string, from: number): number {
  return wide[from] === ' ' ? runEnd(wide, from) : from;
}

/** Where the run of one character ends that begins at `from`. */
export function runEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] === text[from]) at += 1;
  return at;
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t';
}
