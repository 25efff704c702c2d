/** A short digest that tells texts apart; good enough to notice a repetition, and far from a secret. */
export function digest(text: string): string {
  let hash = 0;
  for (const char of text) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) | 0;
  return (hash >>> 0).toString(36);
}
