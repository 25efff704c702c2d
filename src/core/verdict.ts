import type { JsonObject } from './json';
import type { GuardName } from './selection';

/** What a rule in shadow mode would have said. It is recorded, and nobody notices. */
export interface Shadowed {
  readonly would: VerdictKind;
  readonly grounds: readonly Grounds[];
}

/** Why a guard spoke, in terms that `why` and the journal can show: no prompt, no file content. */
export interface Grounds {
  /** The rule's name as the user wrote it, such as a requirement's. */
  readonly rule: string;
  /** `file:line:column` of the rule in the config. */
  readonly place?: string;
  /** One sentence: the fact that made the rule speak. */
  readonly fact: string;
  /** The one command or skill that clears it. */
  readonly clear?: string;
  /** Who may waive it, and how. */
  readonly waive?: string;
  /** Its mode, where it does not hold: then it has only told. */
  readonly mode?: 'warn';
}

/** What the gates print beside a decision at the end of a turn. */
export interface Report {
  readonly status: string;
  readonly message: string;
  /** The reason is given once: where a host has a second place for it, the message stands there. */
  readonly once?: boolean;
  /** One line for the person, where the host has a place for it. */
  readonly note?: string;
}

/** What one guard says of one event, from the mildest to the strictest. */
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
            /** The loop's own exact bytes are not wanted: it is answered as any other guard is. */
            readonly plain?: boolean;
            readonly report?: Report;
          }
        | { readonly kind: 'ask'; readonly updatedInput?: JsonObject }
        | {
            readonly kind: 'deny';
            /** An answer to a person's own words: the reason stands alone. */
            readonly bare?: boolean;
            /** A few words that call a person who looks elsewhere. */
            readonly notify?: string;
          }
      ));

interface Binding {
  readonly reason: string;
  readonly toPerson?: string;
  readonly grounds: readonly Grounds[];
}

export type VerdictKind = Verdict['kind'];

/** A verdict with its speaker. */
export interface Spoken {
  readonly guard: GuardName;
  readonly verdict: Verdict;
}

export const NOTHING: Verdict = { kind: 'nothing' };

/** Said besides the decision itself: context for the agent, notes for the person. */
export interface Remarks {
  readonly toAgent: readonly string[];
  readonly toPerson: readonly string[];
}

/** What the engine answers to the host. Only what speaks has an id. */
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

/** What the process hands back to the host: bytes and a code, nothing else. */
export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: 0 | 2;
  /** What the host has no way to express. Journalled, so that nothing vanishes unseen. */
  readonly losses: readonly string[];
  /** What is left to do once the host has its answer; returns what there is to tell a person. */
  readonly after?: () => string;
}

/** To Claude Code silence is permission. */
export const NO_ANSWER: Answer = { stdout: '', stderr: '', exitCode: 0, losses: [] };
