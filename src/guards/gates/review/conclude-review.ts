import type { ReviewJob } from '../detect/jobs';
import type { Activity, GateResult, SlotResult } from '../run-result';
import type { SlotRecord } from './ledger';
import { failedText, moreOf, NO_CHANGES_TO_REVIEW, notCompleted, passedAll } from './messages';
import { findingLines } from './review-log';
import type { SlotOutcome } from './slot';
import { type Violation, violationText } from './violation';

const MOST_LINES_SHOWN = 30;

/**
 * What the slots of a review come to. An objection is certain, so it outweighs reviewers that could not be
 * asked; without one, every slot must have been filled.
 */
export function concludeReview(
  job: ReviewJob,
  records: ReadonlyMap<number, SlotRecord>,
  outcomes: readonly SlotOutcome[],
): GateResult {
  const rest = [...records.values()].filter(({ slot }) => slot > job.gate.numReviews);
  const open = [...outcomes.flatMap(openIn), ...rest.flatMap(unmarked)];
  const unfilled = outcomes.filter(({ result }) => result.status === 'error');
  const slots = [...outcomes.map(({ result }) => result), ...rest.flatMap(slotOfRest)];
  const status = open.length > 0 ? 'fail' : unfilled.length > 0 ? 'error' : 'pass';
  const logs = [...slots].sort((a, b) => rank(a) - rank(b)).flatMap(({ log }) => log ?? []);
  const reviews = [
    ...outcomes.flatMap(fileOf),
    ...rest.flatMap((one) => (unmarked(one).length > 0 ? one.json : [])),
  ];
  const skippedFindings =
    outcomes.reduce((sum, one) => sum + skippedIn(one), 0) + rest.flatMap(skippedOf).length;
  const activity = outcomes.flatMap(activityOf);
  return {
    id: job.id,
    status,
    message: messageOf(outcomes, open, unfilled, rest),
    durationMs: 0,
    ...(logs[0] !== undefined && { log: logs[0] }),
    ...(reviews.length > 0 && { reviews }),
    ...(open.length > 0 && { tail: tailOf(open) }),
    ...(skippedFindings > 0 && { skippedFindings }),
    violations: open.length,
    slots,
    ...(activity.length > 0 && { activity }),
  };
}

/** A review that nobody could be asked for, or about nothing that could be shown. */
export function unable({ id }: ReviewJob, message: string): GateResult {
  return { id, status: 'error', message, durationMs: 0 };
}

function messageOf(
  outcomes: readonly SlotOutcome[],
  open: readonly Violation[],
  unfilled: readonly SlotOutcome[],
  rest: readonly SlotRecord[],
): string {
  const why = unfilled.map(({ result }) => `${result.slot}: ${result.message}`);
  const incomplete = notCompleted(outcomes.length, outcomes.length - unfilled.length, why);
  if (open.length === 0) {
    if (unfilled.length > 0) return incomplete;
    const [only] = outcomes;
    if (only === undefined) return NO_CHANGES_TO_REVIEW;
    return outcomes.length === 1 ? only.result.message : passedAll(outcomes.length);
  }
  const unaddressed = outcomes.reduce(
    (sum, { judgement, earlier }) =>
      sum + (judgement?.unaddressed ?? (earlier ? unmarked(earlier).length : 0)),
    rest.flatMap(unmarked).length,
  );
  const found = failedText(open.length, unaddressed);
  return unfilled.length > 0 ? `${found}. ${incomplete}` : found;
}

/** Where nobody could verify, what was open before is open still. */
function openIn({ judgement, earlier }: SlotOutcome): readonly Violation[] {
  return judgement?.open ?? (earlier === undefined ? [] : unmarked(earlier));
}

/** The file in which the agent is to answer. */
function fileOf({ result, earlier }: SlotOutcome): readonly string[] {
  if (result.review !== undefined) return [result.review];
  return earlier !== undefined && unmarked(earlier).length > 0 ? [earlier.json] : [];
}

function unmarked({ violations }: SlotRecord): readonly Violation[] {
  return violations.filter(({ status }) => status === 'new');
}

function skippedOf({ violations }: SlotRecord): readonly Violation[] {
  return violations.filter(({ status }) => status === 'skipped');
}

function skippedIn({ judgement, earlier }: SlotOutcome): number {
  return judgement?.skipped.length ?? (earlier === undefined ? 0 : skippedOf(earlier).length);
}

/** Told once: by the run that has written it into a file of its own. */
function activityOf({ result, judgement, earlier }: SlotOutcome): readonly Activity[] {
  if (result.status === 'error') return [];
  const skipped = (earlier?.newlySkipped ?? []).map(
    (one): Activity => ({
      what: 'skipped',
      who: result.slot,
      details: violationText(one),
      ...(one.result !== undefined && { reason: one.result }),
    }),
  );
  const fixed = (judgement?.fixed ?? []).map(
    (one): Activity => ({ what: 'fixed', who: result.slot, details: violationText(one) }),
  );
  return [...fixed, ...skipped];
}

/** A slot that the config no longer has is asked no more; what is open in it has to be answered still. */
function slotOfRest(record: SlotRecord): readonly SlotResult[] {
  const open = unmarked(record).length;
  if (open === 0) return [];
  const slot = `${record.adapter}@${record.slot}`;
  return [{ slot, status: 'fail', message: failedText(open, open), durationMs: 0, review: record.json }];
}

function tailOf(open: readonly Violation[]): string {
  const lines = findingLines(open);
  const shown = lines.slice(0, MOST_LINES_SHOWN);
  return [...shown, ...(lines.length > shown.length ? [moreOf(lines.length - shown.length)] : [])].join('\n');
}

function rank({ status }: SlotResult): number {
  return ['fail', 'error', 'pass', 'skipped', 'cached'].indexOf(status);
}
