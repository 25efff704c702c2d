import type { Chunks } from './chunks';
import type { HostName } from './host-name';
import type { Stead } from './stead';

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
  /** When this process began, where it was begun for this one event. */
  readonly startedAt?: number;
  /** The process that has started the one for this event; ours, where that is not told. */
  readonly parentPid?: number;
  /** Where another process answers than the one that the host has started. */
  readonly stead?: Stead;
}
