/** Sequences that colour or move, and control characters that would do the same. */
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/g;

/** A text as it reads: without anything that only a terminal obeys. Newlines and tabs stay. */
export function plainText(text: string): string {
  return text.replace(SEQUENCES, '').replace(CONTROLS, '');
}
