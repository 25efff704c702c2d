import type { AnswerTogether, Waiting } from './answer-together';

/** Lets somebody in, who says later what it is about. */
export type Reception = () => (waiting: Waiting) => void;

/** The first of them waits until the last has been judged. */
const MOST_TOGETHER = 32;

/**
 * Finds out who has come together. Node opens the door to one at a time, so nobody is answered while the last who was
 * let in has yet to speak; to that one only a single round is given, since there are some who never do.
 */
export function reception(answer: AnswerTogether): Reception {
  const queue: Waiting[] = [];
  let lastIn = 0;
  let lastToSpeak = 0;
  let lastWaitedFor = 0;
  const run = (): void => {
    if (lastIn > Math.max(lastToSpeak, lastWaitedFor) && queue.length < MOST_TOGETHER) {
      lastWaitedFor = lastIn;
      setImmediate(run);
      return;
    }
    const some = queue.splice(0, MOST_TOGETHER);
    if (queue.length > 0) setImmediate(run);
    answer(some);
  };
  return () => {
    const number = ++lastIn;
    return (waiting) => {
      lastToSpeak = Math.max(lastToSpeak, number);
      if (queue.push(waiting) === 1) setImmediate(run);
    };
  };
}
