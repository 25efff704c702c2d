let last = 0;

/**
 * An id for a decision: its time and the process, in base 36. Sorts by time; the time runs ahead
 * by a millisecond where one process makes several in the same one.
 */
export function nextDecisionId(nowMs: number, pid: number): string {
  last = Math.max(nowMs, last + 1);
  return last.toString(36) + pid.toString(36);
}
