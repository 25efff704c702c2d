import type { DocumentRef } from '../domain/document';
import { sha256Hex } from '../domain/sha256';

/** The directory of the session records, below our own. */
export const SESSION_RECORDS = 'sessions';

export function sessionRecordRef(sessionId: string): DocumentRef {
  const plain = sessionId.replaceAll('-', '');
  const name = /^[0-9A-Za-z_]{1,64}$/.test(plain) ? plain : sha256Hex(sessionId).slice(0, 32);
  return { base: 'own', path: `${SESSION_RECORDS}/${name}.json`, format: 'json', keeping: 'counted' };
}
