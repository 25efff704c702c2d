import { isJsonObject, type JsonObject, textIn, withoutUndefined } from '../../../core/json';
import type { Priority } from '../config';
import { oneLine } from '../run/messages';
import type { Answer } from './ask-reviewer';

/** `new` is open; the agent sets the others in the review's file. */
const STATUSES = ['new', 'fixed', 'skipped'] as const;
export type ViolationStatus = (typeof STATUSES)[number];

/** A reviewer's finding, as it is in the review's file. */
export type Violation = {
  /** Relative to the root. */
  readonly file: string;
  /** Absent if the reviewer named none. */
  readonly line?: number;
  readonly issue: string;
  readonly fix?: string;
  readonly priority?: string;
  readonly status: ViolationStatus;
  /** The agent's explanation: what was done, or why nothing was. */
  readonly result?: string;
};

/** Parses what a reviewer or an agent wrote; `undefined` if it is no violation. Paths may be absolute. */
export function parseViolation(value: unknown, root: string): Violation | undefined {
  if (!isJsonObject(value)) return undefined;
  const { file, line, issue } = value;
  if (typeof issue !== 'string' && typeof file !== 'string') return undefined;
  return withoutUndefined({
    file: pathOf(typeof file === 'string' ? file : 'unknown', root),
    line: lineOf(line),
    issue: typeof issue === 'string' ? issue : '',
    fix: textIn(value, 'fix'),
    priority: textIn(value, 'priority'),
    // A finding may be skipped only for a reason.
    status: isUnexplained(value) ? 'new' : (statusIn(value['status']) ?? 'new'),
    result: textIn(value, 'result'),
  });
}

/** `undefined` for an unknown status, which counts as open. */
export function statusIn(value: unknown): ViolationStatus | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
  return STATUSES.find((status) => status === word);
}

/** Whether it is marked as skipped, without the reason that this needs. */
export function isUnexplained(value: JsonObject): boolean {
  return statusIn(value['status']) === 'skipped' && !textIn(value, 'result')?.trim();
}

export function violationText({ file, line, issue }: Violation): string {
  return `${oneLine(file)}:${line ?? '?'} - ${oneLine(issue)}`;
}

/** Numbered, with the fixes that the reviewer suggested. */
export function findingLines(open: readonly Violation[]): readonly string[] {
  return open.flatMap((one, at) => [
    `${at + 1}. ${violationText(one)}`,
    ...(one.fix === undefined ? [] : [`   Fix: ${oneLine(one.fix)}`]),
  ]);
}

/** The first line of a range. */
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

/** Reviewers reword the same finding; this share of the words must match. */
const ENOUGH_IN_COMMON = 0.6;
/** A reworded finding more lines away than this is not the skipped one that it resembles. */
const NEAR = 3;

/**
 * Maps the index of each new finding to that of the earlier one it repeats, each used once. File and issue
 * must match; lines only decide between several matches, since code moves. A match with a skipped finding
 * silences the new one, so there a reworded finding must also be near.
 */
export function findRepeated(
  now: readonly Violation[],
  earlier: readonly Violation[],
): ReadonlyMap<number, number> {
  const pairs = now.flatMap((one, at) =>
    earlier.map((other, was) => ({ at, was, score: likeness(one, other) })),
  );
  const repeated = new Map<number, number>();
  const taken = new Set<number>();
  for (const { at, was, score } of pairs.sort((a, b) => b.score - a.score)) {
    if (score === 0 || repeated.has(at) || taken.has(was)) continue;
    repeated.set(at, was);
    taken.add(was);
  }
  return repeated;
}

export function isSame(one: Violation, other: Violation): boolean {
  const [words, others] = [wordsOf(one.issue), wordsOf(other.issue)];
  return one.file.trim() === other.file.trim() && words.join(' ') === others.join(' ');
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
  return text.toLowerCase().match(/[^\s.,;:!?()[\]{}"'`]+/g) ?? [];
}

/** A reviewer's answer, compared with the diff and with earlier findings. */
export type Judgement = ReturnType<typeof judge>;

export function ignoredFindings({
  outOfScope,
  belowThreshold,
  alreadySkipped,
}: Judgement): readonly string[] {
  return [
    ...(outOfScope > 0 ? [`${outOfScope} out-of-scope violations filtered`] : []),
    ...(belowThreshold > 0 ? [`${belowThreshold} below-threshold violations filtered`] : []),
    ...(alreadySkipped > 0 ? [`${alreadySkipped} skipped violations repeated`] : []),
  ];
}

const PRIORITIES: readonly string[] = ['low', 'medium', 'high', 'critical'];

/**
 * Earlier findings come first: one marked as fixed is open again if it is repeated, wherever its line is now;
 * an unmarked one stays open, repeated or not; a skipped one stays skipped. A new finding must be on an added
 * line and, if there are earlier findings, have at least the threshold's priority.
 */
export function judge(
  answer: Answer,
  earlier: readonly Violation[],
  isAdded: (file: string, line: number | undefined) => boolean,
  threshold: Priority,
) {
  const isUnnamed = answer.status === 'fail' && answer.violations.length === 0;
  const reports = reportsOf(answer);
  const repeated = findRepeated(reports, earlier);
  const named = new Set(repeated.values());
  const statusBefore = (at: number): string | undefined => earlier[repeated.get(at) ?? -1]?.status;
  const again = reports.filter((_, at) => ['new', 'fixed'].includes(statusBefore(at) ?? ''));
  const fresh = reports.filter((_, at) => !repeated.has(at));
  const inScope = fresh.filter((one) => isUnnamed || isAdded(one.file, one.line));
  const anyPriority = earlier.length === 0 || isUnnamed;
  const heavy = inScope.filter((one) => anyPriority || isAtLeast(one.priority, threshold));
  const forgotten = earlier.filter((one, at) => one.status === 'new' && !named.has(at));
  return {
    /** They fail the review: new findings, repeated ones, and earlier ones that the agent has not marked. */
    open: [...forgotten, ...again, ...heavy],
    /** How many of them are from earlier runs and unmarked. */
    unaddressed: forgotten.length + reports.filter((_, at) => statusBefore(at) === 'new').length,
    /** Marked as fixed, and not reported again. */
    fixed: earlier.filter((one, at) => one.status === 'fixed' && !named.has(at)),
    skipped: earlier.filter(({ status }) => status === 'skipped'),
    outOfScope: fresh.length - inScope.length,
    belowThreshold: inScope.length - heavy.length,
    alreadySkipped: reports.filter((_, at) => statusBefore(at) === 'skipped').length,
  };
}

/** A failed review that names nothing still becomes a finding that must be answered. */
function reportsOf(answer: Answer): readonly Violation[] {
  if (answer.status === 'pass') return [];
  if (answer.violations.length > 0) return answer.violations;
  const issue = answer.message || 'The reviewer failed the change without naming a violation';
  return [{ file: 'unknown', issue, priority: 'high', status: 'new' }];
}

/** An unknown priority counts as high enough; a missing one is low. */
function isAtLeast(priority: string | undefined, threshold: Priority): boolean {
  const rank = PRIORITIES.indexOf((priority ?? 'low').toLowerCase());
  return rank < 0 || rank >= PRIORITIES.indexOf(threshold);
}
