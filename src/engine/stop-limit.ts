const HOST_CAP = 8;

/**
 * How many stops may be refused in a row without tool use. The host ends the turn by itself at
 * its cap and tells nobody, so we let the last one go ourselves and say so. A cap of zero or less
 * switches the host's off, and then only the guards' own bounds count.
 */
export function stopLimit(env: Readonly<Record<string, string | undefined>>): number {
  const text = env['CLAUDE_CODE_STOP_HOOK_BLOCK_CAP'];
  const given = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  const cap = Number.isInteger(given) ? given : HOST_CAP;
  return cap <= 0 ? Number.POSITIVE_INFINITY : Math.max(1, cap - 1);
}
