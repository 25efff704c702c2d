/** What is known of the failures before this one. */
export type Failures = {
  /** How often the last error has been met in a row. */
  readonly identical: number;
  readonly lastError: string | undefined;
};

export type Limits = { readonly breaker: number; readonly maxIterations: number };

export type Escalation = 'circuit_breaker' | 'max_iterations';

/**
 * Counts a failure. Equal ones in a row break the circuit; failures that only alternate are bounded by the
 * number of iterations. Errors are compared in their normalised form.
 */
export function afterFailure(
  { identical, lastError }: Failures,
  error: string,
  iteration: number,
  { breaker, maxIterations }: Limits,
): { readonly identical: number; readonly escalation?: Escalation } {
  const count = lastError !== undefined && lastError === error ? identical + 1 : 1;
  if (count >= breaker) return { identical: count, escalation: 'circuit_breaker' };
  return iteration >= maxIterations
    ? { identical: count, escalation: 'max_iterations' }
    : { identical: count };
}
