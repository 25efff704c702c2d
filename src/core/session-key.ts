import { isPlainWord } from './plain-word';
import { sha256Hex } from './sha256';

export const KEY_LENGTH = 8;

/** Ids that begin with the time, of OpenCode and as UUIDs of version 7: those of one hour would share a key. */
const TIMED = /^ses_.|^[0-9a-f]{8}-[0-9a-f]{4}-7/;
const VERSION_AT = 14;

/**
 * The short key under which a session stands in every state file: dashes dropped, the first
 * eight characters. An id with anything but letters, digits and `_` is hashed, so no id can
 * ever name a path, and so is one that begins like its neighbours. An empty id has no key.
 */
export function sessionKey(sessionId: string): string | undefined {
  if (sessionId !== last.id) last = { id: sessionId, key: keyOf(sessionId) };
  return last.key;
}

/** An event has one session, and asks for its key many times. */
let last: { readonly id: string; readonly key: string | undefined } = { id: '', key: undefined };

function keyOf(sessionId: string): string | undefined {
  const plain = sessionId.replaceAll('-', '');
  if (plain === '') return undefined;
  return isPlainWord(plain) && !isTimed(sessionId)
    ? plain.slice(0, KEY_LENGTH)
    : sha256Hex(sessionId).slice(0, KEY_LENGTH);
}

/** Most ids tell by one character that they are of another kind. */
function isTimed(sessionId: string): boolean {
  const mayBe = sessionId.startsWith('ses_') || sessionId[VERSION_AT] === '7';
  return mayBe && TIMED.test(sessionId);
}
