const FIRST_LINE = 'Stop hook feedback:';

/**
 * The reason for a refused stop, where the host hands it back as if somebody had typed it: its first line
 * tells later that nobody did.
 */
export function asContinuation(reason: string): string {
  return `${FIRST_LINE}\n${reason}`;
}

/** Whether a prompt holds the reason for a refused stop, be it behind those of other hooks. In doubt no person wrote it. */
export function isContinuation(prompt: string): boolean {
  return prompt.trimStart().startsWith(FIRST_LINE) || prompt.includes(`\n${FIRST_LINE}`);
}
