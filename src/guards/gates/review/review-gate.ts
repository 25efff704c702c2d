import type { ReviewJob } from '../detect';
import { inLanes } from '../run/execute-gates';
import { GateLog } from '../run/logs';
import { plural } from '../run/messages';
import type { GateContext } from '../run/plan';
import type { Activity, GateResult, SlotResult } from '../run-result';
import { type Answer, askReviewer, promptText } from './ask-reviewer';
import { fitDiff, type ReviewDiff, reviewDiffs } from './diff';
import { USAGE_LIMIT } from './reviewers';
import { parsedResultText, readSlotRecords, type SlotRecord, writeSlotFile } from './slot-file';
import { findingLines, type Judgement, judge, leftAside, type Violation, violationText } from './violations';

/** Reviewers wait for other machines, so there may be more of them than processors. */
const MOST_AT_ONCE = 4;
const MOST_LINES_SHOWN = 30;
const NO_CHANGES_TO_REVIEW = 'No changes to review';

type SlotRecords = ReadonlyMap<number, SlotRecord>;

/** One of a review's slots, which a reviewer has to fill. */
interface Slot {
  readonly job: ReviewJob;
  readonly context: GateContext;
  readonly slot: number;
  readonly earlier?: SlotRecord | undefined;
}

/** A slot for which a reviewer has to be asked. */
interface SlotTask extends Slot {
  /** What the reviewer is shown. */
  readonly shown: ReviewDiff;
  /** In which new findings have to lie. */
  readonly scope: ReviewDiff;
}

/** How a slot was filled, and what that leaves open. */
interface SlotOutcome extends Pick<Judgement, 'open' | 'unaddressed' | 'fixed' | 'skipped'> {
  readonly result: SlotResult;
  readonly newlySkipped: readonly Violation[];
  /** In which the agent is to answer. */
  readonly file?: string | undefined;
}

/** What is left to do for a slot. */
type Prepared =
  | { readonly kind: 'ask'; readonly task: SlotTask }
  | { readonly kind: 'done'; readonly outcome: SlotOutcome }
  /** Nothing has changed, and nothing was ever said. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'broken'; readonly why: string };

/**
 * Has reviewers read what has changed, and compares what they say with what was said before. An objection
 * fails the gate; a reviewer that could not be asked is an error of the gate.
 */
export async function runReviewGate(job: ReviewJob, context: GateContext): Promise<GateResult> {
  const begun = performance.now();
  const records: SlotRecords = context.rerun ? readSlotRecords(job, context) : new Map();
  for (const { troubles } of records.values()) {
    for (const text of troubles) context.report({ kind: 'warning', text });
  }
  const result = await review(job, context, records);
  return { id: job.id, ...result, durationMs: Math.round(performance.now() - begun) };
}

type ReviewResult = Omit<GateResult, 'id' | 'durationMs'>;

async function review(job: ReviewJob, context: GateContext, records: SlotRecords): Promise<ReviewResult> {
  const prepared = await prepareSlots(job, context, records);
  for (const one of prepared) if (one.kind === 'broken') return { status: 'error', message: one.why };
  const toFill = prepared.filter((one) => one.kind === 'ask' || one.kind === 'done');
  if (toFill.length === 0 && records.size === 0) return { status: 'pass', message: NO_CHANGES_TO_REVIEW };
  const filled = await fillSlots(toFill, job, context);
  if (typeof filled === 'string') return { status: 'error', message: filled };
  return concludeReview(job, records, filled);
}

/**
 * Finds what each slot's reviewer has to look at. Where several reviewers look, one that has passed is not asked
 * again, whoever it was. If all have, the first looks once more: somebody has to see what has changed since.
 */
async function prepareSlots(
  job: ReviewJob,
  context: GateContext,
  records: SlotRecords,
): Promise<readonly Prepared[]> {
  const { numReviews } = job.gate;
  const diffs = reviewDiffs(job, context);
  const slots = Array.from({ length: numReviews }, (_, at) => at + 1);
  const passed = slots.filter((slot) => numReviews > 1 && hasPassed(records.get(slot)));
  const prepared: Prepared[] = [];
  for (const slot of slots) {
    const earlier = records.get(slot);
    const isLatch = slot === 1 && passed.length === numReviews;
    if (earlier !== undefined && passed.includes(slot) && !isLatch) {
      prepared.push({ kind: 'done', outcome: skipSlot(earlier, job, context) });
      continue;
    }
    if (isLatch) {
      const text = `${job.id} Running @${slot}: safety latch (all slots previously passed)`;
      context.report({ kind: 'note', text });
    }
    prepared.push(await prepareSlot({ job, context, slot, earlier }, diffs));
  }
  return prepared;
}

/** What is said to be fixed has to be looked at, whatever the file calls itself by now. */
function hasPassed(record: SlotRecord | undefined): boolean {
  if (record === undefined || record.status === 'fail') return false;
  return record.violations.every((one) => one.status === 'skipped');
}

function skipSlot(earlier: SlotRecord, job: ReviewJob, context: GateContext): SlotOutcome {
  const { adapter, slot, passIteration = earlier.run } = earlier;
  const id = `${adapter}@${slot}`;
  const review = reviewFile(job, context, id);
  writeSlotFile(review, {
    adapter,
    timestamp: new Date().toISOString(),
    status: 'skipped_prior_pass',
    rawOutput: '',
    violations: earlier.violations.filter(({ status }) => status === 'skipped'),
    passIteration,
  });
  const message = `Skipping @${slot}: previously passed in iteration ${passIteration} (num_reviews > 1)`;
  return unverified({ slot: id, status: 'skipped', message, durationMs: 0, review }, earlier);
}

/** After an answer, what has changed since is shown; everything, where that does not tell whether fixes are there. */
async function prepareSlot(slot: Slot, diffs: ReturnType<typeof reviewDiffs>): Promise<Prepared> {
  const { earlier } = slot;
  const ask = (shown: ReviewDiff, scope = shown): Prepared => ({
    kind: 'ask',
    task: { ...slot, shown, scope },
  });
  if (earlier === undefined) {
    const diff = await diffs.notPassed();
    if (!diff.ok) return { kind: 'broken', why: diff.failure };
    return isEmpty(diff.value) ? { kind: 'nothing' } : ask(diff.value);
  }
  const since = earlier.isLatest ? await diffs.sinceLastRun() : undefined;
  if (since !== undefined && !isEmpty(since)) return ask(since);
  const claims = earlier.violations.some(({ status }) => status === 'fixed');
  if (since !== undefined && !claims) return { kind: 'done', outcome: carryOver(slot, earlier) };
  const whole = await diffs.whole();
  if (!whole.ok) return { kind: 'broken', why: whole.failure };
  if (isEmpty(whole.value) && !claims) return { kind: 'done', outcome: carryOver(slot, earlier) };
  return ask(whole.value, since);
}

/** Nothing has changed but what the agent says of the findings: no reviewer is needed to read that. */
function carryOver(slot: Slot, { adapter }: SlotRecord): SlotOutcome {
  const { job, context } = slot;
  const log = new GateLog(context.logFile(job.id, `${adapter}@${slot.slot}`));
  log.write(`Starting review: ${job.gate.name}`);
  log.write(NO_CHANGES_TO_REVIEW);
  const none = { files: [], cut: false };
  const task = { ...slot, shown: none, scope: none };
  return settle(task, adapter, { status: 'pass' }, log, { stdout: '', durationMs: 0 });
}

function isEmpty({ files, cut }: ReviewDiff): boolean {
  return files.length === 0 && !cut;
}

/** Each slot begins with another reviewer. Returns a sentence where nobody is there for any of them. */
async function fillSlots(
  toFill: readonly Extract<Prepared, { kind: 'ask' | 'done' }>[],
  job: ReviewJob,
  context: GateContext,
): Promise<readonly SlotOutcome[] | string> {
  const { preference, numReviews, parallel } = job.gate;
  const wanted = toFill.some(({ kind }) => kind === 'ask') ? numReviews : 0;
  const { healthy, further, refused } = await context.health.available(preference, wanted);
  const nobody = `Preflight failed: no healthy adapters available (${refused.join('; ')})`;
  const hasHistory = toFill.some((one) => one.kind === 'done' || one.task.earlier !== undefined);
  if (wanted > 0 && healthy.length === 0 && !hasHistory) return nobody;
  const lanes = parallel && context.config.allowParallel ? MOST_AT_ONCE : 1;
  return inLanes(toFill, lanes, async (one) => {
    if (one.kind === 'done') return one.outcome;
    if (healthy.length === 0) return unfilled(one.task, preference, nobody);
    const first = (one.task.slot - 1) % healthy.length;
    return askInTurn(one.task, [...healthy.slice(first), ...healthy.slice(0, first), ...further]);
  });
}

/** Asks one reviewer after the other, until one has an answer. */
async function askInTurn(task: SlotTask, reviewers: readonly string[]): Promise<SlotOutcome> {
  const { job, context, shown, earlier } = task;
  const { rerunNewIssueThreshold: threshold } = context.config;
  const prompt = promptText(job.gate.prompt, earlier?.violations ?? [], threshold, fitDiff(shown.files));
  let failed: SlotOutcome | undefined;
  for (const name of reviewers) {
    if ((await context.health.of(name)).state !== 'healthy') continue;
    if (failed !== undefined) {
      const { slot, message } = failed.result;
      const text = `${job.id} (${slot}): ${message}; asking ${name} instead.`;
      context.report({ kind: 'note', text });
    }
    const asked = await askOne(task, name, prompt);
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
): Promise<{ readonly outcome: SlotOutcome; readonly isOver: boolean }> {
  const { job, context, slot, shown, earlier } = task;
  const { model } = job.gate;
  const id = `${name}@${slot}`;
  const log = new GateLog(context.logFile(job.id, id));
  log.write(`Starting review: ${job.gate.name}`);
  log.write(`Entry point: ${job.entryPoint}`);
  log.write(`Changed files: ${shown.files.length}`);
  log.write(`Dispatching to ${id}${model === undefined ? '' : ` (model ${model})`}`);
  const reply = await askReviewer(name, prompt, log.file, job, context);
  const { ended } = reply;
  // The log got the output as it came; if nothing was cut, it now gets stdout first and then stderr.
  if (ended !== undefined && !ended.cut && ended.log === 'whole') {
    log.takeBack();
    log.write(`--- Review Output (${name}) ---\n${ended.stdout}`);
    if (ended.stderr !== '') log.write(`STDERR:\n${ended.stderr}`);
  }
  if (reply.kind === 'answered') {
    return { outcome: settle(task, name, reply.answer, log, reply.ended), isOver: true };
  }
  const warning = reply.kind === 'limited' ? context.health.limited(name) : undefined;
  if (warning !== undefined) context.report({ kind: 'warning', text: warning });
  logResult(log, id, 'error', reply.why);
  const common = { slot: id, status: 'error', message: reply.why, log: log.file } as const;
  const result = { ...common, durationMs: ended?.durationMs ?? 0 };
  return { outcome: unverified(result, earlier), isOver: reply.kind === 'over' };
}

/** A slot that nobody is there for. */
function unfilled({ slot, earlier }: SlotTask, reviewers: readonly string[], message: string): SlotOutcome {
  const id = `${reviewers[0] ?? ''}@${slot}`;
  return unverified({ slot: id, status: 'error', message, durationMs: 0 }, earlier);
}

/** Where nobody could verify, what was open before is open still. */
function unverified(result: SlotResult, earlier: SlotRecord | undefined): SlotOutcome {
  const marked = (wanted: Violation['status']): readonly Violation[] =>
    (earlier?.violations ?? []).filter(({ status }) => status === wanted);
  const open = marked('new');
  const file = result.review ?? (open.length > 0 ? earlier?.json : undefined);
  const newlySkipped = earlier?.newlySkipped ?? [];
  return {
    result,
    open,
    unaddressed: open.length,
    fixed: [],
    skipped: marked('skipped'),
    newlySkipped,
    file,
  };
}

/** Writes an answer to the log and to the review's file, where the agent answers in turn. */
function settle(
  { job, context, slot, earlier, scope }: SlotTask,
  reviewer: string,
  answer: Answer,
  log: GateLog,
  printed: { readonly stdout: string; readonly durationMs: number },
): SlotOutcome {
  const { rerunNewIssueThreshold: threshold } = context.config;
  const inScope = (file: string, line: number | undefined): boolean => isAdded(scope, file, line);
  const judgement = judge(answer, earlier?.violations ?? [], inScope, threshold);
  const { open, skipped } = judgement;
  const status = open.length > 0 ? 'fail' : 'pass';
  const message = status === 'fail' ? failedText(open.length, judgement.unaddressed) : passedText(judgement);
  const id = `${reviewer}@${slot}`;
  const review = reviewFile(job, context, id);
  writeSlotFile(review, {
    adapter: reviewer,
    timestamp: new Date().toISOString(),
    status,
    rawOutput: printed.stdout,
    violations: [...open, ...skipped],
  });
  log.write(parsedResultText(reviewer, judgement, review));
  logResult(log, id, status, message);
  const { durationMs } = printed;
  const result = { slot: id, status, message, durationMs, log: log.file, review } as const;
  return { ...judgement, result, newlySkipped: earlier?.newlySkipped ?? [], file: review };
}

function logResult(log: GateLog, slot: string, status: string, message: string): void {
  log.write(`Review result (${slot}): ${status} - ${message}`);
  log.write(`Result: ${status} - ${message}`);
}

function reviewFile(job: ReviewJob, context: GateContext, slot: string): string {
  return context.logFile(job.id, slot).replace(/\.log$/, '.json');
}

/** Of a diff that could not be held whole, nobody can say what is not in it. */
function isAdded({ files, cut }: ReviewDiff, file: string, line: number | undefined): boolean {
  const found = files.find((one) => one.file === file);
  if (found === undefined) return cut;
  return line !== undefined && found.added.has(line);
}

function passedText(judgement: Judgement): string {
  const skipped = judgement.skipped.length;
  const parts = [
    ...leftAside(judgement),
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
 * What the slots of a review come to. An objection is certain, so it outweighs reviewers that could not be
 * asked; without one, every slot must have been filled. A slot that the config no longer has is not asked
 * any more, but what is open in it still has to be answered.
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
  const [log] = [...slots].sort((a, b) => rank(a) - rank(b)).flatMap((slot) => slot.log ?? []);
  const reviews = shown.flatMap(({ file }) => file ?? []);
  const activity = outcomes.flatMap(activityOf);
  return {
    ...verdictOf(outcomes, open, unaddressed),
    ...(log !== undefined && { log }),
    ...(reviews.length > 0 && { reviews }),
    ...(open.length > 0 && { tail: tailOf(open) }),
    ...(skippedFindings > 0 && { skippedFindings }),
    violations: open.length,
    slots,
    ...(activity.length > 0 && { activity }),
  };
}

function droppedSlot(record: SlotRecord): SlotOutcome {
  const { adapter, slot, json, violations } = record;
  const open = violations.filter(({ status }) => status === 'new').length;
  const common = { slot: `${adapter}@${slot}`, status: 'fail', durationMs: 0, review: json } as const;
  return unverified({ ...common, message: failedText(open, open) }, record);
}

function verdictOf(
  outcomes: readonly SlotOutcome[],
  open: readonly Violation[],
  unaddressed: number,
): Pick<GateResult, 'status' | 'message'> {
  const unfilled = outcomes.filter(({ result }) => result.status === 'error');
  const why = unfilled.map(({ result }) => `${result.slot}: ${result.message}`).join('; ');
  const completed = outcomes.length - unfilled.length;
  const incomplete = `Failed to complete reviews. Expected: ${outcomes.length}, Completed: ${completed}. ${why}`;
  if (open.length > 0) {
    const found = failedText(open.length, unaddressed);
    return { status: 'fail', message: unfilled.length > 0 ? `${found}. ${incomplete}` : found };
  }
  if (unfilled.length > 0) return { status: 'error', message: incomplete };
  const [first, ...others] = outcomes;
  if (first === undefined) return { status: 'pass', message: NO_CHANGES_TO_REVIEW };
  const message = others.length === 0 ? first.result.message : `${plural(outcomes.length, 'review')} passed`;
  return { status: 'pass', message };
}

/** Told once: by the run that has written it into a file of its own. */
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

function tailOf(open: readonly Violation[]): string {
  const lines = findingLines(open);
  const more = lines.length - MOST_LINES_SHOWN;
  return [...lines.slice(0, MOST_LINES_SHOWN), ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
}

function rank({ status }: SlotResult): number {
  return ['fail', 'error', 'pass', 'skipped', 'cached'].indexOf(status);
}
