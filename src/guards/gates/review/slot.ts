import type { ReviewJob } from '../detect/jobs';
import type { GateContext } from '../run/gate-context';
import { GateLog } from '../run/gate-log';
import type { SlotResult } from '../run-result';
import type { Answer } from './answer';
import { askReviewer, type Reply } from './ask-reviewer';
import type { ReviewDiff } from './diff';
import { fitDiff } from './fit-diff';
import type { ReviewerHealth } from './health';
import { type Judgement, judge } from './judge';
import type { SlotRecord } from './ledger';
import { failedText, handedOn, passedText, USAGE_LIMIT } from './messages';
import { promptText } from './prompt';
import { logOutput, logParsed, logResult, logStart } from './review-log';
import { writeSlotFile } from './slot-file';

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
