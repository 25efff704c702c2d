import type { ReviewJob } from '../detect';
import { inLanes } from '../run/execute-gates';
import { GateLog } from '../run/logs';
import { plural } from '../run/messages';
import type { GateContext } from '../run/plan';
import type { Activity, GateResult, SlotResult } from '../run-result';
import { type Answer, askReviewer, promptText } from './ask-reviewer';
import { fitDiff, isNotShown, NoReview, type ReviewDiff, reviewDiffs } from './diff';
import { type ReviewerName, USAGE_LIMIT } from './reviewers';
import { parsedResultText, readSlotRecords, type SlotRecord, writeSlotFile } from './slot-file';
import {
  findingLines,
  ignoredFindings,
  type Judgement,
  judge,
  type Violation,
  violationText,
} from './violations';

/** Reviewers mostly wait for the network, so there may be more of them than processors. */
const MOST_AT_ONCE = 4;
const NO_CHANGES_TO_REVIEW = 'No changes to review';

type SlotRecords = ReadonlyMap<number, SlotRecord>;

/** One of the `num_reviews` slots of a review, to be filled by a reviewer. */
interface Slot {
  readonly job: ReviewJob;
  readonly context: GateContext;
  readonly slot: number;
  readonly earlier: SlotRecord | undefined;
}

interface SlotTask extends Slot {
  readonly shown: ReviewDiff;
  /** New findings must be within this diff. */
  readonly scope: ReviewDiff;
}

/** How a slot was filled, and which findings are open. */
interface SlotOutcome extends Pick<Judgement, 'open' | 'unaddressed' | 'fixed' | 'skipped'> {
  readonly result: SlotResult;
  readonly newlySkipped: readonly Violation[];
  /** Where the agent answers the findings. */
  readonly file: string | undefined;
}

/** A finding fails the gate; a reviewer that could not be asked makes it an error. */
export async function runReviewGate(job: ReviewJob, context: GateContext): Promise<GateResult> {
  const begun = performance.now();
  const records: SlotRecords = context.rerun ? readSlotRecords(job, context) : new Map();
  for (const { troubles } of records.values()) {
    for (const text of troubles) context.report({ kind: 'warning', text });
  }
  const result = await review(job, context, records).catch((error: unknown): ReviewResult => {
    if (error instanceof NoReview) return { status: 'error', message: error.message };
    throw error;
  });
  return { id: job.id, ...result, durationMs: Math.round(performance.now() - begun) };
}

type ReviewResult = Omit<GateResult, 'id' | 'durationMs'>;

async function review(job: ReviewJob, context: GateContext, records: SlotRecords): Promise<ReviewResult> {
  const toFill = await prepareSlots(job, context, records);
  if (toFill.length === 0 && records.size === 0) return { status: 'pass', message: NO_CHANGES_TO_REVIEW };
  return concludeReview(job, records, await fillSlots(toFill, job, context));
}

/**
 * Finds what each slot's reviewer has to look at. With several slots, one that passed is not reviewed again,
 * whoever filled it. If all passed, the first is: somebody has to see what has changed since.
 */
async function prepareSlots(
  job: ReviewJob,
  context: GateContext,
  records: SlotRecords,
): Promise<readonly (SlotTask | SlotOutcome)[]> {
  const { numReviews } = job.gate;
  const diffs = reviewDiffs(job, context);
  const slots = Array.from({ length: numReviews }, (_, at) => at + 1);
  const passed = slots.filter((slot) => numReviews > 1 && hasPassed(records.get(slot)));
  const prepared = slots.map(async (slot) => {
    const earlier = records.get(slot);
    const isLatch = slot === 1 && passed.length === numReviews;
    if (isLatch) {
      const text = `${job.id} Running @${slot}: safety latch (all slots previously passed)`;
      context.report({ kind: 'note', text });
    } else if (earlier !== undefined && passed.includes(slot)) return skipSlot(earlier, job, context);
    return (await prepareSlot({ job, context, slot, earlier }, diffs)) ?? [];
  });
  return (await Promise.all(prepared)).flat();
}

/** Findings marked as fixed must be verified, whatever status the file has now. */
function hasPassed(record: SlotRecord | undefined): boolean {
  if (record === undefined || record.status === 'fail') return false;
  return record.violations.every((one) => one.status === 'skipped');
}

function skipSlot(earlier: SlotRecord, job: ReviewJob, context: GateContext): SlotOutcome {
  const { adapter, slot, passIteration = earlier.run } = earlier;
  const id = `${adapter}@${slot}`;
  const review = writeSlotFile(context.logFile(job.id, id), {
    adapter,
    status: 'skipped_prior_pass',
    rawOutput: '',
    violations: earlier.violations.filter(({ status }) => status === 'skipped'),
    passIteration,
  });
  const message = `Skipping @${slot}: previously passed in iteration ${passIteration} (num_reviews > 1)`;
  return unverified({ slot: id, status: 'skipped', message, durationMs: 0, review }, earlier);
}

/**
 * After an earlier answer, the reviewer sees what has changed since; or the whole diff, if that cannot show
 * whether findings are fixed. `undefined` if nothing has changed and there is no earlier answer.
 */
async function prepareSlot(
  slot: Slot,
  diffs: ReturnType<typeof reviewDiffs>,
): Promise<SlotTask | SlotOutcome | undefined> {
  const { earlier } = slot;
  if (earlier === undefined) {
    const shown = await diffs.notPassed();
    return isEmpty(shown) ? undefined : { ...slot, shown, scope: shown };
  }
  const since = earlier.isLatest ? await diffs.sinceLastRun() : undefined;
  const claims = earlier.violations.some(({ status }) => status === 'fixed');
  const isEnough = since !== undefined && !(isEmpty(since) && claims);
  const shown = isEnough ? since : await diffs.whole();
  if (isEmpty(shown) && !claims) return carryOver(slot, earlier);
  return { ...slot, shown, scope: since ?? shown };
}

/** Only the agent's marks on the findings have changed: reading those needs no reviewer. */
function carryOver(slot: Slot, { adapter }: SlotRecord): SlotOutcome {
  const { job, context } = slot;
  const log = new GateLog(context.logFile(job.id, `${adapter}@${slot.slot}`));
  log.write(`Starting review: ${job.gate.name}`, NO_CHANGES_TO_REVIEW);
  const none = { files: [], cut: false };
  const task = { ...slot, shown: none, scope: none };
  return recordAnswer(task, adapter, { status: 'pass' }, log, { stdout: '', durationMs: 0 });
}

function isEmpty({ files, cut }: ReviewDiff): boolean {
  return files.length === 0 && !cut;
}

/** Each slot starts with a different reviewer. Throws if none is available and no slot has a history. */
async function fillSlots(
  toFill: readonly (SlotTask | SlotOutcome)[],
  job: ReviewJob,
  context: GateContext,
): Promise<readonly SlotOutcome[]> {
  const { preference, numReviews, parallel } = job.gate;
  const wanted = toFill.some((one) => 'shown' in one) ? numReviews : 0;
  const { healthy, further, refused } = await context.health.available(preference, wanted);
  const nobody = `Preflight failed: no healthy adapters available (${refused.join('; ')})`;
  const hasHistory = toFill.some((one) => !('shown' in one) || one.earlier !== undefined);
  if (wanted > 0 && healthy.length === 0 && !hasHistory) throw new NoReview(nobody);
  const lanes = parallel && context.config.allowParallel ? MOST_AT_ONCE : 1;
  return inLanes(toFill, lanes, async (one) => {
    if (!('shown' in one)) return one;
    if (healthy.length === 0) return unfilled(one, preference, nobody);
    const first = (one.slot - 1) % healthy.length;
    return askInTurn(one, [...healthy.slice(first), ...healthy.slice(0, first), ...further]);
  });
}

/** Asks one reviewer after the other until one answers or the run is out of time. */
async function askInTurn(task: SlotTask, reviewers: readonly ReviewerName[]): Promise<SlotOutcome> {
  const { job, context, slot, shown, earlier } = task;
  const { model, name: gateName } = job.gate;
  const { rerunNewIssueThreshold: threshold } = context.config;
  const prompt = promptText(job.gate.prompt, earlier?.violations ?? [], threshold, fitDiff(shown.files));
  let failed: SlotResult | undefined;
  for (const name of reviewers) {
    if ((await context.health.of(name)).state !== 'healthy') continue;
    if (failed !== undefined) {
      const text = `${job.id} (${failed.slot}): ${failed.message}; asking ${name} instead.`;
      context.report({ kind: 'note', text });
    }
    const id = `${name}@${slot}`;
    const log = new GateLog(context.logFile(job.id, id));
    log.write(
      `Starting review: ${gateName}`,
      `Entry point: ${job.entryPoint}`,
      `Changed files: ${shown.files.length}`,
      `Dispatching to ${id}${model === undefined ? '' : ` (model ${model})`}`,
    );
    const reply = await askReviewer(name, prompt, log, job, context);
    if (reply.kind === 'answered') return recordAnswer(task, name, reply.answer, log, reply.ended);
    const { why: message, ended } = reply;
    logResult(log, id, 'error', message);
    failed = { slot: id, status: 'error', message, log: log.file, durationMs: ended?.durationMs ?? 0 };
    if (reply.kind === 'over') break;
  }
  return failed ? unverified(failed, earlier) : unfilled(task, reviewers, USAGE_LIMIT);
}

function unfilled({ slot, earlier }: SlotTask, reviewers: readonly string[], message: string): SlotOutcome {
  const id = `${reviewers[0] ?? ''}@${slot}`;
  return unverified({ slot: id, status: 'error', message, durationMs: 0 }, earlier);
}

/** If nobody could verify the findings, those that were open stay open. */
function unverified(result: SlotResult, earlier: SlotRecord | undefined): SlotOutcome {
  const { violations = [], newlySkipped = [], json } = earlier ?? {};
  const open = violations.filter(({ status }) => status === 'new');
  const skipped = violations.filter(({ status }) => status === 'skipped');
  const file = result.review ?? (open.length > 0 ? json : undefined);
  return { result, open, unaddressed: open.length, fixed: [], skipped, newlySkipped, file };
}

/** Judges an answer, and writes it to the log and to the review's file, where the agent responds. */
function recordAnswer(
  { context, slot, earlier, scope }: SlotTask,
  reviewer: string,
  answer: Answer,
  log: GateLog,
  { stdout, durationMs }: { readonly stdout: string; readonly durationMs: number },
): SlotOutcome {
  const { rerunNewIssueThreshold: threshold } = context.config;
  const inScope = (file: string, line: number | undefined): boolean => isAdded(scope, file, line);
  const judgement = judge(answer, earlier?.violations ?? [], inScope, threshold);
  const { open, skipped, unaddressed } = judgement;
  const status = open.length > 0 ? 'fail' : 'pass';
  const message = status === 'fail' ? failedText(open.length, unaddressed) : passedText(judgement);
  const slotId = `${reviewer}@${slot}`;
  const violations = [...open, ...skipped];
  const review = writeSlotFile(log.file, { adapter: reviewer, status, rawOutput: stdout, violations });
  log.write(parsedResultText(reviewer, judgement, review));
  logResult(log, slotId, status, message);
  const result = { slot: slotId, status, message, durationMs, log: log.file, review } as const;
  return { ...judgement, result, newlySkipped: earlier?.newlySkipped ?? [], file: review };
}

function logResult(log: GateLog, slot: string, status: string, message: string): void {
  log.write(`Review result (${slot}): ${status} - ${message}`, `Result: ${status} - ${message}`);
}

/** A file that is missing from a cut diff may still have been changed; of a binary file no line is known. */
function isAdded({ files, cut }: ReviewDiff, file: string, line: number | undefined): boolean {
  const found = files.find((one) => one.file === file);
  if (found === undefined) return cut;
  if (isNotShown(found.text)) return true;
  return line !== undefined && found.added.has(line);
}

function passedText(judgement: Judgement): string {
  const skipped = judgement.skipped.length;
  const parts = [
    ...ignoredFindings(judgement),
    ...(skipped > 0 ? [`${plural(skipped, 'violation')} skipped`] : []),
  ];
  return parts.length === 0 ? 'Passed' : `Passed (${parts.join(', ')})`;
}

function failedText(open: number, unaddressed: number): string {
  const rest =
    unaddressed === 0 ? '' : ` (${unaddressed} from earlier runs marked neither "fixed" nor "skipped")`;
  return `Found ${plural(open, 'violation')}${rest}`;
}

/**
 * Combines the slots into one result. A finding is certain, so it outweighs reviewers that could not be
 * asked; without one, every slot must be filled. A slot that the config no longer has is not reviewed any
 * more, but its open findings still have to be answered.
 */
function concludeReview(
  { gate }: ReviewJob,
  records: SlotRecords,
  outcomes: readonly SlotOutcome[],
): ReviewResult {
  const dropped = [...records.values()].filter(({ slot }) => slot > gate.numReviews).map(droppedSlot);
  const all = [...outcomes, ...dropped];
  const shown = [...outcomes, ...dropped.filter((one) => one.open.length > 0)];
  const open = all.flatMap((one) => one.open);
  const skippedFindings = all.flatMap(({ skipped }) => skipped).length;
  const unaddressed = all.reduce((sum, one) => sum + one.unaddressed, 0);
  const slots = shown.map(({ result }) => result);
  // The log of the worst slot comes first.
  const worst = ['fail', 'error', 'pass', 'skipped', 'cached'].flatMap((status) =>
    slots.filter((slot) => slot.status === status),
  );
  const [log] = worst.flatMap((slot) => slot.log ?? []);
  const reviews = shown.flatMap(({ file }) => file ?? []);
  const activity = outcomes.flatMap(activityOf);
  return {
    ...verdictOf(outcomes, open.length, unaddressed),
    ...(log !== undefined && { log }),
    ...(reviews.length > 0 && { reviews }),
    ...(open.length > 0 && { telling: findingLines(open) }),
    ...(skippedFindings > 0 && { skippedFindings }),
    violations: open.length,
    slots,
    ...(activity.length > 0 && { activity }),
  };
}

function droppedSlot(record: SlotRecord): SlotOutcome {
  const { adapter, slot, json: review, violations } = record;
  const open = violations.filter(({ status }) => status === 'new').length;
  const message = failedText(open, open);
  return unverified({ slot: `${adapter}@${slot}`, status: 'fail', message, durationMs: 0, review }, record);
}

function verdictOf(
  outcomes: readonly SlotOutcome[],
  open: number,
  unaddressed: number,
): Pick<GateResult, 'status' | 'message'> {
  const unfilled = outcomes.filter(({ result }) => result.status === 'error');
  const why = unfilled.map(({ result }) => `${result.slot}: ${result.message}`).join('; ');
  const completed = outcomes.length - unfilled.length;
  const incomplete = `Failed to complete reviews. Expected: ${outcomes.length}, Completed: ${completed}. ${why}`;
  if (open > 0) {
    const found = failedText(open, unaddressed);
    return { status: 'fail', message: unfilled.length > 0 ? `${found}. ${incomplete}` : found };
  }
  if (unfilled.length > 0) return { status: 'error', message: incomplete };
  if (outcomes.length > 1) return { status: 'pass', message: `${plural(outcomes.length, 'review')} passed` };
  return { status: 'pass', message: outcomes[0]?.result.message ?? NO_CHANGES_TO_REVIEW };
}

/** Reported once: by the run that has written it to its own review file. */
function activityOf({ result, fixed, newlySkipped }: SlotOutcome): readonly Activity[] {
  const { slot: who, status } = result;
  if (status === 'error') return [];
  return [
    ...fixed.map((one): Activity => ({ what: 'fixed', who, details: violationText(one) })),
    ...newlySkipped.map((one): Activity => {
      const reason = one.result !== undefined && { reason: one.result };
      return { what: 'skipped', who, details: violationText(one), ...reason };
    }),
  ];
}
