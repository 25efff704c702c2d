import type { DocumentRef } from './document';

/** Whether a text has at least one character, and only ASCII letters, digits and these signs. */
export function isPlainWord(text: string, signs = '_'): boolean {
  return text !== '' && [...text].every((char) => /[0-9A-Za-z]/.test(char) || signs.includes(char));
}

/** A moment as ISO 8601 in UTC, with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

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

export const KEY_LENGTH = 8;

/** Ids that begin with the time, of OpenCode and as UUIDs of version 7: those of one hour would share a key. */
const TIMED = /^ses_.|^[0-9a-f]{8}-[0-9a-f]{4}-7/;

/**
 * The short key of a session in every state file: dashes dropped, the first eight characters. An id with
 * anything but letters, digits and `_` is hashed, so that no id can ever name a path, and so is one that
 * begins like its neighbours. An empty id has no key.
 */
export function sessionKey(sessionId: string): string | undefined {
  const plain = sessionId.replaceAll('-', '');
  if (plain === '') return undefined;
  const key = isPlainWord(plain) && !TIMED.test(sessionId) ? plain : sha256Hex(sessionId);
  return key.slice(0, KEY_LENGTH);
}

/** The directory of the session records, below our own. */
export const SESSION_RECORDS = 'sessions';
const LONGEST_NAME = 64;

export function sessionRecordRef(sessionId: string): DocumentRef {
  const name = plainRecordName(sessionId) ?? sha256Hex(sessionId).slice(0, 32);
  return { base: 'own', path: `${SESSION_RECORDS}/${name}.json`, format: 'json', keeping: 'counted' };
}

/** The name of a session's record, where its id can be one; any other id is hashed. */
export function plainRecordName(sessionId: string): string | undefined {
  const plain = sessionId.replaceAll('-', '');
  return plain.length <= LONGEST_NAME && isPlainWord(plain) ? plain : undefined;
}
