/**
 * Whether a text has only letters, digits and some signs, and at least one of them. A loop, because every event asks
 * this of ids, and to compile a pattern takes a new process longer than to look at each character.
 */
export function isPlainWord(text: string, signs = '_'): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isDigit = code >= 48 && code <= 57;
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    if (!isDigit && !isLetter && !signs.includes(text.charAt(at))) return false;
  }
  return text !== '';
}
