const MARK = /(?:^|(?<=\s))(?:\[(\d{1,2})\]|(\d{1,2})[.)]|option\s+(\d{1,2})[:.)]?)\s+/gi;
const LONGEST_LABEL = 80;

/**
 * The menus in a text: runs of options numbered from one on, each with a short label. A list of sentences
 * is none: its labels are long.
 */
export function menusIn(text: string): string[][] {
  const marks = [...text.matchAll(MARK)].map((found) => ({
    number: Number(found[1] ?? found[2] ?? found[3]),
    start: found.index,
    end: found.index + found[0].length,
  }));
  const menus: string[][] = [];
  let options: string[] = [];
  for (const [index, { number, end }] of marks.entries()) {
    const label = labelOf(text.slice(end, marks[index + 1]?.start ?? text.length));
    if (number === 1 || number !== options.length + 1) {
      menus.push(options);
      options = [];
    }
    if (number === options.length + 1 && label.length <= LONGEST_LABEL) options.push(label);
  }
  return [...menus, options].filter((menu) => menu.length >= 2);
}

/** The first line, without the marks that make it bold or a list. */
function labelOf(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return line
    .replace(/^[*_`\-\s]+/, '')
    .replace(/[*_`]/g, '')
    .trim();
}
