import { countIn, isJsonObject, type Json, type JsonObject, objectIn } from '../../core/json';
import { sessionKey, sha256Hex } from '../../core/text';
import type { Scope } from './section';

/** The requirement for an agreed design. */
export const DESIGN_GATE = 'design_approved';

/** What a state file holds; `undefined` where there is none. */
export type State = Json | undefined;

/** How a satisfaction came about, as the state file has it. */
export interface Satisfaction {
  readonly by: string;
  /** Seconds since the epoch. */
  readonly at: number;
  readonly expiresAt?: number | undefined;
  readonly metadata?: JsonObject;
  /** Who said so, where that is known. */
  readonly actor?: 'agent' | 'person';
}

/** Whose state it is, and when it is changed. */
export interface StateOwner {
  readonly branch: string;
  readonly project: string;
  /** Seconds since the epoch. */
  readonly now: number;
  /** The whole id of the session that changes its own entry, where it is known. */
  readonly sessionId?: string;
}

/** How much of an id is kept, so that a long one cannot fill the state. */
export const LONGEST_ID = 128;

export function entryIn(state: State, name: string): JsonObject {
  return objectIn(objectIn(state, 'requirements'), name);
}

export function sessionIn(entry: JsonObject, session: string): JsonObject {
  return objectIn(objectIn(entry, 'sessions'), session);
}

/** Whether a satisfaction counts: not expired. An approval ends in its last second, the others after it. */
export function isSatisfied(holder: JsonObject, nowSeconds: number): boolean {
  const { satisfied, satisfied_by: by, expires_at: expires } = holder;
  if (satisfied !== true || typeof expires !== 'number') return satisfied === true;
  return by === 'approval' ? nowSeconds < expires : nowSeconds <= expires;
}

export function isPerSession(scope: Scope): boolean {
  return scope === 'session' || scope === 'single_use';
}

export function isTriggered(entry: JsonObject, scope: Scope, session: string): boolean {
  if (isPerSession(scope)) return sessionIn(entry, session)['triggered'] === true;
  return Object.hasOwn(objectIn(entry, 'triggered_sessions'), session);
}

export function satisfySession(
  state: State,
  owner: StateOwner,
  name: string,
  scope: Scope,
  session: string,
  satisfaction: Satisfaction,
): State {
  return changeEntry(state, owner, name, scope, (entry) =>
    withOwn(entry, owner, session, satisfiedFields(satisfaction)),
  );
}

/** The state with a requirement satisfied at its root: for every session. */
export function satisfyRoot(
  state: State,
  owner: StateOwner,
  name: string,
  scope: Scope,
  satisfaction: Satisfaction,
): State {
  return changeEntry(state, owner, name, scope, (entry) => ({ ...entry, ...satisfiedFields(satisfaction) }));
}

/** The state with a requirement triggered by a session. The first time counts and stays. */
export function trigger(state: State, owner: StateOwner, name: string, scope: Scope, session: string): State {
  const at = owner.now;
  return changeEntry(state, owner, name, scope, (entry) => {
    if (isTriggered(entry, scope, session)) return entry;
    if (isPerSession(scope)) return withOwn(entry, owner, session, { triggered: true, triggered_at: at });
    return {
      ...entry,
      triggered: true,
      triggered_at: entry['triggered_at'] ?? at,
      triggered_sessions: { ...objectIn(entry, 'triggered_sessions'), [session]: at },
    };
  });
}

/**
 * The state without a session's pass, which the action that it was for has used up. An entry that was only
 * triggered is no pass; it stays, for the end of the turn.
 */
export function consume(state: State, owner: StateOwner, name: string, session: string): State {
  return changeEntry(state, owner, name, 'single_use', (entry) =>
    sessionIn(entry, session)['satisfied'] === true ? withoutOwn(entry, session) : entry,
  );
}

/** The state without anything of one session's own in a requirement; what counts for all stays. */
export function withoutSession(state: State, owner: StateOwner, name: string, session: string): State {
  const scope = entryIn(state, name)['scope'] ?? 'session';
  return changeEntry(state, owner, name, scope, (entry) => withoutOwn(entry, session));
}

function satisfiedFields({ by, at, expiresAt, metadata, actor }: Satisfaction): JsonObject {
  return {
    satisfied: true,
    satisfied_at: at,
    satisfied_by: by,
    expires_at: expiresAt ?? null,
    ...(metadata && { metadata }),
    ...(actor && { actor }),
  };
}

function withOwn(
  entry: JsonObject,
  { sessionId }: StateOwner,
  session: string,
  fields: JsonObject,
): JsonObject {
  const id = sessionId === undefined ? {} : { session_id: sessionId.slice(0, LONGEST_ID) };
  const own = { ...sessionIn(entry, session), ...fields, ...id };
  return { ...entry, sessions: { ...objectIn(entry, 'sessions'), [session]: own } };
}

function withoutOwn(entry: JsonObject, session: string): JsonObject {
  const sessions = objectIn(entry, 'sessions');
  if (!Object.hasOwn(sessions, session)) return entry;
  const { [session]: _own, ...rest } = sessions;
  return { ...entry, sessions: rest };
}

function changeEntry(
  state: State,
  owner: StateOwner,
  name: string,
  scope: Json,
  change: (entry: JsonObject) => JsonObject,
): State {
  const migrated = migrateKeys(state);
  const before = entryIn(migrated, name);
  const entry = change(before);
  if (entry === before) return migrated;
  return {
    version: '1.0',
    branch: owner.branch,
    project: owner.project,
    created_at: owner.now,
    ...(isJsonObject(migrated) && migrated),
    updated_at: owner.now,
    requirements: { ...objectIn(migrated, 'requirements'), [name]: { sessions: {}, ...entry, scope } },
  };
}

/** The state with each requirement's entry changed; the same value where none is. */
function changeEntries(state: State, change: (entry: Json | undefined) => Json | undefined): State {
  const before = objectIn(state, 'requirements');
  const after = Object.entries(before).map(([name, entry]) => [name, change(entry)] as const);
  if (!isJsonObject(state) || after.every(([name, entry]) => entry === before[name])) return state;
  return { ...state, requirements: Object.fromEntries(after) };
}

/**
 * The state with every session under its short key. Older programs wrote whole ids; where both are there,
 * the newer satisfaction wins and no trigger is lost. Running it again changes nothing.
 */
export function migrateKeys(state: State): State {
  return changeEntries(state, (entry) => {
    const sessions = Object.entries(objectIn(entry, 'sessions'));
    if (!isJsonObject(entry) || !sessions.some(([key, own]) => isLong(key, own))) return entry;
    const short = new Map<string, Json>();
    for (const [key, own] of sessions) {
      const name = isLong(key, own) ? (sessionKey(key) ?? key) : key;
      short.set(name, merged(short.get(name), own ?? null));
    }
    return { ...entry, sessions: Object.fromEntries(short) };
  });
}

/** A key of twelve is one of ours, for two sessions whose first eight are alike. */
function isLong(key: string, own: Json | undefined): boolean {
  // Nearly all keys are short, and a state has hundreds: hashing rules need not be asked for each.
  if (/^(?!ses_)\w{1,8}$/.test(key)) return false;
  const full = isJsonObject(own) && typeof own['session_id'] === 'string' ? own['session_id'] : '';
  if (full !== '' && longKey(full) === key) return false;
  return sessionKey(key) !== undefined && sessionKey(key) !== key;
}

const LONG_KEY = 12;

/** The key of twelve: of the id itself where that is plain, else of its hash, as with the short one. */
export function longKey(sessionId: string): string {
  const plain = sessionId.replaceAll('-', '');
  return (/^[0-9A-Za-z_]+$/.test(plain) ? plain : sha256Hex(sessionId)).slice(0, LONG_KEY);
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
  const [a, b] = [countIn(one, 'satisfied_at'), countIn(other, 'satisfied_at')];
  return a === b ? countIn(one, 'triggered_at') >= countIn(other, 'triggered_at') : a > b;
}

const KEPT_SECONDS = 30 * 24 * 60 * 60;

/** The state without what sessions left in it that ended long ago, so that the file does not grow for ever. */
export function withoutOldSessions(state: State, living: readonly string[], now: number): State {
  // What has no time was written by hand or by an older program; its age is not known.
  const isOld = (...times: readonly (Json | undefined)[]): boolean => {
    const known = times.filter((time) => typeof time === 'number');
    return known.length > 0 && now - Math.max(...known) >= KEPT_SECONDS;
  };
  const isKept = (own: Json | undefined): boolean =>
    isJsonObject(own) && !isOld(own['satisfied_at'], own['triggered_at']);
  return changeEntries(state, (entry) => {
    if (!isJsonObject(entry)) return entry;
    const sessions = kept(entry['sessions'], living, isKept);
    const triggered = kept(entry['triggered_sessions'], living, (at) => !isOld(at));
    if (sessions === entry['sessions'] && triggered === entry['triggered_sessions']) return entry;
    return { ...entry, ...(sessions && { sessions }), ...(triggered && { triggered_sessions: triggered }) };
  });
}

function kept(
  sessions: Json | undefined,
  living: readonly string[],
  isKept: (own: Json | undefined) => boolean,
): Json | undefined {
  if (!isJsonObject(sessions)) return sessions;
  const rest = Object.entries(sessions).filter(([key, own]) => living.includes(key) || isKept(own));
  return rest.length === Object.keys(sessions).length ? sessions : Object.fromEntries(rest);
}

/** A turn that ended although it had been held for these requirements. */
export interface Override {
  readonly session: string;
  readonly names: readonly string[];
  /** Seconds since the epoch. */
  readonly at: number;
}

const MOST_OVERRIDES = 5;

/** The state with one more turn that ended all the same, for the next session to be told. */
export function withOverride(state: State, override: Override): JsonObject {
  const others = overridesIn(state).filter(({ session }) => session !== override.session);
  const listed = [...others, override].slice(-MOST_OVERRIDES).map((one) => ({ ...one }));
  return { ...(isJsonObject(state) && state), stop_overrides: listed };
}

/** The turns of which the next session is to be told. */
export function overridesIn(state: State): Override[] {
  const listed = isJsonObject(state) ? state['stop_overrides'] : undefined;
  if (!Array.isArray(listed)) return [];
  return listed.filter(isJsonObject).map((one) => ({
    session: String(one['session'] ?? ''),
    names: Array.isArray(one['names']) ? one['names'].map(String) : [],
    at: countIn(one, 'at'),
  }));
}

/** The state after a session was told of them. */
export function withoutOverrides(state: State): State {
  if (!isJsonObject(state) || state['stop_overrides'] === undefined) return state;
  const { stop_overrides: _told, ...rest } = state;
  return rest;
}
