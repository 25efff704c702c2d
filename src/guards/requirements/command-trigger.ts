/** Commands that only print their arguments: nothing they say is done. */
const PRINTERS = new Set(['echo', 'printf']);

/**
 * Whether a pattern of the user's speaks of one of these commands. It must match where the command
 * begins; a pattern for something further on, such as an option, may match later, but never inside
 * one quoted argument, which is prose.
 */
export function matchesCommand(
  pattern: string,
  text: string,
  lines: readonly (readonly string[])[] | undefined,
): boolean {
  const expression = new RegExp(pattern, 'i');
  // A line that does not parse is judged as it stands: rather held once too often than never.
  if (lines === undefined) return expression.test(text);
  return lines.some((words) => matchesWords(expression, words));
}

function matchesWords(expression: RegExp, words: readonly string[]): boolean {
  const match = expression.exec(words.join(' '));
  if (match === null || match.index === 0) return match !== null;
  if (PRINTERS.has(words[0] ?? '') || beginsWithName(expression.source)) return false;
  return !isInsideProse(match.index, match[0].length, words);
}

/** A pattern that begins with a word names a command, so it counts only where a command stands. */
function beginsWithName(source: string): boolean {
  return /^(?:\\b|\(\?:|\()*[A-Za-z]/.test(source);
}

function isInsideProse(from: number, length: number, words: readonly string[]): boolean {
  let start = 0;
  for (const word of words) {
    const end = start + word.length;
    if (from >= start && from + length <= end) return /\s/.test(word);
    start = end + 1;
  }
  return false;
}
