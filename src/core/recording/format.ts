import type { GuardName } from '../guard';
import type { Json, JsonObject } from '../json';
import type { Decision, GuardVerdict, VerdictKind } from '../verdict';

/** Version of the line format. A newer one is rejected; unknown members are ignored. */
export const VERSION = 1;

/** Relative to the project's root. */
export const DIRECTORY = '.holdpoint/recordings';

/** A larger recording ends; a longer line is not stored. */
export const LARGEST_RECORDING = 8 * 1024 * 1024;
export const LONGEST_LINE = 1024 * 1024;

/** The first line. */
export interface HeadLine {
  readonly holdpoint_recording: typeof VERSION;
  readonly version: string;
  readonly began: string;
  readonly branch: string;
  /** Only events of this session are recorded. */
  readonly session?: string;
  /** The documents at the start, by base and path. */
  readonly state: JsonObject;
}

/** A rule that decided something; `rule` is empty if a discipline decided without naming one. */
export type RuleVerdict = {
  readonly guard: GuardName;
  readonly verdict: VerdictKind;
  readonly rule: string;
};

export type RecordedDecision = {
  readonly kind: VerdictKind;
  readonly exit: number;
  readonly rules: readonly RuleVerdict[];
};

/** Every other line. */
export interface EventLine {
  readonly at: string;
  readonly host: string;
  readonly event: string;
  readonly session: string;
  readonly decided: RecordedDecision;
  /** Why it cannot be replayed, if it cannot. */
  readonly skipped?: string;
  /** Another process has answered the same event. */
  readonly doubled?: true;
  /** Set if the project is not the one of the event's directory. */
  readonly elsewhere?: true;
  /** Codes of failures. */
  readonly failures?: readonly string[];
  /** Called by `gates stop-hook`. */
  readonly compat?: true;
  readonly only?: readonly string[];
  readonly switches?: JsonObject;
  readonly stop_limit?: number;
  /** The call's paths, with symlinks resolved. */
  readonly paths?: readonly string[];
  /** The document as the host sent it. */
  readonly raw?: JsonObject;
  /** Changes of documents since the last event, and of facts. */
  readonly state?: JsonObject;
  readonly facts?: JsonObject;
  /** Results of checks and commands. */
  readonly ran?: JsonObject;
}

/** What the rules decided; Holdpoint's own notes do not count. */
export function toRecordedDecision(
  decision: Decision,
  verdicts: readonly GuardVerdict[],
  exit: number,
): RecordedDecision {
  const rules = verdicts.flatMap(({ guard, verdict }): RuleVerdict[] => {
    if (verdict.kind === 'nothing') return [];
    const names = verdict.grounds.length === 0 ? [''] : verdict.grounds.map(({ rule }) => rule);
    return [...new Set(names)].map((rule) => ({ guard, verdict: verdict.kind, rule }));
  });
  const isBinding = decision.kind !== 'nothing' && decision.kind !== 'advise';
  return { kind: isBinding ? decision.kind : rules.length > 0 ? 'advise' : 'nothing', exit, rules };
}

export type Facts = ReadonlyMap<string, Json>;

/** The key of a fact: the question and its subject. */
export function factKey(name: string, ...about: readonly Json[]): string {
  return about.length === 0
    ? name
    : `${name} ${about.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(' ')}`;
}
