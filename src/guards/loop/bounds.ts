import type { Frame } from './frame';

/** No loop is meant to run longer than this, whatever its state says. */
const MOST_ITERATIONS = 1_000_000;

/** `max` is the number of all runs, the first one included. Zero is no way to say unlimited. */
export function isExhausted({ iter, max }: Frame): boolean {
  return iter >= Math.min(max, MOST_ITERATIONS);
}
