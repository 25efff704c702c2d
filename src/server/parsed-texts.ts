import type { ParseLine } from '../core/config-cache';
import type { Json } from '../core/json';

/** More of them are not kept, nor are longer ones: nobody has so many projects at once. */
const MOST_TEXTS = 256;
const LONGEST_TEXT = 64 * 1024;

/** A text and what it was parsed to. */
interface Parsed {
  readonly text: string;
  readonly value: Json;
}

/**
 * Parses, and gives again what was parsed for a place before where the text is the same, letter by letter. So what
 * is kept cannot be out of date: the text is read anew for every event. Nobody can change what is kept either.
 */
export function parsedTexts(): ParseLine {
  const kept = new Map<string, Parsed>();
  return (place, text) => {
    const known = kept.get(place);
    if (known?.text === text) return known.value;
    const value = frozen(JSON.parse(text) as Json);
    if (kept.size >= MOST_TEXTS) kept.clear();
    // A line that was cut out of a file would keep the whole file in memory; its bytes do not.
    if (text.length <= LONGEST_TEXT) kept.set(place, { text: Buffer.from(text).toString(), value });
    return value;
  };
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
