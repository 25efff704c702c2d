import type { ReviewJob } from '../detect';
import { GateLog } from '../run/logs';
import type { GateContext } from '../run/plan';
import type { GateResult, SlotResult } from '../run-result';
import { type Answer, askReviewer, type Judgement, judge, promptText, type Reply } from './ask-reviewer';
import { concludeReview, readLedger, type SlotRecord, unable } from './conclude-review';
import { fitDiff, type ReviewDiff, ReviewDiffs } from './diff';
import {
  failedText,
  handedOn,
  NO_CHANGES_TO_REVIEW,
  nobodyThere,
  passedText,
  safetyLatch,
  skippingSlot,
  USAGE_LIMIT,
} from './messages';
import { availableReviewers, type ReviewerHealth } from './reviewers';
import { logOutput, logParsed, logResult, logStart, writeSlotFile } from './slot-file';

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

/** What is to be done about one of a review's slots. */
export type SlotPlan =
  | { readonly kind: 'ask'; readonly slot: number; readonly earlier?: SlotRecord; readonly isLatch: boolean }
  | {
      readonly kind: 'skip';
      readonly slot: number;
      readonly earlier: SlotRecord;
      readonly iteration: number;
    };

/**
 * Where several reviewers look, one that has passed is not asked again, whoever it was. If all have,
 * the first looks once more: somebody has to see what has changed since.
 */
export function planSlots(count: number, records: ReadonlyMap<number, SlotRecord>): readonly SlotPlan[] {
  const slots = Array.from({ length: count }, (_, at) => at + 1);
  const passed = (slot: number): SlotRecord | undefined => {
    const record = records.get(slot);
    return count > 1 && record !== undefined && hasPassed(record) ? record : undefined;
  };
  const all = count > 1 && slots.every((slot) => passed(slot) !== undefined);
  return slots.map((slot) => {
    const before = passed(slot);
    const isLatch = all && slot === 1;
    if (before !== undefined && !isLatch) {
      return { kind: 'skip', slot, earlier: before, iteration: before.passIteration ?? before.run };
    }
    const earlier = records.get(slot);
    return { kind: 'ask', slot, isLatch, ...(earlier !== undefined && { earlier }) };
  });
}

/** What is said to be fixed has to be looked at, whatever the file calls itself by now. */
function hasPassed({ status, violations }: SlotRecord): boolean {
  return status !== 'fail' && violations.every((one) => one.status === 'skipped');
}

/** Does some work for every item, on at most so many at a time, and gives the results in their order. */
export async function inLanes<Item, Done>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<Done>,
): Promise<readonly Done[]> {
  const done: Done[] = [];
  const queue = items.map((item, at) => ({ item, at }));
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      done[next.at] = await work(next.item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
  return done;
}

/** One place of a review that a reviewer has to fill. */
export interface SlotTask {
  readonly job: ReviewJob;
  readonly context: GateContext;
  readonly slot: number;
  readonly earlier?: SlotRecord;
  /** What the reviewer is shown. */
  readonly shown: ReviewDiff;
  /** In which new findings have to lie. */
  readonly scope: ReviewDiff;
}

/** How a place was filled; without a judgement it was not. */
export interface SlotOutcome {
  readonly result: SlotResult;
  readonly judgement?: Judgement;
  /** What was said there before. */
  readonly earlier?: SlotRecord;
}

/** Asks one reviewer after the other, until one has an answer. */
export async function askInTurn(
  task: SlotTask,
  reviewers: readonly string[],
  health: ReviewerHealth,
): Promise<SlotOutcome> {
  const { job, context, shown, earlier } = task;
  const prompt = promptText({
    prompt: job.gate.prompt,
    earlier: earlier?.violations ?? [],
    threshold: context.config.rerunNewIssueThreshold,
    diff: fitDiff(shown.files),
  });
  let failed: SlotOutcome | undefined;
  for (const name of reviewers) {
    if ((await health.of(name)).state !== 'healthy') continue;
    if (failed !== undefined) {
      const text = handedOn(job.id, failed.result.slot, failed.result.message, name);
      context.report({ kind: 'note', text });
    }
    const asked = await askOne(task, name, prompt, health);
    if (asked.isOver) return asked.outcome;
    failed = asked.outcome;
  }
  return failed ?? unfilled(task, reviewers, USAGE_LIMIT);
}

/** `isOver`: there is an answer, or no time for anybody else to give one. */
async function askOne(
  task: SlotTask,
  name: string,
  prompt: string,
  health: ReviewerHealth,
): Promise<{ readonly outcome: SlotOutcome; readonly isOver: boolean }> {
  const { job, context, slot, shown } = task;
  const id = `${name}@${slot}`;
  const log = new GateLog(context.logFile(job.id, id));
  logStart(log, job, id, shown.files.length);
  const reply = await askReviewer(name, prompt, log.file, job, context);
  if (reply.ended !== undefined) logOutput(log, name, reply.ended);
  if (reply.kind === 'answered') {
    return { outcome: settle(task, name, reply.answer, log, reply.ended), isOver: true };
  }
  const warning = reply.kind === 'limited' ? health.limited(name) : undefined;
  if (warning !== undefined) context.report({ kind: 'warning', text: warning });
  return { outcome: refused(task, id, reply, log), isOver: reply.kind === 'over' };
}

/** A slot that nobody is there for. */
export function unfilled(
  { slot, earlier }: SlotTask,
  reviewers: readonly string[],
  message: string,
): SlotOutcome {
  const id = `${reviewers[0] ?? ''}@${slot}`;
  return { result: { slot: id, status: 'error', message, durationMs: 0 }, ...(earlier && { earlier }) };
}

/** An answer, told in the log and kept in the review's file, where the agent answers in turn. */
export function settle(
  { job, context, slot, earlier, scope }: SlotTask,
  reviewer: string,
  answer: Answer,
  log: GateLog,
  printed: { readonly stdout: string; readonly durationMs: number },
): SlotOutcome {
  const judgement = judge(answer, {
    earlier: earlier?.violations ?? [],
    isAdded: (file, line) => isAdded(scope, file, line),
    threshold: context.config.rerunNewIssueThreshold,
  });
  const { open, skipped, unaddressed } = judgement;
  const status = open.length > 0 ? 'fail' : 'pass';
  const message =
    status === 'fail' ? failedText(open.length, unaddressed) : passedText(judgement, skipped.length);
  const id = `${reviewer}@${slot}`;
  const review = context.logFile(job.id, id).replace(/\.log$/, '.json');
  writeSlotFile(review, {
    adapter: reviewer,
    timestamp: new Date().toISOString(),
    status,
    rawOutput: printed.stdout,
    violations: [...open, ...skipped],
  });
  logParsed(log, reviewer, judgement, review);
  logResult(log, id, status, message);
  return {
    result: { slot: id, status, message, durationMs: printed.durationMs, log: log.file, review },
    judgement,
    ...(earlier && { earlier }),
  };
}

function refused(
  { earlier }: SlotTask,
  slot: string,
  { why, ended }: Exclude<Reply, { kind: 'answered' }>,
  log: GateLog,
): SlotOutcome {
  logResult(log, slot, 'error', why);
  const durationMs = ended?.durationMs ?? 0;
  const result = { slot, status: 'error' as const, message: why, durationMs, log: log.file };
  return { result, ...(earlier && { earlier }) };
}

/** Of a difference that could not be held whole, nobody can say what is not in it. */
function isAdded({ files, cut }: ReviewDiff, file: string, line: number | undefined): boolean {
  const found = files.find((one) => one.file === file);
  if (found === undefined) return cut;
  return line !== undefined && found.added.has(line);
}
