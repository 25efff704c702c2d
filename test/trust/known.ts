/** The attempts that are neither held nor seen, by family and name, in the order of attempts.ts. */
export const MISSED: readonly string[] = [];
