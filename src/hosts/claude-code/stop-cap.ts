const USUAL_CAP = 8;

/**
 * After how many refused stops in a row without tool use the client ends the turn, and tells nobody.
 * A cap of zero or less switches that off: then whoever set it wants only the guards' own bounds.
 */
export function stopCap(env: Readonly<Record<string, string | undefined>>): number {
  const text = env['CLAUDE_CODE_STOP_HOOK_BLOCK_CAP'];
  const given = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  const cap = Number.isInteger(given) ? given : USUAL_CAP;
  return cap <= 0 ? Number.POSITIVE_INFINITY : cap;
}
