import type { Priority } from '../config';
import type { Answer } from './answer';
import { type LeftAside, UNNAMED_ISSUE } from './messages';
import { findRepeated } from './same-violation';
import type { Violation } from './violation';

/** What a reviewer's answer comes to, once it is held against the difference and what was said before. */
export interface Judgement extends LeftAside {
  /** Fails the review: new ones, those still there, and those that nobody has dealt with. */
  readonly open: readonly Violation[];
  /** The last of these three. */
  readonly unaddressed: number;
  /** Marked as fixed, and not found any more. */
  readonly fixed: readonly Violation[];
  readonly skipped: readonly Violation[];
}

/** What an answer is held against. */
export interface Standard {
  /** Everything said in this session before, with what the agent made of it. */
  readonly earlier: readonly Violation[];
  /** Whether a line was added in the difference that was reviewed. */
  isAdded(file: string, line: number | undefined): boolean;
  readonly threshold: Priority;
}

const PRIORITIES: readonly string[] = ['low', 'medium', 'high', 'critical'];

/**
 * What an answer means. Earlier findings come first: one that was marked as fixed and is named again is open
 * again, wherever its line is now; one that nobody marked stays open, named or not; one that was skipped stays
 * skipped. Anything else must concern added lines, and in a session with earlier findings matter enough.
 */
export function judge(answer: Answer, { earlier, isAdded, threshold }: Standard): Judgement {
  const reports = reportsOf(answer);
  const repeated = findRepeated(reports, earlier);
  const named = new Set(repeated.values());
  const statusBefore = (at: number): string | undefined => earlier[repeated.get(at) ?? -1]?.status;
  const again = reports.filter((_, at) => ['new', 'fixed'].includes(statusBefore(at) ?? ''));
  const fresh = reports.filter((_, at) => !repeated.has(at));
  const inScope = fresh.filter((one) => isUnnamed(answer) || isAdded(one.file, one.line));
  const anyWeight = earlier.length === 0 || isUnnamed(answer);
  const heavy = anyWeight ? inScope : inScope.filter((one) => isAtLeast(one.priority, threshold));
  const forgotten = earlier.filter((one, at) => one.status === 'new' && !named.has(at));
  return {
    open: [...forgotten, ...again, ...heavy],
    unaddressed: forgotten.length + reports.filter((_, at) => statusBefore(at) === 'new').length,
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
  if (!isUnnamed(answer)) return answer.violations;
  return [{ file: 'unknown', issue: answer.message || UNNAMED_ISSUE, priority: 'high', status: 'new' }];
}

function isUnnamed(answer: Answer): boolean {
  return answer.status === 'fail' && answer.violations.length === 0;
}

/** One that is none of ours is taken seriously; none at all is not. */
function isAtLeast(priority: string | undefined, threshold: Priority): boolean {
  const rank = PRIORITIES.indexOf((priority ?? 'low').toLowerCase());
  return rank < 0 || rank >= PRIORITIES.indexOf(threshold);
}
