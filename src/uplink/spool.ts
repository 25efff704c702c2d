import { type JsonObject, jsonIn, objectIn, objectsIn, textIn, textsIn } from '../core/json';
import { readSmallFile, writeFileAtomic } from '../state/files';
import { mapped, type Positions, positionsIn } from './journals';

/*
 * What the uplink remembers between restarts: how much of each journal the hub has, and which requests it
 * knows. Losing it only costs time, because the hub ignores what it already has.
 */

const FILE = '.config/holdpoint/uplink/state.json';
const LARGEST = 8 * 1024 * 1024;

/** A request that is open on the hub, and where it came from. */
export interface Sent {
  readonly place: string;
  readonly rule: string;
  readonly session: string;
  readonly decision: string;
}

export interface Spool {
  /** State of another machine id is ignored: it belongs to another hub. */
  readonly machine: string;
  /** Keyed by the project's state directory. */
  journals: Record<string, Positions>;
  /** Keyed by the hub's id of the request. */
  requests: Record<string, Sent>;
  /** The live sessions that the hub knows of. */
  sessions: readonly JsonObject[];
  /** Of answers that were handled. */
  nonces: string[];
  /** Why the last refused answer was refused. */
  ignored?: string | undefined;
  /** Number of lines that the hub rejected. */
  skipped: number;
}

const MOST_NONCES = 2000;

export function readSpool(home: string, machine: string): Spool {
  const value = jsonIn(readSmallFile(`${home}/${FILE}`, LARGEST) ?? '');
  const empty: Spool = { machine, journals: {}, requests: {}, sessions: [], nonces: [], skipped: 0 };
  if (textIn(value, 'machine') !== machine) return empty;
  const sent = (one: JsonObject): Sent => ({
    place: textIn(one, 'place') ?? '',
    rule: textIn(one, 'rule') ?? '',
    session: textIn(one, 'session') ?? '',
    decision: textIn(one, 'decision') ?? '',
  });
  return {
    machine,
    journals: mapped(objectIn(value, 'journals'), positionsIn),
    requests: mapped(objectIn(value, 'requests'), sent),
    sessions: objectsIn(value, 'sessions'),
    nonces: [...textsIn(value, 'nonces')],
    ignored: textIn(value, 'ignored'),
    skipped: Number(objectIn(value, 'counts')['skipped'] ?? 0),
  };
}

export function writeSpool(home: string, { nonces, skipped, ...spool }: Spool): void {
  const value = { version: 1, ...spool, nonces: nonces.slice(-MOST_NONCES), counts: { skipped } };
  writeFileAtomic(`${home}/${FILE}`, `${JSON.stringify(value)}\n`);
}
