import { isJsonObject, type Json, type JsonObject } from '../../core/json';

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
