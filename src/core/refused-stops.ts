import type { Change } from '../state/documents';
import type { EventOf } from './event';
import type { Failure } from './failure';
import { GUARD_NAMES, type GuardName, type RefusedStops } from './guard';
import { countIn, type Json, type JsonObject, objectIn, objectsIn, textIn, textsIn } from './json';
import { digest, sessionRecordRef } from './text';

/** The held stops of one chain, that is, of one prompt. */
type StopChain = {
  readonly chain: string;
  /** Held in a row since the last tool use. */
  readonly in_row: number;
  readonly by_guard: Readonly<Partial<Record<GuardName, number>>>;
  /** The last held stop, so that several processes that see one event count it once. */
  readonly last: { readonly key: string; readonly guards: readonly string[]; readonly written_at: number };
  readonly held_at: number;
  /** Length of `saidSincePrompt` at that stop, on hosts that accumulate it. */
  readonly heard?: number;
};

/** A failure of ours during this session that a person must be told of. */
export type DegradedMark = {
  readonly at: number;
  readonly code: string;
  readonly detail: string;
  readonly told: boolean;
};

/** What we keep of a session besides the guards' own state, as stored. The file is created only when needed. */
export type SessionRecord = {
  readonly session_id: string;
  readonly stops?: StopChain;
  readonly degraded: readonly DegradedMark[];
};

/** Malformed values count as absent: a count must never be invented. */
export function recordFrom(value: Json | undefined, sessionId: string): SessionRecord {
  const stops = stopsFrom(value);
  const degraded = objectsIn(value, 'degraded').map(markFrom);
  return { session_id: textIn(value, 'session_id') ?? sessionId, ...(stops && { stops }), degraded };
}

export function recordToJson({ session_id, ...rest }: SessionRecord, now: number): JsonObject {
  return { version: 1, session_id, seen_at: now, ...rest };
}

function stopsFrom(record: Json | undefined): StopChain | undefined {
  const stops = objectIn(record, 'stops');
  const chain = textIn(stops, 'chain');
  if (chain === undefined) return undefined;
  const last = objectIn(stops, 'last');
  const counts = objectIn(stops, 'by_guard');
  const known = GUARD_NAMES.filter((name) => counts[name] !== undefined);
  return {
    chain,
    in_row: countIn(stops, 'in_row'),
    by_guard: Object.fromEntries(known.map((name) => [name, countIn(counts, name)])),
    last: {
      key: textIn(last, 'key') ?? '',
      guards: textsIn(last, 'guards'),
      written_at: countIn(last, 'written_at'),
    },
    held_at: countIn(stops, 'held_at'),
    ...(stops['heard'] !== undefined && { heard: countIn(stops, 'heard') }),
  };
}

function markFrom(mark: JsonObject): DegradedMark {
  const text = (key: string): string => textIn(mark, key) ?? '';
  return { at: countIn(mark, 'at'), code: text('code'), detail: text('detail'), told: mark['told'] === true };
}

type Stop = EventOf<'turn.stop'>;

/** The stops held so far in the chain that this stop belongs to. */
export function refusedBefore(record: SessionRecord, stop: Stop): RefusedStops {
  const chain = currentChain(record, stop);
  return { byGuard: chain?.by_guard ?? {}, inRow: chain?.in_row ?? 0 };
}

/** Keeps only text that is new since the last held stop: an old signal must not be obeyed again. */
export function withNewWords(record: SessionRecord, stop: Stop): Stop {
  const { saidSincePrompt: said } = stop;
  const heard = currentChain(record, stop)?.heard ?? 0;
  return said === undefined ? stop : { ...stop, lastMessage: said.slice(heard).trim() };
}

/** The record after the given guards held this stop. */
export function recordRefusal(
  record: SessionRecord,
  stop: Stop,
  guards: readonly GuardName[],
  toolUseSeen: boolean,
  now: number,
): SessionRecord {
  const before = currentChain(record, stop);
  const key = stopKey(stop);
  const sameEvent =
    !toolUseSeen &&
    before !== undefined &&
    before.last.key === key &&
    !guards.some((name) => before.last.guards.includes(name));
  const inRow = toolUseSeen ? 0 : (before?.in_row ?? 0);
  const by_guard = { ...before?.by_guard };
  for (const name of guards) by_guard[name] = (by_guard[name] ?? 0) + 1;
  const stops: StopChain = {
    chain: before?.chain ?? chainName(stop),
    in_row: sameEvent ? inRow : inRow + 1,
    by_guard,
    last: { key, guards: sameEvent ? [...before.last.guards, ...guards] : guards, written_at: now },
    held_at: stop.at,
    ...(stop.saidSincePrompt !== undefined && { heard: stop.saidSincePrompt.length }),
  };
  return { ...record, stops };
}

/**
 * Whether another process with all the guards that held has handled this same stop, as when a host has two
 * entries for us. If the host does not stamp its stops, we must have started before that process answered:
 * the next stop can only start afterwards. An answer from the future shows that the clock was set back.
 */
export function isRefusedElsewhere(
  { stops }: SessionRecord,
  stop: Stop,
  startedAt: () => number | undefined,
  guards: readonly GuardName[],
  now: number,
): boolean {
  if (stops === undefined || stops.last.key !== stopKey(stop)) return false;
  const { written_at: writtenAt, guards: refusing } = stops.last;
  const started = startedAt();
  return (
    started !== undefined &&
    (stop.stamp !== undefined || (started <= writtenAt && writtenAt <= now)) &&
    guards.length > 0 &&
    refusing.every((name) => guards.some((one) => one === name))
  );
}

/** The record before its last held stop, which a server has counted but not answered. */
export function withoutLastRefusal(record: SessionRecord): SessionRecord {
  const { stops } = record;
  if (stops === undefined) return record;
  const by_guard = { ...stops.by_guard };
  for (const name of GUARD_NAMES)
    if (stops.last.guards.includes(name)) by_guard[name] = Math.max(0, (by_guard[name] ?? 0) - 1);
  return { ...record, stops: { ...stops, by_guard, in_row: Math.max(0, stops.in_row - 1) } };
}

/** Tool use resets the count in a row; the guards' own counts stay. */
export function recordToolUse(record: SessionRecord): SessionRecord {
  return record.stops === undefined ? record : { ...record, stops: { ...record.stops, in_row: 0 } };
}

/** The stored chain if this stop continues it: same prompt, or no prompt id and already continuing. */
function currentChain(record: SessionRecord, stop: Stop): StopChain | undefined {
  const { stops } = record;
  if (stops === undefined) return undefined;
  if (stop.promptId !== undefined) return stops.chain === chainName(stop) ? stops : undefined;
  return stop.continuing ? stops : undefined;
}

function chainName(stop: Stop): string {
  return stop.promptId === undefined ? `stop ${stop.at}` : `prompt ${stop.promptId}`;
}

/** Identifies a stop by prompt, text digest, the host's stamp and whether it is the first. */
export function stopKey(stop: Stop): string {
  const said = digest(stop.saidSincePrompt ?? stop.lastMessage ?? '');
  return `${stop.promptId ?? ''} ${stop.continuing ? 'again' : 'first'} ${stop.stamp ?? ''}${said}`;
}

const MARKS_KEPT = 10;

/** Marks the session degraded, once for each kind of failure and each broken rule, until it is reported. */
export function markDegraded(record: SessionRecord, failures: readonly Failure[], at: number): SessionRecord {
  const waiting = record.degraded.filter((mark) => !mark.told);
  const isKnown = ({ code, detail }: DegradedMark): boolean =>
    waiting.some((mark) => mark.code === code && (code !== 'rule.failed' || mark.detail === detail));
  const fresh = failures
    .map((failure): DegradedMark => {
      const { code, ...facts } = failure;
      const detail =
        failure.code === 'rule.failed'
          ? `${failure.rule} (${failure.place}: ${failure.detail})`
          : Object.values(facts).join(' ');
      return { at, code, detail: detail.slice(0, 300), told: false };
    })
    .filter((mark) => !isKnown(mark));
  if (fresh.length === 0) return record;
  return { ...record, degraded: [...waiting, ...fresh].slice(-MARKS_KEPT) };
}

/** The mark as a separate change, for failures that no commit records. */
export function degradeChange(sessionId: string, failures: readonly Failure[], at: number): Change {
  return recordChange(sessionId, 'degraded session', at, (record) => markDegraded(record, failures, at));
}

/** A change of a session's record. `update` returns the same record if there is nothing to write. */
export function recordChange(
  sessionId: string,
  what: string,
  at: number,
  update: (record: SessionRecord) => SessionRecord,
): Change {
  return {
    document: sessionRecordRef(sessionId),
    what,
    apply: (current) => {
      const record = recordFrom(current, sessionId);
      const next = update(record);
      return next === record ? current : recordToJson(next, at);
    },
  };
}
