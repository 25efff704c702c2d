import type { Who } from '../../core/actor';
import { countIn, isJsonObject, type Json, type JsonObject, nameIn, objectIn } from '../../core/json';
import { digest, isSameSessionName, keyAmong, LONGEST_ID, sessionKey, sessionKeys } from '../../core/text';
import type { Requirement, Scope } from './section';

/** The requirement for an approved design. */
export const DESIGN_GATE = 'design_approved';

/** The content of a state file; `undefined` if there is none. */
export type State = Json | undefined;

/** A satisfaction as the state file records it. */
export interface Satisfaction {
  readonly by: string;
  /** Seconds since the epoch. */
  readonly at: number;
  readonly expiresAt?: number | undefined;
  readonly metadata?: JsonObject;
  /** Who satisfied it and how, if known. */
  readonly actor?: Who['actor'] | undefined;
  readonly channel?: Who['channel'] | undefined;
}

/** Whose state is changed, and when. */
export interface StateOwner {
  readonly branch: string;
  readonly project: string;
  /** Seconds since the epoch. */
  readonly now: number;
  /** The full id of the session that changes its own entry, if known. */
  readonly sessionId?: string;
}

export function entryIn(state: State, name: string): JsonObject {
  return objectIn(objectIn(state, 'requirements'), name);
}

export function sessionIn(entry: JsonObject, session: string): JsonObject {
  return objectIn(objectIn(entry, 'sessions'), session);
}

/** Whether a taken pass may still be used, for example by the call that took it. */
export type MayUse = (taken: JsonObject) => boolean;

/** Whether a satisfaction counts: neither expired nor taken. An approval ends one second before others do. */
export function isSatisfied(holder: JsonObject, nowSeconds: number, mayUse: MayUse = () => false): boolean {
  const { satisfied, satisfied_by: by, expires_at: expires, taken } = holder;
  if (isJsonObject(taken) && !mayUse(taken)) return false;
  if (satisfied !== true || typeof expires !== 'number') return satisfied === true;
  return by === 'approval' ? nowSeconds < expires : nowSeconds <= expires;
}

/**
 * Distinguishes what our commands recorded from what someone wrote into the file, or copied from another session or
 * branch. Anyone who reads this code can forge a seal: it stops shortcuts, not attackers.
 */
function sealOf(name: string, whose: string, holder: JsonObject): string {
  const { satisfied_at: at, satisfied_by: by, actor, channel } = holder;
  return digest([name, whose, at, by, actor, channel].join('\n'));
}

function sealed(name: string, whose: string, fields: JsonObject): JsonObject {
  return fields['satisfied'] === true ? { ...fields, seal: sealOf(name, whose, fields) } : fields;
}

/** The parts of a requirement that decide what may satisfy it. */
export type Satisfiable = Pick<
  Requirement,
  'name' | 'type' | 'scope' | 'perBranch' | 'agentMaySatisfy' | 'approval' | 'approvalTtl'
>;

/** Whether the hub has signed what is recorded for a requirement; see signed.ts. */
export type IsSigned = (requirement: Satisfiable, holder: JsonObject) => boolean;

/**
 * What is recorded for a requirement, or nothing if it does not count: a rule that is reserved for people needs a
 * person and our seal, and a rule that asks for the hub also the hub's signature. An agent may have recorded it where
 * the config is another one: in a work tree of an older commit, which shares this state.
 */
export function acceptedRecord(
  requirement: Satisfiable,
  whose: string,
  holder: JsonObject,
  isSigned: IsSigned,
): JsonObject {
  const { name, agentMaySatisfy, approval } = requirement;
  if (approval !== undefined && (holder['channel'] !== approval || !isSigned(requirement, holder))) return {};
  const isPersons = holder['actor'] === 'person' && holder['seal'] === sealOf(name, whose, holder);
  return agentMaySatisfy || isPersons ? holder : {};
}

/** The owner of a satisfaction that counts for every session of the project. */
export const EVERY_SESSION = '*';

export function isPerSession(scope: Scope): boolean {
  return scope === 'session' || scope === 'single_use';
}

/** Whether a session's satisfaction counts on every branch, not only on the one where it was recorded. */
export function followsSession({ scope, perBranch }: Pick<Requirement, 'scope' | 'perBranch'>): boolean {
  return isPerSession(scope) && !perBranch;
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
  return withEntry(state, owner, name, scope, session, satisfiedFields(satisfaction));
}

/** Copies what a session recorded for a requirement on another branch. */
export function withEntry(
  state: State,
  owner: StateOwner,
  name: string,
  scope: Scope,
  session: string,
  own: JsonObject,
): State {
  return changeEntry(state, owner, name, scope, (entry) =>
    withSessionEntry(entry, owner, session, sealed(name, session, own)),
  );
}

/** Satisfies a requirement at the root of its entry: for every session. */
export function satisfyRoot(
  state: State,
  owner: StateOwner,
  name: string,
  scope: Scope,
  satisfaction: Satisfaction,
): State {
  const whose = scope === 'permanent' ? EVERY_SESSION : owner.branch;
  const fields = sealed(name, whose, satisfiedFields(satisfaction));
  return changeEntry(state, owner, name, scope, (entry) => ({ ...entry, ...fields }));
}

/** Marks a requirement as triggered by a session. The time of the first trigger stays. */
export function trigger(state: State, owner: StateOwner, name: string, scope: Scope, session: string): State {
  const at = owner.now;
  return changeEntry(state, owner, name, scope, (entry) => {
    if (isTriggered(entry, scope, session)) return entry;
    if (isPerSession(scope))
      return withSessionEntry(entry, owner, session, { triggered: true, triggered_at: at });
    return {
      ...entry,
      triggered: true,
      triggered_at: entry['triggered_at'] ?? at,
      triggered_sessions: { ...objectIn(entry, 'triggered_sessions'), [session]: at },
    };
  });
}

/**
 * Removes a session's pass after the action that it was for. An entry that was only triggered is not a pass; it stays
 * for the end of the turn. A pass that another call has taken belongs to that call.
 */
export function consume(
  state: State,
  owner: StateOwner,
  name: string,
  session: string,
  callId?: string,
): State {
  return changeEntry(state, owner, name, 'single_use', (entry) => {
    const { satisfied, taken } = sessionIn(entry, session);
    const isAnothers = isJsonObject(taken) && taken['by'] !== callId;
    return satisfied === true && !isAnothers ? withoutSessionEntry(entry, session) : entry;
  });
}

/** Marks a session's pass as taken by a call; `undefined` returns it. */
export function withTaken(
  state: State,
  owner: StateOwner,
  name: string,
  session: string,
  taken: JsonObject | undefined,
): State {
  return changeEntry(state, owner, name, 'single_use', (entry) => {
    const { taken: before, ...own } = sessionIn(entry, session);
    if (own['satisfied'] !== true || (taken === undefined && before === undefined)) return entry;
    const fields = { ...own, ...(taken && { taken }) };
    return { ...entry, sessions: { ...objectIn(entry, 'sessions'), [session]: fields } };
  });
}

/** Removes a session's own part of a requirement's entry; what counts for all sessions stays. */
export function withoutSession(state: State, owner: StateOwner, name: string, session: string): State {
  const scope = entryIn(state, name)['scope'] ?? 'session';
  return changeEntry(state, owner, name, scope, (entry) => withoutSessionEntry(entry, session));
}

function satisfiedFields({ by, at, expiresAt, metadata, actor, channel }: Satisfaction): JsonObject {
  return {
    satisfied: true,
    satisfied_at: at,
    satisfied_by: by,
    expires_at: expiresAt ?? null,
    ...(metadata && { metadata }),
    ...(actor && { actor }),
    ...(channel && { channel }),
  };
}

function withSessionEntry(
  entry: JsonObject,
  { sessionId }: StateOwner,
  session: string,
  fields: JsonObject,
): JsonObject {
  const id = sessionId === undefined ? {} : { session_id: sessionId.slice(0, LONGEST_ID) };
  const { taken, ...before } = sessionIn(entry, session);
  // Satisfying it again gives a new pass, which is not taken.
  const isTaken = taken !== undefined && fields['satisfied'] !== true;
  const own = { ...before, ...(isTaken && { taken }), ...fields, ...id };
  return { ...entry, sessions: { ...objectIn(entry, 'sessions'), [session]: own } };
}

function withoutSessionEntry(entry: JsonObject, session: string): JsonObject {
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

/** Changes each requirement's entry; returns the same value if none changes. */
function changeEntries(state: State, change: (entry: Json | undefined) => Json | undefined): State {
  const before = objectIn(state, 'requirements');
  const after = Object.entries(before).map(([name, entry]) => [name, change(entry)] as const);
  if (!isJsonObject(state) || after.every(([name, entry]) => entry === before[name])) return state;
  return { ...state, requirements: Object.fromEntries(after) };
}

/**
 * Moves every session to its short key. Older programs wrote full ids; if both are there, the newer satisfaction wins
 * and no trigger is lost. Running it again changes nothing.
 */
export function migrateKeys(state: State): State {
  return changeEntries(state, (entry) => {
    const sessions = objectIn(entry, 'sessions');
    // Nearly all keys are short, and a state may have thousands.
    const long = Object.keys(sessions).filter(
      (key) => !SHORT.test(key) && needsMigration(key, sessions[key]),
    );
    if (!isJsonObject(entry) || long.length === 0) return entry;
    const short = new Map(Object.entries(sessions).filter(([key]) => !long.includes(key)));
    for (const id of long) {
      const own = sessions[id] ?? null;
      const key = keyAmong(sessionKeys(id), id, (one) => ownersIn(short.get(one)));
      const isAlike = long.some(
        (other) => isSameSessionName(id, sessionKey(other) ?? '') && !isSameSessionName(id, other),
      );
      // If two ids begin alike, each entry says whose it is.
      const whole =
        isJsonObject(own) && (isAlike || key !== sessionKey(id))
          ? { session_id: id.slice(0, LONGEST_ID), ...own }
          : own;
      short.set(key, merged(short.get(key), whole));
    }
    return { ...entry, sessions: Object.fromEntries(short) };
  });
}

/** A key that is certainly short, without computing the session key. */
const SHORT = /^(?!ses_)\w{1,8}$/;

/** Whether a long key must be migrated. One whose entry names its session stays: its short key was already taken. */
function needsMigration(key: string, own: Json | undefined): boolean {
  if (ownersIn(own).some((owner) => sessionKeys(owner).includes(key))) return false;
  return sessionKey(key) !== undefined && sessionKey(key) !== key;
}

/** The full id of the session that an entry belongs to, if it says so. */
function ownersIn(own: Json | undefined): string[] {
  return [nameIn(own, 'session_id')].filter((owner) => owner !== undefined);
}

/**
 * The key of a session in a state: the one it has, else `usual`, or a longer one if that belongs to another session.
 * Two ids may begin with the same eight characters.
 */
export function sessionKeyIn(state: State, sessionId: string, usual: string): string {
  const entries = Object.values(objectIn(state, 'requirements')).filter(isJsonObject);
  const ownersOf = (key: string): string[] => entries.flatMap((entry) => ownersIn(sessionIn(entry, key)));
  const keys = sessionKeys(sessionId);
  const own = keys.find((key) => ownersOf(key).some((owner) => isSameSessionName(sessionId, owner)));
  return own ?? keyAmong(keys.slice(Math.max(0, keys.indexOf(usual))), sessionId, ownersOf);
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

/** Drops what sessions that ended long ago left in the state, so that the file does not grow forever. */
export function withoutOldSessions(state: State, isLiving: (key: string) => boolean, now: number): State {
  // An entry without a time was written by hand or by an older program; its age is unknown, so it stays.
  const isOld = (...times: readonly (Json | undefined)[]): boolean => {
    const known = times.filter((time) => typeof time === 'number');
    return known.length > 0 && now - Math.max(...known) >= KEPT_SECONDS;
  };
  const isKept = (own: Json | undefined): boolean =>
    isJsonObject(own) && !isOld(own['satisfied_at'], own['triggered_at']);
  return changeEntries(state, (entry) => {
    if (!isJsonObject(entry)) return entry;
    const sessions = kept(entry['sessions'], isLiving, isKept);
    const triggered = kept(entry['triggered_sessions'], isLiving, (at) => !isOld(at));
    if (sessions === entry['sessions'] && triggered === entry['triggered_sessions']) return entry;
    return { ...entry, ...(sessions && { sessions }), ...(triggered && { triggered_sessions: triggered }) };
  });
}

function kept(
  sessions: Json | undefined,
  isLiving: (key: string) => boolean,
  isKept: (own: Json | undefined) => boolean,
): Json | undefined {
  if (!isJsonObject(sessions)) return sessions;
  const rest = Object.entries(sessions).filter(([key, own]) => isKept(own) || isLiving(key));
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

/** Adds a turn that ended although it was held, to tell the next session. */
export function withOverride(state: State, override: Override): JsonObject {
  const others = overridesIn(state).filter(({ session }) => session !== override.session);
  const listed = [...others, override].slice(-MOST_OVERRIDES).map((one) => ({ ...one }));
  return { ...(isJsonObject(state) && state), stop_overrides: listed };
}

export function overridesIn(state: State): Override[] {
  const listed = isJsonObject(state) ? state['stop_overrides'] : undefined;
  if (!Array.isArray(listed)) return [];
  return listed.filter(isJsonObject).map((one) => ({
    session: String(one['session'] ?? ''),
    names: Array.isArray(one['names']) ? one['names'].map(String) : [],
    at: countIn(one, 'at'),
  }));
}

/** Removes the overrides after a session was told of them. */
export function withoutOverrides(state: State): State {
  if (!isJsonObject(state) || state['stop_overrides'] === undefined) return state;
  const { stop_overrides: _told, ...rest } = state;
  return rest;
}
