import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { KEY_LENGTH, sessionKey } from '../../core/session-key';
import { isPlainWord } from '../../core/text';
import type { Scope } from './config';
import { longKey } from './view';

/** How a satisfaction came about, as it stands in the state file. */
export interface Satisfaction {
  readonly by: string;
  /** Seconds since the epoch. */
  readonly at: number;
  readonly expiresAt?: number;
  readonly metadata?: JsonObject;
  /** Who said so, where that can be told. */
  readonly actor?: 'agent' | 'person';
}

export interface StateOwner {
  readonly branch: string;
  readonly project: string;
  /** Seconds since the epoch. */
  readonly now: number;
  /** The whole id of the session that changes its own entry, where it is known. */
  readonly sessionId?: string;
}

/** One requirement's entry in a state; empty when there is none or it is no mapping. */
export function entryIn(state: Json | undefined, name: string): JsonObject {
  const requirements = isJsonObject(state) ? state['requirements'] : undefined;
  const entry = isJsonObject(requirements) ? requirements[name] : undefined;
  return isJsonObject(entry) ? entry : {};
}

/** One session's part of a requirement's entry. */
export function sessionIn(entry: JsonObject, session: string): JsonObject {
  const own = isJsonObject(entry['sessions']) ? entry['sessions'][session] : undefined;
  return isJsonObject(own) ? own : {};
}

/** Whether a satisfaction stands: said, and not expired. An approval is over in its last second, the others after it. */
export function isSatisfied(holder: JsonObject, nowSeconds: number): boolean {
  const { satisfied, satisfied_by: by, expires_at: expires } = holder;
  if (satisfied !== true || typeof expires !== 'number') return satisfied === true;
  return by === 'approval' ? nowSeconds < expires : nowSeconds <= expires;
}

export function isTriggered(entry: JsonObject, scope: Scope, session: string): boolean {
  if (scope === 'session' || scope === 'single_use') return sessionIn(entry, session)['triggered'] === true;
  const sessions = entry['triggered_sessions'];
  return isJsonObject(sessions) && Object.hasOwn(sessions, session);
}

/** The state with one session's requirement satisfied. */
export function satisfySession(
  state: Json | undefined,
  owner: StateOwner,
  name: string,
  scope: Scope,
  session: string,
  satisfaction: Satisfaction,
): Json | undefined {
  return changeEntry(state, owner, name, scope, (entry) =>
    changeSession(entry, owner, session, (own) => ({ ...own, ...satisfied(satisfaction) })),
  );
}

/** The state with a requirement satisfied at its root: for every session. */
export function satisfyRoot(
  state: Json | undefined,
  owner: StateOwner,
  name: string,
  scope: Scope,
  satisfaction: Satisfaction,
): Json | undefined {
  return changeEntry(state, owner, name, scope, (entry) => ({ ...entry, ...satisfied(satisfaction) }));
}

/** The state with a requirement triggered by a session. The first time counts and stays. */
export function trigger(
  state: Json | undefined,
  owner: StateOwner,
  name: string,
  scope: Scope,
  session: string,
): Json | undefined {
  const at = owner.now;
  return changeEntry(state, owner, name, scope, (entry) => {
    if (isTriggered(entry, scope, session)) return entry;
    if (scope === 'session' || scope === 'single_use') {
      return changeSession(entry, owner, session, (own) => ({ ...own, triggered: true, triggered_at: at }));
    }
    const sessions = isJsonObject(entry['triggered_sessions']) ? entry['triggered_sessions'] : {};
    return {
      ...entry,
      triggered: true,
      triggered_at: entry['triggered_at'] ?? at,
      triggered_sessions: { ...sessions, [session]: at },
    };
  });
}

/**
 * The state without a session's pass: it was used up by the action it was for. An entry that was only
 * triggered is no pass; it stays, for the end of the turn.
 */
export function consume(
  state: Json | undefined,
  owner: StateOwner,
  name: string,
  session: string,
): Json | undefined {
  return changeEntry(state, owner, name, 'single_use', (entry) => {
    const sessions = entry['sessions'];
    if (!isJsonObject(sessions) || sessionIn(entry, session)['satisfied'] !== true) return entry;
    const { [session]: _used, ...rest } = sessions;
    return { ...entry, sessions: rest };
  });
}

/** The state without anything of one session's own in a requirement; what counts for all stays. */
export function withoutSession(
  state: Json | undefined,
  owner: StateOwner,
  name: string,
  session: string,
): Json | undefined {
  return changeEntry(state, owner, name, scopeIn(state, name), (entry) => {
    const sessions = entry['sessions'];
    if (!isJsonObject(sessions) || !Object.hasOwn(sessions, session)) return entry;
    const { [session]: _own, ...rest } = sessions;
    return { ...entry, sessions: rest };
  });
}

function scopeIn(state: Json | undefined, name: string): Scope {
  const scope = entryIn(state, name)['scope'];
  return scope === 'branch' || scope === 'permanent' || scope === 'single_use' ? scope : 'session';
}

function satisfied(satisfaction: Satisfaction): JsonObject {
  const { by, at, expiresAt, metadata, actor } = satisfaction;
  return {
    satisfied: true,
    satisfied_at: at,
    satisfied_by: by,
    expires_at: expiresAt ?? null,
    ...(metadata && { metadata }),
    ...(actor && { actor }),
  };
}

function changeSession(
  entry: JsonObject,
  { sessionId }: StateOwner,
  session: string,
  change: (own: JsonObject) => JsonObject,
): JsonObject {
  const sessions = isJsonObject(entry['sessions']) ? entry['sessions'] : {};
  const own = {
    ...change(sessionIn(entry, session)),
    ...(sessionId !== undefined && { session_id: sessionId }),
  };
  return { ...entry, sessions: { ...sessions, [session]: own } };
}

function changeEntry(
  state: Json | undefined,
  owner: StateOwner,
  name: string,
  scope: Scope,
  change: (entry: JsonObject) => JsonObject,
): Json | undefined {
  const migrated = migrateKeys(state);
  const known = isJsonObject(migrated) ? migrated : {};
  const requirements = isJsonObject(known['requirements']) ? known['requirements'] : {};
  const before = entryIn(known, name);
  const entry = change(before);
  if (entry === before) return migrated;
  return {
    version: '1.0',
    branch: owner.branch,
    project: owner.project,
    created_at: owner.now,
    ...known,
    updated_at: owner.now,
    requirements: { ...requirements, [name]: { sessions: {}, ...entry, scope } },
  };
}

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

/** A turn that ended although it had been held for these requirements. */
export interface Override {
  readonly session: string;
  readonly names: readonly string[];
  /** Seconds since the epoch. */
  readonly at: number;
}

const KEPT = 5;

/** The state with one more turn that ended all the same, for the next session to hear of. */
export function withOverride(state: Json | undefined, override: Override): JsonObject {
  const known = isJsonObject(state) ? state : {};
  const others = overridesIn(state).filter(({ session }) => session !== override.session);
  const listed = [...others, override].slice(-KEPT);
  return { ...known, stop_overrides: listed.map((one) => ({ ...one, names: [...one.names] })) };
}

export function overridesIn(state: Json | undefined): Override[] {
  const listed = isJsonObject(state) ? state['stop_overrides'] : undefined;
  if (!Array.isArray(listed)) return [];
  return listed.filter(isJsonObject).map((one) => ({
    session: String(one['session'] ?? ''),
    names: Array.isArray(one['names']) ? one['names'].map(String) : [],
    at: typeof one['at'] === 'number' ? one['at'] : 0,
  }));
}

/** The state after somebody was told of them. */
export function withoutOverrides(state: Json | undefined): Json | undefined {
  if (!isJsonObject(state) || state['stop_overrides'] === undefined) return state;
  const { stop_overrides: _told, ...rest } = state;
  return rest;
}
