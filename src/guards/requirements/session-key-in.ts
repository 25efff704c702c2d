import { sha256Hex } from '../../core/hash';
import { isJsonObject, type Json } from '../../core/json';
import { sessionKey } from '../../core/session-key';

const LONG_KEY = 12;
/** As much of an id as is kept: nobody may fill the state with one. */
const LONGEST_ID = 128;

/** A session's id as it stands in its entries. */
export function keptId(sessionId: string): string {
  return sessionId.slice(0, LONGEST_ID);
}

/**
 * The key of a session in a state. Two sessions may begin with the same eight characters; the one
 * that comes second finds the other's whole id in the entry and takes a longer key.
 */
export function sessionKeyIn(state: Json | undefined, sessionId: string): string | undefined {
  const short = sessionKey(sessionId);
  if (short === undefined || sessionId.length <= short.length) return short;
  const requirements = isJsonObject(state) ? state['requirements'] : undefined;
  if (!isJsonObject(requirements)) return short;
  const taken = Object.values(requirements).some((entry) => belongsToAnother(entry, short, sessionId));
  return taken ? longKey(sessionId) : short;
}

/** The key of twelve: of the id itself where that is plain, else of its hash, as with the short one. */
export function longKey(sessionId: string): string {
  const plain = sessionId.replaceAll('-', '');
  return (/^[0-9A-Za-z_]+$/.test(plain) ? plain : sha256Hex(sessionId)).slice(0, LONG_KEY);
}

function belongsToAnother(entry: Json | undefined, key: string, sessionId: string): boolean {
  const sessions = isJsonObject(entry) ? entry['sessions'] : undefined;
  const own = isJsonObject(sessions) && Object.hasOwn(sessions, key) ? sessions[key] : undefined;
  const owner = isJsonObject(own) ? own['session_id'] : undefined;
  return typeof owner === 'string' && owner !== keptId(sessionId);
}
