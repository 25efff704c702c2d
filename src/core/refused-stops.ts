import type { EventOf } from './event';
import type { GuardName } from './guard-name';
import { digest } from './hash';
import type { SessionRecord, StopChain } from './session-record';
import type { RefusedStops } from './snapshot';

type Stop = EventOf<'turn.stop'>;

/** The stops refused so far in the chain to which this stop belongs. */
export function refusedBefore(record: SessionRecord, stop: Stop): RefusedStops {
  const chain = currentChain(record, stop);
  return chain === undefined ? { byGuard: {}, inRow: 0 } : { byGuard: chain.byGuard, inRow: chain.inRow };
}

/** The stop with only those words that were not heard before: an old signal must not be obeyed again. */
export function withNewWords(record: SessionRecord, stop: Stop): Stop {
  const { saidSincePrompt: said } = stop;
  const heard = currentChain(record, stop)?.heard ?? 0;
  return said === undefined ? stop : { ...stop, lastMessage: said.slice(heard).trim() };
}

/** The record after this stop was refused by the given guards. */
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
  const inRow = toolUseSeen ? 0 : (before?.inRow ?? 0);
  const byGuard = { ...before?.byGuard };
  for (const name of guards) byGuard[name] = (byGuard[name] ?? 0) + 1;
  const stops: StopChain = {
    chain: before?.chain ?? chainName(stop),
    inRow: sameEvent ? inRow : inRow + 1,
    byGuard,
    last: { key, guards: sameEvent ? [...before.last.guards, ...guards] : guards, writtenAt: now },
    heldAt: stop.at,
    ...(stop.saidSincePrompt !== undefined && { heard: stop.saidSincePrompt.length }),
  };
  return { ...record, stops };
}

/**
 * Whether another process with all the guards that refused has dealt with this very stop, as where a host
 * knows us by two lines. Where the host does not mark its stops, it was started before that one had answered; the
 * next stop can only begin after.
 */
export function isRefusedElsewhere(
  { stops }: SessionRecord,
  stop: Stop,
  startedAt: () => number | undefined,
  guards: readonly GuardName[],
): boolean {
  if (stops === undefined || stops.last.key !== stopKey(stop)) return false;
  const { writtenAt, guards: refusing } = stops.last;
  const started = startedAt();
  return (
    started !== undefined &&
    (stop.stamp !== undefined || started <= writtenAt) &&
    guards.length > 0 &&
    refusing.every((name) => guards.some((one) => one === name))
  );
}

/** The record after a tool was used: the row begins anew, the guards' own counts stay. */
export function recordToolUse(record: SessionRecord): SessionRecord {
  return record.stops === undefined ? record : { ...record, stops: { ...record.stops, inRow: 0 } };
}

/** The stored chain if this stop goes on with it: same prompt, or no prompt id and already continuing. */
function currentChain(record: SessionRecord, stop: Stop): StopChain | undefined {
  const { stops } = record;
  if (stops === undefined) return undefined;
  if (stop.promptId !== undefined) return stops.chain === chainName(stop) ? stops : undefined;
  return stop.continuing ? stops : undefined;
}

function chainName(stop: Stop): string {
  return stop.promptId === undefined ? `stop ${stop.at}` : `prompt ${stop.promptId}`;
}

/** Tells one stop from the next by prompt, text, the host's mark and whether it is the first; the text itself is not kept. */
function stopKey(stop: Stop): string {
  const said = digest(stop.saidSincePrompt ?? stop.lastMessage ?? '');
  return `${stop.promptId ?? ''} ${stop.continuing ? 'again' : 'first'} ${stop.stamp ?? ''}${said}`;
}
