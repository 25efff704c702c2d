import { sha256Hex } from './hash';
import { isPlainWord } from './text';

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
