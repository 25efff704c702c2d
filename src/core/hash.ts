/** The SHA-256 of a text's UTF-8 bytes, in hexadecimal. */
export function sha256Hex(text: string): string {
  // Loaded here because it costs a new process 4 ms, and most events hash nothing.
  const { createHash }: typeof import('node:crypto') = require('node:crypto');
  return createHash('sha256').update(text).digest('hex');
}

/**
 * A short digest that is good enough to notice a repetition, and no secret. State files hold digests, so
 * a text must always keep its own.
 */
export function digest(text: string): string {
  let hash = 0;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) | 0;
  return (hash >>> 0).toString(36);
}
