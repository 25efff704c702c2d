import type { GuardName } from '../core/guard-name';

/** Something that a host does not tell or do, beside what its capabilities show. For documents and people. */
export interface Shortfall {
  /** The disciplines that suffer from it. */
  readonly guards: readonly GuardName[];
  /** One short sentence. */
  readonly text: string;
  /** Whether a part of what these disciplines are for does not happen. */
  readonly isGrave?: boolean;
}

export const EVERYWHERE: readonly GuardName[] = ['requirements', 'workflow', 'gates', 'loop'];

export const OPEN_IN_TIME: Shortfall = {
  guards: EVERYWHERE,
  text: 'A hook that runs out of time lets the call through.',
};

export const NO_REPORT: Shortfall = {
  guards: ['gates'],
  text: 'The status and message for scripts are not printed at the end of a turn.',
};

export const NO_TOKENS: Shortfall = {
  guards: ['loop'],
  text: 'Tokens are not counted: a loop’s bound on tokens does not hold.',
};

export const NO_API_ERRORS: Shortfall = {
  guards: ['loop'],
  text: 'A turn that ends by an error of the API is not seen.',
};

export const NO_COMPACTION: Shortfall = {
  guards: ['requirements'],
  text: 'That the conversation was compacted is not seen.',
};

export const IDS_DIFFER: Shortfall = {
  guards: ['requirements'],
  text: 'Calls have no ids: which of several equal calls has ended is not known.',
};
