import type { GuardName } from '../domain/guard-name';

/** Something that a host does not tell or do, beside what its capabilities show. For documents and people. */
export interface Shortfall {
  /** The disciplines that suffer from it. */
  readonly guards: readonly GuardName[];
  /** One short sentence. */
  readonly text: string;
}
