import { type JsonObject, jsonIn, objectIn, textIn, textsIn } from '../core/json';
import { readSmallFile, writeFileAtomic } from '../state/files';
import { mapped, type Positions, positionsIn } from './journals';

/*
 * What the uplink remembers between two starts: how far the hub knows each journal, and which requests it knows. Losing
 * it costs nothing but time: what is sent again is known to the hub.
 */

const FILE = '.config/holdpoint/uplink/state.json';
const LARGEST = 8 * 1024 * 1024;

/** A request that is open on the hub, by where it was asked here. */
export interface Sent {
  readonly place: string;
  readonly rule: string;
  readonly session: string;
  readonly decision: string;
}

export interface Spool {
  /** Of another machine id nothing counts: that was another hub. */
  readonly machine: string;
  /** By the place of the project. */
  journals: Record<string, Positions>;
  /** By the hub's id of the request. */
  requests: Record<string, Sent>;
  /** Of answers that have been dealt with. */
  nonces: string[];
  /** Why the last answer that did not count did not. */
  ignored?: string | undefined;
  /** Lines that the hub would not take. */
  skipped: number;
}

const MOST_NONCES = 2000;

export function readSpool(home: string, machine: string): Spool {
  const value = jsonIn(readSmallFile(`${home}/${FILE}`, LARGEST) ?? '');
  const empty: Spool = { machine, journals: {}, requests: {}, nonces: [], skipped: 0 };
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
    nonces: [...textsIn(value, 'nonces')],
    ignored: textIn(value, 'ignored'),
    skipped: Number(objectIn(value, 'counts')['skipped'] ?? 0),
  };
}

export function writeSpool(home: string, { nonces, skipped, ...spool }: Spool): void {
  const value = { version: 1, ...spool, nonces: nonces.slice(-MOST_NONCES), counts: { skipped } };
  writeFileAtomic(`${home}/${FILE}`, `${JSON.stringify(value)}\n`);
}
