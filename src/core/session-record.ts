import type { GuardName } from './guard-name';
import { GUARD_NAMES } from './guard-name';
import type { Json, JsonObject } from './json';
import { isJsonObject } from './json';

/** The refused stops of one chain, that is of one prompt. */
export interface StopChain {
  readonly chain: string;
  /** Refused in a row since the last tool use. */
  readonly inRow: number;
  readonly byGuard: Readonly<Partial<Record<GuardName, number>>>;
  /** The last refused stop, so that several processes that see one event count it once. */
  readonly last: { readonly key: string; readonly guards: readonly string[]; readonly writtenAt: number };
  readonly heldAt: number;
  /** How much of what the agent has said since the prompt was heard by then, where the host adds it up. */
  readonly heard?: number;
}

/** Something of ours failed while this session ran, and somebody has to be told. */
export interface DegradedMark {
  readonly at: number;
  readonly code: string;
  readonly detail: string;
  readonly told: boolean;
}

/** What we keep of a session besides the guards' own state. The file exists only once needed. */
export interface SessionRecord {
  readonly sessionId: string;
  readonly stops?: StopChain;
  readonly degraded: readonly DegradedMark[];
}

/** Reads what is on disk. Anything odd counts as absent: a count must never be invented. */
export function recordFrom(value: Json | undefined, sessionId: string): SessionRecord {
  if (!isJsonObject(value)) return { sessionId, degraded: [] };
  const stops = stopsFrom(value['stops']);
  const degraded = Array.isArray(value['degraded']) ? value['degraded'].flatMap(markFrom) : [];
  const id = typeof value['session_id'] === 'string' ? value['session_id'] : sessionId;
  return { sessionId: id, ...(stops && { stops }), degraded };
}

export function recordToJson(record: SessionRecord, now: number): JsonObject {
  const { stops } = record;
  return {
    version: 1,
    session_id: record.sessionId,
    seen_at: now,
    ...(stops && {
      stops: {
        chain: stops.chain,
        in_row: stops.inRow,
        by_guard: { ...stops.byGuard },
        last: { key: stops.last.key, guards: [...stops.last.guards], written_at: stops.last.writtenAt },
        held_at: stops.heldAt,
        ...(stops.heard !== undefined && { heard: stops.heard }),
      },
    }),
    degraded: record.degraded.map((mark) => ({ ...mark })),
  };
}

function stopsFrom(value: Json | undefined): StopChain | undefined {
  if (!isJsonObject(value) || typeof value['chain'] !== 'string') return undefined;
  const last = isJsonObject(value['last']) ? value['last'] : {};
  return {
    chain: value['chain'],
    inRow: countFrom(value['in_row']),
    byGuard: byGuardFrom(value['by_guard']),
    last: {
      key: textFrom(last['key']),
      guards: listFrom(last['guards']),
      writtenAt: countFrom(last['written_at']),
    },
    heldAt: countFrom(value['held_at']),
    ...(value['heard'] !== undefined && { heard: countFrom(value['heard']) }),
  };
}

function byGuardFrom(value: Json | undefined): Partial<Record<GuardName, number>> {
  const counts: Partial<Record<GuardName, number>> = {};
  if (!isJsonObject(value)) return counts;
  for (const name of GUARD_NAMES) if (value[name] !== undefined) counts[name] = countFrom(value[name]);
  return counts;
}

function markFrom(value: Json): DegradedMark[] {
  if (!isJsonObject(value)) return [];
  const { at, code, detail, told } = value as Record<string, Json>;
  return [{ at: countFrom(at), code: textFrom(code), detail: textFrom(detail), told: told === true }];
}

function countFrom(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

function textFrom(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function listFrom(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
