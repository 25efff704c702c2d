import type { Layout } from '../state/layout';
import type { ParseLine } from './config-cache';
import type { Change } from './document';
import { documentKey } from './document';
import type { Event } from './event';
import type { Failure } from './failure';
import type { JsonObject } from './json';
import type { Judgement } from './judge';

/** What has to be written before an event is answered. */
export interface Wish {
  readonly layout: Layout;
  readonly changes: readonly Change[];
  /** Lines for the journal. */
  readonly lines: readonly JsonObject[];
}

/**
 * How a process answers in the stead of the one that the host has started. It may die before its answer has
 * arrived, and the other one then does everything again; so it does nothing that could be lost or count twice.
 */
export interface Stead {
  readonly watchdogMs: number;
  /** Where the process goes on to other events, what it has parsed for one may serve the next. */
  readonly parse: ParseLine;
  /**
   * What the same question was answered with for another event that came together with this one, else what `look`
   * tells. All of them had come before anybody looked.
   */
  recall<T>(question: string, look: () => T): T;
  /** Takes note of what is to be written: what events want that came together is written together. */
  wish(wish: Wish): void;
  /** Throws: the event is left to the process that was started for it. */
  leave(why: string): never;
  /** Throws too where the event has been left already and somebody has caught it. */
  stay(): void;
}

/** Called before anything is written or run. */
export function leaveUnlessRepeatable(
  stead: Stead,
  event: Event,
  before: readonly Failure[],
  { evaluation, decision, changes }: Judgement,
): void {
  stead.stay();
  if (evaluation.pending !== undefined) stead.leave('effect');
  if (before.length + evaluation.failures.length > 0) stead.leave('failure');
  if (changes.length === 0) return;
  // What is said only once is noted together with its being said.
  const counted =
    event.kind === 'tool.before' && event.call.callId !== undefined && decision.kind !== 'advise';
  const only = changes.every(({ document }) => document.keeping === 'bookkeeping');
  // Several files are written one after the other: of a call that was counted, the rest would be lost.
  const files = new Set(changes.map(({ document }) => documentKey(document)));
  if (!counted || !only || files.size > 1) stead.leave('change');
}
