import type { Answer } from '../core/decision';
import type { Json } from '../core/json';

/** Above 10,000 characters the client hands the agent a file name instead of the text. */
const LONGEST = 9_900;

/** Remarks as one text, a blank line between them; undefined when there are none. */
export function joined(remarks: readonly string[]): string | undefined {
  return cut(remarks.filter((remark) => remark.trim() !== '').join('\n\n')) || undefined;
}

/** The text, or as much of it as the client delivers, with a last line that says so. */
export function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  const note = `\n[Cut here: the text has ${text.length} characters.]`;
  // The last character may be half of a pair that the cut has split.
  return text.slice(0, LONGEST - note.length).replace(/[\uD800-\uDBFF]$/, '') + note;
}

/** An answer on stdout: one line of JSON, or nothing at all when no member is given. */
export function say(
  members: { readonly [key: string]: Json | undefined },
  losses: readonly string[],
): Answer {
  const json = JSON.stringify(members);
  return { stdout: json === '{}' ? '' : `${json}\n`, stderr: '', exitCode: 0, losses };
}

/** A refusal by exit code, its reason on stderr. */
export function refuse(reason: string, stdout: string, losses: readonly string[]): Answer {
  return { stdout, stderr: `${reason}\n`, exitCode: 2, losses };
}
