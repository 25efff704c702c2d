/** The known name that was probably meant, if one is close enough to say so. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = fold(name);
  let best: string | undefined;
  let bestDistance = farthest(wanted) + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, fold(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `triggerTools`, `trigger-tools` and `trigger_tools` are one name to a reader. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}

/** A short word is another word after two changes. */
function farthest(name: string): number {
  return name.length <= 4 ? 1 : 2;
}

/** Damerau-Levenshtein distance with adjacent swaps; `enough` or more where it is not below that. */
function editDistance(from: string, to: string, enough: number): number {
  if (Math.abs(from.length - to.length) >= enough) return enough;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swap = swapped ? at(beforeLast, column - 2) + 1 : enough;
      const change = at(last, column - 1) + (same ? 0 : 1);
      current.push(Math.min(at(last, column) + 1, at(current, column - 1) + 1, change, swap));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
