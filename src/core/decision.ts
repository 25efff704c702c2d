import type { GuardName } from './guard-name';
import type { JsonObject } from './json';
import type { Report } from './verdict';

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
    | {
        readonly kind: 'hold';
        readonly id: string;
        readonly by: readonly GuardName[];
        readonly reason: string;
        readonly plain?: boolean;
        readonly report?: Report;
      }
    | {
        readonly kind: 'ask';
        readonly id: string;
        readonly by: readonly GuardName[];
        readonly reason: string;
      }
    | {
        readonly kind: 'deny';
        readonly id: string;
        readonly by: readonly GuardName[];
        readonly reason: string;
      }
  );

/** What the process hands back to the host: bytes and a code, nothing else. */
export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: 0 | 2;
  /** What the host has no way to express. Journalled, so that nothing vanishes unseen. */
  readonly losses: readonly string[];
}
