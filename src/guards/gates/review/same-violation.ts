import type { Violation } from './violation';

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
