import { join } from 'node:path';
import { isJsonObject } from '../../../core/json';
import type { ReviewJob } from '../detect';
import { filesIn, isConsoleLog, isLogName, runOf } from '../run/logs';
import type { GateContext } from '../run/plan';
import type { Activity, GateResult, SlotResult } from '../run-result';
import { failedText, moreOf, NO_CHANGES_TO_REVIEW, notCompleted, passedAll } from './messages';
import type { SlotOutcome } from './review-gate';
import { findingLines, readSlot, type SlotReading } from './slot-file';

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

/** What a slot of a review said last in this session. Who said it does not matter. */
export interface SlotRecord extends SlotReading {
  readonly slot: number;
  readonly adapter: string;
  readonly run: number;
  readonly json: string;
  /** Whether it is from the run just before this one. */
  readonly isLatest: boolean;
  /** Skipped since that answer, so that no summary has told of it. */
  readonly newlySkipped: readonly Violation[];
}

interface SlotName {
  readonly adapter: string;
  readonly slot: number;
  readonly run: number;
}

/** The latest answers of a review's slots, by slot. */
export function readLedger(job: ReviewJob, context: GateContext): ReadonlyMap<number, SlotRecord> {
  const names = filesIn(context.logDir, isLogName);
  const lastRun = Math.max(
    0,
    ...names
      .flatMap((name) => (isConsoleLog(name) ? (runOf(name) ?? 0) : []))
      .filter((run) => run < context.run),
  );
  const records = new Map<number, SlotRecord>();
  for (const name of slotNames(names, job, context)) {
    const latest = records.get(name.slot);
    const reading = readNamed(name, job, context);
    if (reading === undefined) continue;
    if (latest !== undefined) records.set(name.slot, withOlder(latest, reading));
    else records.set(name.slot, recordOf(name, reading, job, context, lastRun));
  }
  return records;
}

function recordOf(
  name: SlotName,
  reading: SlotReading,
  job: ReviewJob,
  context: GateContext,
  lastRun: number,
): SlotRecord {
  return {
    ...reading,
    ...name,
    json: jsonOf(name, job, context),
    isLatest: name.run === lastRun,
    newlySkipped: reading.violations.filter(({ status }) => status === 'skipped'),
  };
}

/** What an older answer has as skipped already was told then. */
function withOlder(latest: SlotRecord, older: SlotReading): SlotRecord {
  const told = older.violations.filter(({ status }) => status === 'skipped');
  return {
    ...latest,
    newlySkipped: latest.newlySkipped.filter((one) => !told.some((other) => isSame(one, other))),
  };
}

function readNamed(name: SlotName, job: ReviewJob, context: GateContext): SlotReading | undefined {
  const json = jsonOf(name, job, context);
  return readSlot(json, json.replace(/\.json$/, '.log'), context.root);
}

function jsonOf({ adapter, slot, run }: SlotName, job: ReviewJob, context: GateContext): string {
  return join(context.logDir, `${stemOf(job, context)}_${adapter}@${slot}.${run}.json`);
}

/** Newest first. */
function slotNames(names: readonly string[], job: ReviewJob, context: GateContext): readonly SlotName[] {
  const begin = `${stemOf(job, context)}_`;
  const found = new Map<string, SlotName>();
  for (const name of names) {
    const rest = name.startsWith(begin) ? name.slice(begin.length) : '';
    const [, adapter, slot, run] = /^([a-z][a-z0-9-]*)@(\d+)\.(\d+)\.(?:json|log)$/.exec(rest) ?? [];
    if (adapter === undefined || Number(run) >= context.run) continue;
    found.set(`${adapter}@${slot}.${run}`, { adapter, slot: Number(slot), run: Number(run) });
  }
  return [...found.values()].sort((a, b) => b.run - a.run);
}

/** What the names of all files of a job begin with. */
function stemOf(job: ReviewJob, context: GateContext): string {
  const tail = `_x@0.${context.run}.log`;
  return context.logFile(job.id, 'x@0').slice(context.logDir.length + 1, -tail.length);
}

/** Reviewers say the same thing in other words; this much of the words must be the same. */
const ENOUGH_IN_COMMON = 0.6;
/** In other words and this far away, it is something else that only looks alike. */
const NEAR = 3;

/**
 * Which of some earlier objections each new one repeats, by their positions. File and issue count; lines only
 * decide between several, since code moves. Nothing is repeated twice. What was skipped is silenced by this,
 * so there other words are not enough.
 */
export function findRepeated(
  now: readonly Violation[],
  earlier: readonly Violation[],
): ReadonlyMap<number, number> {
  const pairs = now.flatMap((one, at) =>
    earlier.flatMap((other, was) => {
      const score = likeness(one, other);
      return score > 0 ? [{ at, was, score }] : [];
    }),
  );
  const repeated = new Map<number, number>();
  const taken = new Set<number>();
  for (const { at, was } of pairs.sort((a, b) => b.score - a.score)) {
    if (repeated.has(at) || taken.has(was)) continue;
    repeated.set(at, was);
    taken.add(was);
  }
  return repeated;
}

/** Whether two entries are about the same thing in the same words. */
export function isSame(one: Violation, other: Violation): boolean {
  return (
    one.file.trim() === other.file.trim() && wordsOf(one.issue).join(' ') === wordsOf(other.issue).join(' ')
  );
}

function likeness(one: Violation, other: Violation): number {
  if (one.file !== other.file) return 0;
  const distance = Math.abs((one.line ?? 0) - (other.line ?? 0));
  const nearness = 1 / (1 + distance);
  if (isSame(one, other)) return 2 + nearness;
  if (other.status === 'skipped' && distance > NEAR) return 0;
  const [words, others] = [new Set(wordsOf(one.issue)), new Set(wordsOf(other.issue))];
  const common = [...words].filter((word) => others.has(word)).length;
  const share = common === 0 ? 0 : (2 * common) / (words.size + others.size);
  return share >= ENOUGH_IN_COMMON ? share + nearness : 0;
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s.,;:!?()[\]{}"'`]+/)
    .filter((word) => word !== '');
}

/** What became of an objection: open, or answered by the agent in the review's file. */
export type ViolationStatus = 'new' | 'fixed' | 'skipped';

/** What a reviewer objects to, as it stands in the review's file. */
export type Violation = {
  /** Relative to the root. */
  readonly file: string;
  /** Absent where the reviewer named none. */
  readonly line?: number;
  readonly issue: string;
  readonly fix?: string;
  readonly priority?: string;
  readonly status: ViolationStatus;
  /** The agent's words: what was done, or why nothing was. */
  readonly result?: string;
};

/** An objection as somebody wrote it; `undefined` for what is none. Paths may be absolute, or those of a diff. */
export function parseViolation(value: unknown, root: string): Violation | undefined {
  if (!isJsonObject(value)) return undefined;
  const { file, line, issue, fix, priority, status, result } = value;
  if (typeof issue !== 'string' && typeof file !== 'string') return undefined;
  const number = lineOf(line);
  return {
    file: pathOf(typeof file === 'string' ? file : 'unknown', root),
    ...(number !== undefined && { line: number }),
    issue: typeof issue === 'string' ? issue : '',
    ...(typeof fix === 'string' && { fix }),
    ...(typeof priority === 'string' && { priority }),
    status: statusOf(status),
    ...(typeof result === 'string' && { result }),
  };
}

/** Whether a status is one that an objection can have; anything else counts as open. */
export function isKnownStatus(value: unknown): boolean {
  return value === undefined || statusWord(value) === 'new' || statusOf(value) !== 'new';
}

/** `file:line - issue`, on one line. */
export function violationText({ file, line, issue }: Violation): string {
  return `${oneLine(file)}:${line ?? '?'} - ${oneLine(issue)}`;
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function statusOf(value: unknown): ViolationStatus {
  const word = statusWord(value);
  return word === 'fixed' || word === 'skipped' ? word : 'new';
}

function statusWord(value: unknown): unknown {
  return typeof value === 'string' ? value.trim().toLowerCase() : value;
}

/** A range counts by its first line. */
function lineOf(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  const digits = typeof text === 'string' ? /^\s*L?(\d{1,9})\b/.exec(text)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

function pathOf(written: string, root: string): string {
  const path = written.trim().replaceAll('\\', '/');
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return inside.replace(/^(?:\.\/+)+/, '');
}
