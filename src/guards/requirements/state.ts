import type { Json, JsonObject } from '../../core/json';
import { isJsonObject } from '../../core/json';
import type { Scope } from './config';
import { migrateKeys } from './migrate-keys';

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
