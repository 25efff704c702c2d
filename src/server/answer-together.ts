import type { Wish } from '../core/stead';
import type { Judged, Outcome, Recall } from './judge-event';

/** One event that waits to be answered. */
export interface Waiting {
  judge(recall: Recall): Judged;
  /** Told what came of it, and how long that took in milliseconds. */
  tell(outcome: Outcome, took: number): void;
}

export type AnswerTogether = (all: readonly Waiting[]) => void;

/** Fulfils wishes, and gives those back that were not fulfilled whole. */
export type Settle = (wishes: readonly Wish[]) => ReadonlySet<Wish>;

/** An event that may be answered once its wishes have been fulfilled. */
interface Wishful {
  readonly waiting: Waiting;
  readonly judged: Judged;
  readonly took: number;
}

/**
 * Answers events that have come together. Each is judged by itself; what they want written is written in one go, since
 * to lock and to rename takes longer than to judge, and only then are those answered who wanted it.
 */
export function answerTogether(all: readonly Waiting[], settle: Settle): void {
  const recall = memory();
  const wishful: Wishful[] = [];
  for (const waiting of all) {
    const begun = performance.now();
    const judged = waiting.judge(recall);
    const took = performance.now() - begun;
    if (judged.wishes.length === 0) waiting.tell(judged.outcome, took);
    else wishful.push({ waiting, judged, took });
  }
  if (wishful.length > 0) settleAll(wishful, settle);
}

function settleAll(wishful: readonly Wishful[], settle: Settle): void {
  const begun = performance.now();
  const unfulfilled = settle(wishful.flatMap(({ judged }) => judged.wishes));
  const settled = performance.now() - begun;
  for (const { waiting, judged, took } of wishful) {
    const isWhole = !judged.wishes.some((wish) => unfulfilled.has(wish));
    waiting.tell(isWhole ? judged.outcome : { left: 'unwritten' }, took + settled);
  }
}

/** What was found out for one of them, by the question. What throws is not kept. */
function memory(): Recall {
  const known = new Map<string, unknown>();
  return <T>(question: string, look: () => T): T => {
    if (!known.has(question)) known.set(question, look());
    return known.get(question) as T;
  };
}
