import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import type { CarryOver, Requirement } from './config';
import { entryIn, isSatisfied, type StateOwner, satisfySession } from './state';

/** A satisfaction that a new session takes over. */
export interface Carried {
  readonly name: string;
  readonly from: string;
  readonly ageSeconds: number;
}

/** What a session that has just begun may take over from others: the newest one of each requirement. */
export function carriedOver(
  state: Json | undefined,
  requirements: readonly Requirement[],
  { windowSeconds, scopes }: CarryOver,
  session: string,
  now: number,
): Carried[] {
  return requirements
    .filter(({ type, scope }) => type !== 'condition' && scopes.includes(scope))
    .flatMap(({ name }) => {
      const entry = entryIn(state, name);
      const sessions = isJsonObject(entry['sessions']) ? entry['sessions'] : {};
      if (isJsonObject(sessions[session]) && isSatisfied(sessions[session], now)) return [];
      const [newest] = Object.entries(sessions)
        .flatMap(([from, own]) => (isJsonObject(own) && isSatisfied(own, now) ? [{ from, own }] : []))
        .map(({ from, own }) => ({ name, from, ageSeconds: Math.max(0, now - timeOf(own)) }))
        .filter(({ ageSeconds }) => ageSeconds <= windowSeconds)
        .sort((a, b) => a.ageSeconds - b.ageSeconds);
      return newest === undefined ? [] : [newest];
    });
}

/** The state after a session took over what `carriedOver` named. */
export function withCarried(
  state: Json | undefined,
  carried: readonly Carried[],
  requirements: readonly Requirement[],
  owner: StateOwner,
  session: string,
  windowSeconds: number,
): Json | undefined {
  return carried.reduce<Json | undefined>((value, { name, from }) => {
    const source = sourceIn(value, name, from);
    const scope = requirements.find((requirement) => requirement.name === name)?.scope ?? 'session';
    const expires = source['expires_at'];
    return satisfySession(value, owner, name, scope, session, {
      by: 'carry_over',
      at: owner.now,
      ...(typeof expires === 'number' && { expiresAt: expires }),
      metadata: {
        carried_from: from,
        original_satisfied_at: timeOf(source),
        original_satisfied_by: source['satisfied_by'],
        carry_over_window: windowSeconds,
      },
    });
  }, state);
}

function sourceIn(state: Json | undefined, name: string, from: string): JsonObject {
  const sessions = entryIn(state, name)['sessions'];
  const own = isJsonObject(sessions) ? sessions[from] : undefined;
  return isJsonObject(own) ? own : {};
}

/** When it was really satisfied: what was carried over once is as old as its source, or a chain would never end. */
function timeOf(own: JsonObject): number {
  const metadata = own['metadata'];
  const source = isJsonObject(metadata) ? metadata['original_satisfied_at'] : undefined;
  const time = typeof source === 'number' ? source : own['satisfied_at'];
  return typeof time === 'number' ? time : 0;
}
