/** Commands that only print their arguments: nothing they say is done. */
const PRINTERS = new Set(['echo', 'printf']);

/**
 * Whether a pattern of the user's speaks of one of these commands, of its name or of what follows:
 * an option, a subcommand, a command that another one runs. Never inside a quoted argument, which is
 * prose, and a pattern that begins with a name counts only where a word begins.
 */
export function matchesCommand(
  pattern: string,
  text: string,
  lines: readonly (readonly string[])[] | undefined,
): boolean {
  const expression = new RegExp(pattern, 'gi');
  // A line that does not parse is judged as it stands: rather held once too often than never.
  if (lines === undefined) return expression.test(text);
  return lines.some((words) => matchesWords(expression, words));
}

function matchesWords(expression: RegExp, words: readonly string[]): boolean {
  const line = words.join(' ');
  const named = beginsWithName(expression.source);
  const isPrinter = PRINTERS.has(words[0] ?? '');
  for (const { index, 0: found } of line.matchAll(expression)) {
    if (index === 0) return true;
    if (isPrinter) return false;
    const startsWord = line[index - 1] === ' ';
    if ((startsWord || !named) && !isInsideProse(index, found.length, words)) return true;
  }
  return false;
}

function beginsWithName(source: string): boolean {
  return /^(?:\\b|\(\?:|\()*[A-Za-z]/.test(source);
}

function isInsideProse(from: number, length: number, words: readonly string[]): boolean {
  let start = 0;
  for (const word of words) {
    const end = start + word.length;
    if (from >= start && from < end) return from + length <= end && /\s/.test(word);
    start = end + 1;
  }
  return false;
}
