import { durationText } from '../../core/text';
import type { Evidence, Requirement } from './section';

/* What a requirement needs as evidence, in words. */

/** How to get the evidence, with all of its conditions, as the end of a sentence. */
export function evidenceText({ command, dirs, markers, verdict, maxAgeSeconds }: Evidence): string {
  if (command !== undefined) return `make sure that \`${command}\` succeeds`;
  const parts = markers.map((marker) => `"${marker}"`);
  if (verdict !== undefined) parts.push(`"${verdict}" under "## Verdict"`);
  const last = parts.pop();
  const all = parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
  const content = all === undefined ? '' : ` that contains ${all}`;
  const age = maxAgeSeconds === undefined ? '' : ` (at most ${durationText(maxAgeSeconds)} old)`;
  return `write a Markdown file in ${dirs.join(' or ')}${content}${age}`;
}

/** The same as a sentence without its period, for a rule that does not say in words of its own what it asks for. */
export function undescribedEvidence({ description, message, evidence }: Requirement): string | undefined {
  if (evidence === undefined || (description ?? message) !== undefined) return undefined;
  return evidenceText(evidence).replace(/^[a-z]/, (letter) => letter.toUpperCase());
}
