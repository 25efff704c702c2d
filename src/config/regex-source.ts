/**
 * A pattern as JavaScript writes it. Older config files hold Python's dialect, of which these few
 * spellings differ; matching ignores case anyway, so a leading `(?i)` says nothing new.
 */
export function regexSource(pattern: string): string {
  return pattern
    .replace(/^\(\?i\)/, '')
    .replaceAll('(?P<', '(?<')
    .replace(/\(\?P=(\w+)\)/g, '\\k<$1>')
    .replace(/\\(\\|A|Z)/g, (whole, letter: string) => {
      if (letter === 'A') return '^';
      return letter === 'Z' ? '$' : whole;
    });
}

export function isRegexSource(pattern: string): boolean {
  try {
    new RegExp(regexSource(pattern), 'i');
    return true;
  } catch {
    return false;
  }
}
