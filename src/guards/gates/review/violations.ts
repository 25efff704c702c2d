import { isJsonObject, present, textIn } from '../../../core/json';
import type { Priority } from '../config';
import { oneLine } from '../run/messages';
import type { Answer } from './ask-reviewer';

/** What became of an objection: open, or answered by the agent in the review's file. */
const STATUSES = ['new', 'fixed', 'skipped'] as const;
export type ViolationStatus = (typeof STATUSES)[number];

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
  const { file, line, issue, status } = value;
  if (typeof issue !== 'string' && typeof file !== 'string') return undefined;
  return present({
    file: pathOf(typeof file === 'string' ? file : 'unknown', root),
    line: lineOf(line),
    issue: typeof issue === 'string' ? issue : '',
    fix: textIn(value, 'fix'),
    priority: textIn(value, 'priority'),
    status: statusIn(status) ?? 'new',
    result: textIn(value, 'result'),
  });
}

/** The status that somebody wrote; `undefined` for what is none, which counts as open. */
export function statusIn(value: unknown): ViolationStatus | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
  return STATUSES.find((status) => status === word);
}

export function violationText({ file, line, issue }: Violation): string {
  return `${oneLine(file)}:${line ?? '?'} - ${oneLine(issue)}`;
}

/** Numbered, each with how to fix it where the reviewer said so. */
export function findingLines(open: readonly Violation[]): readonly string[] {
  return open.flatMap((one, at) => [
    `${at + 1}. ${violationText(one)}`,
    ...(one.fix === undefined ? [] : [`   Fix: ${oneLine(one.fix)}`]),
  ]);
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

/** What a reviewer's answer comes to, once it is compared with the diff and what was said before. */
export type Judgement = ReturnType<typeof judge>;

export function leftAside({ outOfScope, belowThreshold, alreadySkipped }: Judgement): readonly string[] {
  return [
    ...(outOfScope > 0 ? [`${outOfScope} out-of-scope violations filtered`] : []),
    ...(belowThreshold > 0 ? [`${belowThreshold} below-threshold violations filtered`] : []),
    ...(alreadySkipped > 0 ? [`${alreadySkipped} skipped violations repeated`] : []),
  ];
}

const PRIORITIES: readonly string[] = ['low', 'medium', 'high', 'critical'];

/**
 * What an answer means. Earlier findings come first: one that was marked as fixed and is named again is open
 * again, wherever its line is now; one that nobody marked stays open, named or not; one that was skipped stays
 * skipped. Anything else must concern added lines, and in a session with earlier findings matter enough.
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
    /** Fails the review: new ones, those still there, and those that nobody has dealt with. */
    open: [...forgotten, ...again, ...heavy],
    /** How many of them nobody has dealt with. */
    unaddressed: forgotten.length + reports.filter((_, at) => statusBefore(at) === 'new').length,
    /** Marked as fixed, and not found any more. */
    fixed: earlier.filter((one, at) => one.status === 'fixed' && !named.has(at)),
    skipped: earlier.filter(({ status }) => status === 'skipped'),
    outOfScope: fresh.length - inScope.length,
    belowThreshold: inScope.length - heavy.length,
    alreadySkipped: reports.filter((_, at) => statusBefore(at) === 'skipped').length,
  };
}

/** A refusal that names nothing still has to be answered by somebody. */
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
