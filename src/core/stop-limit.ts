/** Where the host never ends a turn by itself somebody has to, or the two of us talk for ever. */
const OWN_BOUND = 8;

/**
 * How many stops may be refused in a row without tool use. A host ends the turn by itself at its cap and
 * tells nobody, so we let the last one go ourselves and say so.
 */
export function stopLimit(cap: number | undefined): number {
  return cap === undefined ? OWN_BOUND : Math.max(1, cap - 1);
}
