import { hiddenLines } from './blocks';
import { linesOf, strip, widen } from './lines';

/** In characters. A longer text is not read: what stands in its last line depends on all lines before. */
const LONGEST_TEXT = 1_048_576;

export interface SignalsFound {
  /** The last line that is one of the signals, stands where it counts, and holds nothing else. */
  readonly accepted?: string;
  /** A signal occurs in the text, to the letter, but no line of it counts. */
  readonly nearMiss: boolean;
}

/** Looks for signals, each a line without spaces or tabs at its ends, in a text that is Markdown. */
export function signalsIn(text: string, signals: readonly string[]): SignalsFound {
  if (!signals.some((signal) => text.includes(signal))) return { nearMiss: false };
  const accepted = linesOutsideCode(text).findLast((line) => signals.includes(line));
  return accepted === undefined ? { nearMiss: true } : { accepted, nearMiss: false };
}

/**
 * The lines that count, without spaces and tabs at their ends; blank ones are left out. A line does not count if it
 * is, or shares with other lines, code, a comment, or HTML that is not shown as text. Where parsers disagree it has to
 * count for all.
 */
export function linesOutsideCode(text: string): readonly string[] {
  if (text.length > LONGEST_TEXT) return [];
  const lines = linesOf(text);
  const wide = lines.map(widen);
  const hidden = [false, true].map((astray) => hiddenLines(wide, astray));
  return lines.map(strip).filter((line, number) => line !== '' && !hidden.some((each) => each.has(number)));
}
