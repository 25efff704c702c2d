import type { ReviewJob } from '../detect/jobs';
import type { GateContext } from '../run/gate-context';
import { GateLog } from '../run/gate-log';
import type { ReviewDiff, ReviewDiffs } from './diff';
import type { SlotRecord } from './ledger';
import { NO_CHANGES_TO_REVIEW, safetyLatch, skippingSlot } from './messages';
import { type SlotOutcome, type SlotTask, settle } from './slot';
import { writeSlotFile } from './slot-file';
import type { SlotPlan } from './slot-plan';

/** What is left to do for a slot. */
export type Prepared =
  | { readonly kind: 'ask'; readonly task: SlotTask }
  | { readonly kind: 'done'; readonly outcome: SlotOutcome }
  /** Nothing has changed, and nothing was ever said. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'broken'; readonly why: string };

/** Finds what a slot's reviewer has to look at, or does without one where there is nothing. */
export async function prepareSlot(
  plan: SlotPlan,
  job: ReviewJob,
  context: GateContext,
  diffs: ReviewDiffs,
): Promise<Prepared> {
  const { slot, earlier } = plan;
  if (plan.kind === 'skip') return { kind: 'done', outcome: skipSlot(plan, job, context) };
  if (plan.isLatch) context.report({ kind: 'note', text: `${job.id} ${safetyLatch(slot)}` });
  const common = { job, context, slot };
  if (earlier !== undefined) return verify({ ...common, earlier }, diffs);
  const diff = await diffs.notPassed();
  if (!diff.ok) return { kind: 'broken', why: diff.failure };
  if (isEmpty(diff.value)) return { kind: 'nothing' };
  return { kind: 'ask', task: { ...common, shown: diff.value, scope: diff.value } };
}

type Verification = Pick<SlotTask, 'job' | 'context' | 'slot'> & { readonly earlier: SlotRecord };

/** After an answer, what has changed since is shown; everything, where that does not tell whether fixes are there. */
async function verify(common: Verification, diffs: ReviewDiffs): Promise<Prepared> {
  const { earlier } = common;
  const since = earlier.isLatest ? await diffs.sinceLastRun() : undefined;
  if (since !== undefined && !isEmpty(since)) {
    return { kind: 'ask', task: { ...common, shown: since, scope: since } };
  }
  const claims = earlier.violations.some(({ status }) => status === 'fixed');
  if (since !== undefined && !claims) return { kind: 'done', outcome: carryOver(common, since) };
  const whole = await diffs.whole();
  if (!whole.ok) return { kind: 'broken', why: whole.failure };
  const scope = since ?? whole.value;
  if (isEmpty(whole.value) && !claims) return { kind: 'done', outcome: carryOver(common, scope) };
  return { kind: 'ask', task: { ...common, shown: whole.value, scope } };
}

/** Nothing has changed but what the agent says of the findings: no reviewer is needed to read that. */
function carryOver(common: Verification, none: ReviewDiff): SlotOutcome {
  const { job, context, slot, earlier } = common;
  const log = new GateLog(context.logFile(job.id, `${earlier.adapter}@${slot}`));
  log.write(`Starting review: ${job.gate.name}`);
  log.write(NO_CHANGES_TO_REVIEW);
  const unsaid = { stdout: '', durationMs: 0 };
  return settle({ ...common, shown: none, scope: none }, earlier.adapter, { status: 'pass' }, log, unsaid);
}

function skipSlot(
  { slot, earlier, iteration }: Extract<SlotPlan, { kind: 'skip' }>,
  job: ReviewJob,
  context: GateContext,
): SlotOutcome {
  const id = `${earlier.adapter}@${slot}`;
  const review = context.logFile(job.id, id).replace(/\.log$/, '.json');
  const skipped = earlier.violations.filter(({ status }) => status === 'skipped');
  writeSlotFile(review, {
    adapter: earlier.adapter,
    timestamp: new Date().toISOString(),
    status: 'skipped_prior_pass',
    rawOutput: '',
    violations: skipped,
    passIteration: iteration,
  });
  const message = skippingSlot(slot, iteration);
  return { result: { slot: id, status: 'skipped', message, durationMs: 0, review }, earlier };
}

function isEmpty({ files, cut }: ReviewDiff): boolean {
  return files.length === 0 && !cut;
}
