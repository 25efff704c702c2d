import type { GuardName } from './guard';
import type { JsonObject } from './json';

/** What a rule in shadow mode would have decided. It goes to the journal only. */
export interface ShadowVerdict {
  readonly would: VerdictKind;
  readonly grounds: readonly Grounds[];
}

/** Why a guard decided as it did, as shown by `why` and the journal: no prompt, no file content. */
export interface Grounds {
  /** The rule's name as the user wrote it, such as a requirement's. */
  readonly rule: string;
  /** `file:line:column` of the rule in the config. */
  readonly place?: string;
  /** One sentence: the fact that triggered the rule. */
  readonly fact: string;
  /** The one command or skill that satisfies it. */
  readonly clear?: string;
  /** Who may waive it, and how. */
  readonly waive?: string;
  /** Set if the rule only warned. */
  readonly mode?: 'warn';
}

/** What the gates report along with a decision at the end of a turn. */
export interface Report {
  readonly status: string;
  readonly message: string;
  /** Give the reason only once: a host's second field for it gets `message` instead. */
  readonly once?: boolean;
  /** One line for the person, where the host has a place for it. */
  readonly note?: string;
}

/** One guard's answer to one event, from the mildest kind to the strictest. */
export type Verdict =
  | { readonly kind: 'nothing'; readonly report?: Report }
  | {
      readonly kind: 'advise';
      readonly toAgent?: string;
      readonly toPerson?: string;
      readonly updatedInput?: JsonObject;
      readonly report?: Report;
      readonly grounds: readonly Grounds[];
    }
  | (Binding &
      (
        | {
            readonly kind: 'hold';
            /** Render it like any guard's hold, not in the exact bytes of the loop's own command. */
            readonly plain?: boolean;
            readonly report?: Report;
          }
        | { readonly kind: 'ask'; readonly updatedInput?: JsonObject }
        | {
            readonly kind: 'deny';
            /** Answers something that a person typed: the reason gets no `holdpoint why` line. */
            readonly bare?: boolean;
            /** A few words for a terminal notification, to call a person who is not watching. */
            readonly notify?: string;
          }
      ));

interface Binding {
  readonly reason: string;
  readonly toPerson?: string;
  readonly grounds: readonly Grounds[];
}

export type VerdictKind = Verdict['kind'];

export interface GuardVerdict {
  readonly guard: GuardName;
  readonly verdict: Verdict;
}

export const NOTHING: Verdict = { kind: 'nothing' };

/** Sent along with the decision: context for the agent, notes for the person. */
export interface Remarks {
  readonly toAgent: readonly string[];
  readonly toPerson: readonly string[];
}

export const NO_REMARKS = { toAgent: [], toPerson: [], changes: [] } as const;

/** What Holdpoint answers to the host. A decision of kind `nothing` has no id. */
export type Decision = Remarks &
  (
    | { readonly kind: 'nothing'; readonly report?: Report }
    | {
        readonly kind: 'advise';
        readonly id: string;
        readonly report?: Report;
        readonly updatedInput?: JsonObject;
      }
    | (BindingDecision &
        (
          | { readonly kind: 'hold'; readonly plain?: boolean; readonly report?: Report }
          | { readonly kind: 'ask'; readonly updatedInput?: JsonObject }
          | { readonly kind: 'deny'; readonly notify?: string }
        ))
  );

interface BindingDecision {
  readonly id: string;
  readonly by: readonly GuardName[];
  readonly reason: string;
}

export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: 0 | 2;
  /** Parts of the decision that the host cannot express; they go to the journal. */
  readonly losses: readonly string[];
  /** To be called once the host has its answer; returns text to show to a person. */
  readonly after?: () => string;
}

/** No output means permission to Claude Code. */
export const NO_ANSWER: Answer = { stdout: '', stderr: '', exitCode: 0, losses: [] };
