import { digest } from '../domain/digest';
import type { EventOf } from '../domain/event';
import type { GuardName } from '../domain/guard-name';
import type { RefusedStops } from '../domain/snapshot';
import type { SessionRecord, StopChain } from './session-record';

type Stop = EventOf<'turn.stop'>;

/** The stops refused so far in the chain to which this stop belongs. */
export function refusedBefore(record: SessionRecord, stop: Stop): RefusedStops {
  const chain = currentChain(record, stop);
  return chain === undefined ? { byGuard: {}, inRow: 0 } : { byGuard: chain.byGuard, inRow: chain.inRow };
}

/** The record after this stop was refused by the given guards. */
export function recordRefusal(
  record: SessionRecord,
  stop: Stop,
  guards: readonly GuardName[],
  toolUseSeen: boolean,
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
    last: { key, guards: sameEvent ? [...before.last.guards, ...guards] : guards },
    heldAt: stop.at,
  };
  return { ...record, stops };
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

/** Tells one stop from the next by prompt, text and whether it is the first; the text itself is not kept. */
function stopKey(stop: Stop): string {
  return `${stop.promptId ?? ''} ${stop.continuing ? 'again' : 'first'} ${digest(stop.lastMessage ?? '')}`;
}
