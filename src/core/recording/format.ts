import type { Json, JsonObject } from '../json';
import type { GuardName } from '../selection';
import type { Decision, Spoken, VerdictKind } from '../verdict';

/** Of the lines of a recording. A newer one is refused; a member that nobody knows is passed over. */
export const VERSION = 1;

/** Below the project's root. */
export const DIRECTORY = '.holdpoint/recordings';

/** Larger ones end, and longer lines are not kept. */
export const LARGEST_RECORDING = 8 * 1024 * 1024;
export const LONGEST_LINE = 1024 * 1024;

/** The first line. */
export interface HeadLine {
  readonly holdpoint_recording: typeof VERSION;
  readonly version: string;
  readonly began: string;
  readonly branch: string;
  /** Only events of this session are in it. */
  readonly session?: string;
  /** The documents as they were, by base and path. */
  readonly state: JsonObject;
}

/** A rule that spoke. Empty where a discipline spoke without naming one. */
export type RuleSpoken = {
  readonly guard: GuardName;
  readonly verdict: VerdictKind;
  readonly rule: string;
};

export type Decided = {
  readonly kind: VerdictKind;
  readonly exit: number;
  readonly rules: readonly RuleSpoken[];
};

/** Every other line. */
export interface EventLine {
  readonly at: string;
  readonly host: string;
  readonly event: string;
  readonly session: string;
  readonly decided: Decided;
  /** Why it cannot be replayed, where it cannot. */
  readonly skipped?: string;
  /** Answered by another process of the same event. */
  readonly doubled?: true;
  /** The project is not the one of the event's directory. */
  readonly elsewhere?: true;
  /** Codes of what failed at it. */
  readonly failures?: readonly string[];
  /** Asked by `gates stop-hook`. */
  readonly compat?: true;
  readonly only?: readonly string[];
  readonly switches?: JsonObject;
  readonly stop_limit?: number;
  /** Where the links of a call's paths lead. */
  readonly paths?: readonly string[];
  /** The document as the host sent it. */
  readonly raw?: JsonObject;
  /** What became of documents since the last event, and of facts. */
  readonly state?: JsonObject;
  readonly facts?: JsonObject;
  /** What checks and commands returned. */
  readonly ran?: JsonObject;
}

/** What the rules have decided; notes of Holdpoint itself beside them do not count. */
export function decidedFrom(decision: Decision, spoken: readonly Spoken[], exit: number): Decided {
  const rules = spoken.flatMap(({ guard, verdict }): RuleSpoken[] => {
    if (verdict.kind === 'nothing') return [];
    const names = verdict.grounds.length === 0 ? [''] : verdict.grounds.map(({ rule }) => rule);
    return [...new Set(names)].map((rule) => ({ guard, verdict: verdict.kind, rule }));
  });
  const isBinding = decision.kind !== 'nothing' && decision.kind !== 'advise';
  return { kind: isBinding ? decision.kind : rules.length > 0 ? 'advise' : 'nothing', exit, rules };
}

export type Facts = ReadonlyMap<string, Json>;

/** The key of a fact: what was asked, and about what. */
export function factKey(name: string, ...about: readonly Json[]): string {
  return about.length === 0
    ? name
    : `${name} ${about.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(' ')}`;
}
