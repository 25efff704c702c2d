import { jsonIn } from '../../../core/json';

/** Text that opens braces and never closes them is no answer; looking further would only cost time. */
const MOST_CHARACTERS_READ = 50_000_000;
const FENCE = /^[ \t]*```[ \t]*json\b[^\n]*$/gim;

/**
 * The JSON objects in a text that may be full of other things, likeliest answer first: those in blocks
 * marked as JSON from the top, then all others from the end.
 */
export function* objectsIn(text: string): Generator<unknown> {
  for (const fence of text.matchAll(FENCE)) {
    const open = text.indexOf('{', fence.index + fence[0].length);
    const value = open < 0 ? undefined : jsonIn(text.slice(open, closingOf(text, open)));
    if (value !== undefined) yield value;
  }
  const found = outermostObjects(text);
  for (const value of found.reverse()) yield value;
  const whole = jsonIn(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  if (whole !== undefined) yield whole;
}

function outermostObjects(text: string): unknown[] {
  const found: unknown[] = [];
  let read = 0;
  for (let at = text.indexOf('{'); at >= 0 && read < MOST_CHARACTERS_READ; at = text.indexOf('{', at)) {
    const end = closingOf(text, at);
    read += (end ?? text.length) - at;
    const value = end === undefined ? undefined : jsonIn(text.slice(at, end));
    if (value !== undefined) found.push(value);
    at = value === undefined || end === undefined ? at + 1 : end;
  }
  return found;
}

/** Where the object that begins at a brace ends; braces in its strings do not count. */
function closingOf(text: string, begin: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = begin; at < text.length; at++) {
    const char = text[at];
    if (char === '\\' && quoted) at++;
    else if (char === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (char === '{') depth++;
    else if (char === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}
