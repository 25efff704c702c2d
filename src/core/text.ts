/** Whether a text has at least one character, and only ASCII letters, digits and these signs. */
export function isPlainWord(text: string, signs = '_'): boolean {
  return text !== '' && [...text].every((char) => /[0-9A-Za-z]/.test(char) || signs.includes(char));
}

/** A moment as ISO 8601 in UTC, with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
