import { isJsonObject, type Json, type JsonObject } from '../../core/json';

const KEPT_SECONDS = 30 * 24 * 60 * 60;

/** The state without what sessions left in it that are long over, so that the file does not grow for ever. */
export function withoutOldSessions(
  state: Json | undefined,
  living: readonly string[],
  now: number,
): Json | undefined {
  const requirements = isJsonObject(state) ? state['requirements'] : undefined;
  if (!isJsonObject(state) || !isJsonObject(requirements)) return state;
  const cleaned = Object.entries(requirements).map(([name, entry]) => [name, cleanEntry(entry, living, now)]);
  const same = cleaned.every(([name, entry]) => entry === requirements[name as string]);
  return same ? state : { ...state, requirements: Object.fromEntries(cleaned) };
}

function cleanEntry(entry: Json | undefined, living: readonly string[], now: number): Json | undefined {
  if (!isJsonObject(entry)) return entry;
  const sessions = kept(entry['sessions'], (own) => isJsonObject(own) && !isOld(lastTime(own), now), living);
  const triggered = kept(
    entry['triggered_sessions'],
    (at) => !isOld(typeof at === 'number' ? at : undefined, now),
    living,
  );
  if (sessions === entry['sessions'] && triggered === entry['triggered_sessions']) return entry;
  return { ...entry, ...(sessions && { sessions }), ...(triggered && { triggered_sessions: triggered }) };
}

function kept(
  sessions: Json | undefined,
  isKept: (own: Json | undefined) => boolean,
  living: readonly string[],
): Json | undefined {
  if (!isJsonObject(sessions)) return sessions;
  const rest = Object.entries(sessions).filter(([key, own]) => living.includes(key) || isKept(own));
  return rest.length === Object.keys(sessions).length ? sessions : Object.fromEntries(rest);
}

function lastTime(own: JsonObject): number | undefined {
  const times = [own['satisfied_at'], own['triggered_at']].filter((time) => typeof time === 'number');
  return times.length === 0 ? undefined : Math.max(...times);
}

/** What says nothing of its time was written by hand or by an older program; its age is not known. */
function isOld(at: number | undefined, now: number): boolean {
  return at !== undefined && now - at >= KEPT_SECONDS;
}
