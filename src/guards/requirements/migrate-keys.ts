import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { KEY_LENGTH, sessionKey } from '../../core/session-key';
import { isPlainWord } from '../../core/text';
import { longKey } from './session-key-in';

const FEW_KEYS = 16;

/**
 * The state with every session under its short key. Older programs wrote whole ids; where both
 * stand, the newer satisfaction wins and nobody's trigger is lost. Running it again changes nothing.
 */
export function migrateKeys(state: Json | undefined): Json | undefined {
  if (!isJsonObject(state)) return state;
  const known = migrated.get(state);
  if (known !== undefined) return known;
  const after = withoutLongKeys(state);
  migrated.set(state, after);
  return after;
}

/** An event asks several times, and a branch that lives for months has seen a thousand sessions. */
const migrated = new WeakMap<JsonObject, JsonObject>();

function withoutLongKeys(state: JsonObject): JsonObject {
  const { requirements } = state as { readonly requirements?: Json };
  if (!isJsonObject(requirements)) return state;
  const names = Object.keys(requirements).filter((name) => hasLongKey(requirements[name]));
  if (names.length === 0) return state;
  const moved = names.map((name) => [name, withShortKeys(requirements[name] as JsonObject)] as const);
  return { ...state, requirements: { ...requirements, ...Object.fromEntries(moved) } };
}

function hasLongKey(entry: Json | undefined): boolean {
  const sessions = isJsonObject(entry) ? entry['sessions'] : undefined;
  if (!isJsonObject(sessions)) return false;
  const keys = Object.keys(sessions);
  // Nearly always all are short and plain, which one look at all of them tells sooner than one at each.
  const mayBeLong = keys.some((key) => key.length > KEY_LENGTH) || !isPlain(keys.join(''));
  return mayBeLong && keys.some((key) => isLong(key, sessions[key]));
}

/** To compile a pattern takes longer than to look at the characters of a few keys. */
function isPlain(keys: string): boolean {
  return keys.length > FEW_KEYS * KEY_LENGTH ? !/\W/.test(keys) : isPlainWord(keys);
}

/** A key of twelve is one of ours, for two sessions whose first eight are alike. */
function isLong(key: string, own: Json | undefined): boolean {
  const full = isJsonObject(own) && typeof own['session_id'] === 'string' ? own['session_id'] : '';
  if (full !== '' && longKey(full) === key) return false;
  return sessionKey(key) !== undefined && sessionKey(key) !== key;
}

function withShortKeys(entry: JsonObject): JsonObject {
  const sessions = entry['sessions'] as JsonObject;
  const short = new Map<string, Json>();
  for (const [key, own] of Object.entries(sessions)) {
    const name = isLong(key, own) ? (sessionKey(key) ?? key) : key;
    short.set(name, merged(short.get(name), own ?? null));
  }
  return { ...entry, sessions: Object.fromEntries(short) };
}

function merged(one: Json | undefined, other: Json): Json {
  if (!isJsonObject(one)) return other;
  if (!isJsonObject(other)) return one;
  const [newer, older] = isNewer(one, other) ? [one, other] : [other, one];
  const triggered = one['triggered'] === true || other['triggered'] === true;
  const times = [one['triggered_at'], other['triggered_at']].filter((time) => typeof time === 'number');
  return {
    ...older,
    ...newer,
    ...(triggered && { triggered: true }),
    ...(times.length > 0 && { triggered_at: Math.min(...times) }),
  };
}

function isNewer(one: JsonObject, other: JsonObject): boolean {
  const [a, b] = [timeOf(one, 'satisfied_at'), timeOf(other, 'satisfied_at')];
  return a === b ? timeOf(one, 'triggered_at') >= timeOf(other, 'triggered_at') : a > b;
}

function timeOf(own: JsonObject, key: string): number {
  return typeof own[key] === 'number' ? own[key] : 0;
}
