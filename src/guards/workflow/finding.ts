import type { JsonObject } from '../../core/json';
import type { Facts } from './facts';

/** A change to the state, as a pure function that may run twice. */
export interface StateNote {
  /** A few words for the journal. */
  readonly what: string;
  apply(state: JsonObject): JsonObject;
}

/**
 * What a rule found, from the mildest: something to note, to tell, to refuse an end of turn for, to ask a
 * person about, to deny. The rule's mode may make it milder.
 */
export interface Finding {
  readonly weight: 'note' | 'warn' | 'hold' | 'ask' | 'deny';
  /** What whoever is held or warned reads; empty where there is nothing to tell. */
  readonly text: string;
  /** One sentence: the fact that made the rule speak. */
  readonly fact: string;
  readonly clear?: string;
  readonly waive?: string;
  /** Kept in every mode but `disabled`. */
  readonly records?: readonly StateNote[];
  /** Kept only where the call is really refused. */
  readonly onRefusal?: readonly StateNote[];
  /** What the tool shall be called with instead. */
  readonly input?: JsonObject;
}

/** One rule: pure, and silent where it has nothing to say. */
export type Rule = (facts: Facts) => Finding | undefined;

/** A finding that only keeps a record. */
export function noting(fact: string, ...records: StateNote[]): Finding {
  return { weight: 'note', text: '', fact, records };
}
