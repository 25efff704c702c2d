import type { Json, JsonObject } from '../../domain/json';
import { isJsonObject } from '../../domain/json';
import type { Scope } from './config';

/** How a satisfaction came about, as it stands in the state file. */
export interface Satisfaction {
  readonly by: string;
  /** Seconds since the epoch. */
  readonly at: number;
  readonly expiresAt?: number;
  readonly metadata?: JsonObject;
}

export interface StateOwner {
  readonly branch: string;
  readonly project: string;
  /** Seconds since the epoch. */
  readonly now: number;
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

/** Whether a satisfaction stands: said, and not expired. */
export function isSatisfied(holder: JsonObject, nowSeconds: number): boolean {
  const expires = holder['expires_at'];
  return holder['satisfied'] === true && !(typeof expires === 'number' && nowSeconds > expires);
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
): JsonObject {
  return changeEntry(state, owner, name, scope, (entry) =>
    changeSession(entry, session, (own) => ({ ...own, ...satisfied(satisfaction) })),
  );
}

/** The state with a requirement satisfied at its root: for every session. */
export function satisfyRoot(
  state: Json | undefined,
  owner: StateOwner,
  name: string,
  scope: Scope,
  satisfaction: Satisfaction,
): JsonObject {
  return changeEntry(state, owner, name, scope, (entry) => ({ ...entry, ...satisfied(satisfaction) }));
}

/** The state with a requirement triggered by a session. The first time counts and stays. */
export function trigger(
  state: Json | undefined,
  owner: StateOwner,
  name: string,
  scope: Scope,
  session: string,
): JsonObject {
  const at = owner.now;
  return changeEntry(state, owner, name, scope, (entry) => {
    if (isTriggered(entry, scope, session)) return entry;
    if (scope === 'session' || scope === 'single_use') {
      return changeSession(entry, session, (own) => ({ ...own, triggered: true, triggered_at: at }));
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
  const entry = entryIn(state, name);
  const sessions = entry['sessions'];
  if (!isJsonObject(sessions) || sessionIn(entry, session)['satisfied'] !== true) return state;
  return changeEntry(state, owner, name, 'single_use', (known) => {
    const { [session]: _used, ...rest } = sessions;
    return { ...known, sessions: rest };
  });
}

function satisfied(satisfaction: Satisfaction): JsonObject {
  const { by, at, expiresAt, metadata } = satisfaction;
  return {
    satisfied: true,
    satisfied_at: at,
    satisfied_by: by,
    expires_at: expiresAt ?? null,
    ...(metadata && { metadata }),
  };
}

function changeSession(
  entry: JsonObject,
  session: string,
  change: (own: JsonObject) => JsonObject,
): JsonObject {
  const sessions = isJsonObject(entry['sessions']) ? entry['sessions'] : {};
  return { ...entry, sessions: { ...sessions, [session]: change(sessionIn(entry, session)) } };
}

function changeEntry(
  state: Json | undefined,
  owner: StateOwner,
  name: string,
  scope: Scope,
  change: (entry: JsonObject) => JsonObject,
): JsonObject {
  const known = isJsonObject(state) ? state : {};
  const requirements = isJsonObject(known['requirements']) ? known['requirements'] : {};
  const before = entryIn(state, name);
  const entry = change(before);
  if (entry === before) return known;
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
