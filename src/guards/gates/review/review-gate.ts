import type { ReviewJob } from '../detect/jobs';
import type { GateContext } from '../run/gate-context';
import type { GateResult } from '../run-result';
import { availableReviewers } from './available-reviewers';
import { concludeReview, unable } from './conclude-review';
import { ReviewDiffs } from './diff';
import { inLanes } from './lanes';
import { readLedger, type SlotRecord } from './ledger';
import { NO_CHANGES_TO_REVIEW, nobodyThere } from './messages';
import { type Prepared, prepareSlot } from './prepare-slot';
import { askInTurn, type SlotOutcome, unfilled } from './slot';
import { planSlots } from './slot-plan';

/** Reviewers wait for other machines, so there may be more of them than processors. */
const MOST_AT_ONCE = 4;

/**
 * Lets reviewers read what has changed, and holds what they say against what was said before. That a reviewer
 * objects and that it could not be asked are different things: the first fails the gate, the second is its error.
 */
export async function runReviewGate(job: ReviewJob, context: GateContext): Promise<GateResult> {
  const begun = performance.now();
  const records: ReadonlyMap<number, SlotRecord> = context.rerun ? readLedger(job, context) : new Map();
  for (const { troubles } of records.values()) {
    for (const text of troubles) context.report({ kind: 'warning', text });
  }
  const result = await review(job, context, records);
  return { ...result, durationMs: Math.round(performance.now() - begun) };
}

async function review(
  job: ReviewJob,
  context: GateContext,
  records: ReadonlyMap<number, SlotRecord>,
): Promise<GateResult> {
  const diffs = new ReviewDiffs(job, context);
  const prepared: Prepared[] = [];
  for (const plan of planSlots(job.gate.numReviews, records)) {
    prepared.push(await prepareSlot(plan, job, context, diffs));
  }
  for (const one of prepared) if (one.kind === 'broken') return unable(job, one.why);
  const toFill = prepared.filter((one) => one.kind === 'ask' || one.kind === 'done');
  if (toFill.length === 0 && records.size === 0) {
    return { id: job.id, status: 'pass', message: NO_CHANGES_TO_REVIEW, durationMs: 0 };
  }
  const filled = await fillSlots(toFill, job, context);
  return typeof filled === 'string' ? unable(job, filled) : concludeReview(job, records, filled);
}

type ToFill = Extract<Prepared, { kind: 'ask' | 'done' }>;

/** Each slot begins with another reviewer. Answers with a sentence where nobody is there for any of them. */
async function fillSlots(
  toFill: readonly ToFill[],
  job: ReviewJob,
  context: GateContext,
): Promise<readonly SlotOutcome[] | string> {
  const wanted = toFill.some(({ kind }) => kind === 'ask') ? job.gate.numReviews : 0;
  const { healthy, further, refused, health } = await availableReviewers(job, context, wanted);
  const hasHistory = toFill.some((one) => one.kind === 'done' || one.task.earlier !== undefined);
  if (wanted > 0 && healthy.length === 0 && !hasHistory) return nobodyThere(refused);
  const isParallel = job.gate.parallel && context.config.allowParallel;
  return inLanes(toFill, isParallel ? MOST_AT_ONCE : 1, async (one) => {
    if (one.kind === 'done') return one.outcome;
    if (healthy.length === 0) return unfilled(one.task, job.gate.preference, nobodyThere(refused));
    const first = (one.task.slot - 1) % healthy.length;
    const inTurn = [...healthy.slice(first), ...healthy.slice(0, first), ...further];
    return askInTurn(one.task, inTurn, health);
  });
}
