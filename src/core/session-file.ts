import type { DocumentRef } from './document';
import { sha256Hex } from './hash';
import { isPlainWord } from './text';

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
