/** Sequences that colour or move, and control characters that would do the same. */
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/g;
const TAB = 0x09;
const NEWLINE = 0x0a;
const DELETE = 0x7f;

/** A text as it reads: without anything that only a terminal obeys. Newlines and tabs stay. */
export function plainText(text: string): string {
  return hasControl(text) ? text.replace(SEQUENCES, '').replace(CONTROLS, '') : text;
}

/** Nearly no text has a sign of that kind, and to compile the patterns takes longer than to look for one. */
function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== TAB && code !== NEWLINE) || code === DELETE) return true;
  }
  return false;
}
