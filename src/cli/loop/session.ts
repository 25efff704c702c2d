import { isJsonObject } from '../../core/json';
import { readDocument } from '../../state/documents';
import type { Layout } from '../../state/layout';
import { REGISTRY } from '../../state/sessions';
import { findOrAskSession, findSession, type UnknownSession } from '../req/find-session';

/** The session that a command is about, by its whole id, and the rule by which it was found. */
export interface MeantSession {
  readonly kind: 'found';
  readonly id: string;
  readonly rule: string;
  readonly explicit: boolean;
}

interface Place {
  readonly root: string;
  readonly layout: Layout;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Like `meantSession`; where several could be meant, a person at a terminal is asked. */
export async function askedSession(
  given: string | undefined,
  place: Place,
  env: Environment,
): Promise<MeantSession | UnknownSession> {
  return whole(await findOrAskSession(given, place, env), place);
}

/** A state names its session by the whole id, so a short one is looked up among the live ones. */
export function meantSession(
  given: string | undefined,
  place: Place,
  env: Environment,
): MeantSession | UnknownSession {
  return whole(findSession(given, place, env), place);
}

function whole(found: ReturnType<typeof findSession>, { layout }: Place): MeantSession | UnknownSession {
  if (found.kind === 'none') return found;
  const id = found.id === found.key ? (registeredId(layout, found.key) ?? found.id) : found.id;
  return { kind: 'found', id, rule: found.rule, explicit: found.how === 'explicit' };
}

function registeredId(layout: Layout, key: string): string | undefined {
  const registry = readDocument(layout, REGISTRY);
  const value = registry.kind === 'present' && isJsonObject(registry.value) ? registry.value : {};
  const sessions = isJsonObject(value['sessions']) ? value['sessions'] : {};
  const entry = isJsonObject(sessions[key]) ? sessions[key] : {};
  const id = entry['session_id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
