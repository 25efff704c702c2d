import { plural } from '../run/messages';

// Words about reviews, for whoever runs the gates. What reviewers are told stands in prompt.ts.

export const NO_CHANGES_TO_REVIEW = 'No changes to review';
export const NO_ANSWER = 'No valid JSON object found in output';
export const USAGE_LIMIT = 'Usage limit exceeded';
export const COMMAND_NOT_FOUND = 'Command not found';
export const UNNAMED_ISSUE = 'The reviewer failed the change without naming a violation';

export function someLeftOut(files: readonly string[]): string {
  const names = files.slice(0, 50).join(', ');
  const more = files.length > 50 ? ` and ${files.length - 50} more` : '';
  return `[This diff is too long to be shown whole. Parts are left out of: ${names}${more}. Read these files themselves.]\n\n`;
}

export function linesLeftOut(count: number): string {
  return `[… ${plural(count, 'more line')} of this file's diff left out …]\n`;
}

export function allLeftOut(file: string): string {
  return `[… the diff of ${file} is left out …]\n`;
}

export function noDiff(why: string): string {
  return `git could not tell what is to be reviewed: ${why}`;
}

export function nobodyThere(refused: readonly { readonly name: string; readonly why: string }[]): string {
  const each = refused.map(({ name, why }) => `${name}: ${why}`).join('; ');
  return `Preflight failed: no healthy adapters available (${each})`;
}

export function coolingDown(until: number): string {
  return `${USAGE_LIMIT}, asked again after ${new Date(until).toISOString()}`;
}

export function timedOut(seconds: number): string {
  return `Timed out after ${seconds}s`;
}

export function exitedWith(code: number, said: string): string {
  return `Exited with code ${code}${said === '' ? '' : `: ${said}`}`;
}

export function endedBy(signal: string): string {
  return `Ended by signal ${signal}`;
}

export function probeFailed(why: string): string {
  return `Error: ${why}`;
}

export function handedOn(id: string, slot: string, why: string, next: string): string {
  return `${id} (${slot}): ${why}; asking ${next} instead.`;
}

export function skippingSlot(slot: number, iteration: number): string {
  return `Skipping @${slot}: previously passed in iteration ${iteration} (num_reviews > 1)`;
}

export function safetyLatch(slot: number): string {
  return `Running @${slot}: safety latch (all slots previously passed)`;
}

export function notCompleted(expected: number, completed: number, why: readonly string[]): string {
  return `Failed to complete reviews. Expected: ${expected}, Completed: ${completed}. ${why.join('; ')}`;
}

export function brokenReview(file: string, why: string): string {
  return `${file} cannot be read as a review (${why}); all its violations count as open.`;
}

export function removedEntries(file: string, count: number): string {
  return `${plural(count, 'violation')} were taken out of ${file} instead of being marked; they count as open.`;
}

export function unknownStatus(file: string, status: string): string {
  return `${file} has a violation with the status ${JSON.stringify(status)}; known are "fixed" and "skipped". It counts as open.`;
}

export function healthNotWritten(file: string, why: string): string {
  return `${file} could not be written: ${why}`;
}

/** How much was left aside of what a reviewer said. */
export interface LeftAside {
  readonly outOfScope: number;
  readonly belowThreshold: number;
  readonly alreadySkipped: number;
}

export function asideParts(aside: LeftAside): readonly string[] {
  return [
    ...(aside.outOfScope > 0 ? [`${aside.outOfScope} out-of-scope violations filtered`] : []),
    ...(aside.belowThreshold > 0 ? [`${aside.belowThreshold} below-threshold violations filtered`] : []),
    ...(aside.alreadySkipped > 0 ? [`${aside.alreadySkipped} skipped violations repeated`] : []),
  ];
}

export function passedText(aside: LeftAside, skipped: number): string {
  const parts = [...asideParts(aside), ...(skipped > 0 ? [`${plural(skipped, 'violation')} skipped`] : [])];
  return parts.length === 0 ? 'Passed' : `Passed (${parts.join(', ')})`;
}

export function passedAll(count: number): string {
  return `${plural(count, 'review')} passed`;
}

export function failedText(open: number, unaddressed: number): string {
  const rest =
    unaddressed === 0 ? '' : ` (${unaddressed} from earlier runs marked neither "fixed" nor "skipped")`;
  return `Found ${plural(open, 'violation')}${rest}`;
}

export function moreOf(count: number): string {
  return `… and ${count} more`;
}
