import type { HostName } from '../domain/host-name';
import type { Chunks } from './chunks';

/** What the caller brings: the world outside this process. */
export interface Surroundings {
  readonly host: HostName | undefined;
  readonly only: readonly string[];
  /** Whether a guard's own command asks; see `Deliberation`. */
  readonly literal?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly chunks: Chunks;
  /** Milliseconds since the epoch. */
  readonly now: number;
}
