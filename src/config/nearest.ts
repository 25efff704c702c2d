/** The known name that was probably meant, if one is close enough. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = fold(name);
  // In a short word, two edits make a different word.
  let bestDistance = (wanted.length <= 4 ? 1 : 2) + 1;
  let best: string | undefined;
  for (const candidate of known) {
    const folded = fold(candidate);
    if (Math.abs(folded.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, folded);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

export function didYouMean(name: string): string {
  return `did you mean \`${name}\`?`;
}

/** `triggerTools`, `trigger-tools` and `trigger_tools` count as the same name. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}

/** Damerau-Levenshtein distance with adjacent swaps. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const change = at(row - 1, column - 1) + (isSame ? 0 : 1);
      const swap = isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
      rows[row]?.push(Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, change, swap));
    }
  }
  return at(from.length, to.length);
}
