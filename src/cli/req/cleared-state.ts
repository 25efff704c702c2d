import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { requirementsIn } from './state-files';

/** What stands at the root of an entry for everybody. */
const AT_ROOT = ['satisfied', 'satisfied_at', 'satisfied_by', 'expires_at', 'metadata'];

/** Which entries go, and of these only what concerns one session, where one is named. */
export interface Clearing {
  readonly names: readonly string[] | 'all';
  readonly session?: string;
  /** Seconds since the epoch. */
  readonly now: number;
}

/** The state without what is to be cleared; the same value where there is nothing of it. */
export function clearedState(state: Json | undefined, clearing: Clearing): Json | undefined {
  if (!isJsonObject(state)) return state;
  const requirements = requirementsIn(state);
  const after = Object.entries(requirements).flatMap(([name, entry]) => {
    if (clearing.names !== 'all' && !clearing.names.includes(name)) return [[name, entry] as const];
    const left = clearing.session === undefined ? undefined : withoutSession(entry, clearing.session);
    return left === undefined ? [] : [[name, left] as const];
  });
  const unchanged = JSON.stringify(Object.fromEntries(after)) === JSON.stringify(requirements);
  return unchanged ? state : { ...state, updated_at: clearing.now, requirements: Object.fromEntries(after) };
}

/** A satisfaction at the root counts for this session too, so it goes as well; what others have of their own stays. */
function withoutSession(entry: Json | undefined, session: string): JsonObject | undefined {
  if (!isJsonObject(entry)) return undefined;
  const kept = Object.fromEntries(Object.entries(entry).filter(([key]) => !AT_ROOT.includes(key)));
  const sessions = without(kept['sessions'], session);
  const triggered = without(kept['triggered_sessions'], session);
  const isEmpty = Object.keys({ ...sessions, ...triggered }).length === 0;
  if (isEmpty) return undefined;
  return { ...kept, sessions, ...('triggered_sessions' in kept && { triggered_sessions: triggered }) };
}

function without(sessions: Json | undefined, session: string): JsonObject {
  if (!isJsonObject(sessions)) return {};
  const { [session]: _gone, ...others } = sessions;
  return others;
}
