import type { EventKind } from './event';
import type { HostName } from './host-name';

/**
 * As much of an event as routing needs: whether any rule applies to it. Most events go no further, so the rest of a
 * document is read only afterwards.
 */
export interface EventHeader {
  readonly host: HostName;
  readonly kind: EventKind;
  /** The host's own name for the event; empty when the document names none. */
  readonly hostEvent: string;
  readonly sessionId: string;
  readonly cwd: string;
  /** Every name under which a rule may mention the tool; none where the event is not about one. */
  readonly toolNames: readonly string[];
}
