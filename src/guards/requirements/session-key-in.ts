import { isJsonObject, type Json } from '../../domain/json';
import { sessionKey } from '../../domain/session-key';

const LONG_KEY = 12;

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
  return taken ? sessionId.replaceAll('-', '').slice(0, LONG_KEY) : short;
}

function belongsToAnother(entry: Json | undefined, key: string, sessionId: string): boolean {
  const sessions = isJsonObject(entry) ? entry['sessions'] : undefined;
  const own = isJsonObject(sessions) && Object.hasOwn(sessions, key) ? sessions[key] : undefined;
  const owner = isJsonObject(own) ? own['session_id'] : undefined;
  return typeof owner === 'string' && owner !== sessionId;
}
