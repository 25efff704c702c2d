import type { EventKind } from '../core/event';
import type { HostName } from '../core/host-name';
import type { JsonObject } from '../core/json';
import type { HostGlance } from './host';
import { textIn } from './loose-fields';

/** The glance at documents that call their members as Claude Code does. */
export function plainGlance(
  host: HostName,
  kindOf: (hostEvent: string) => EventKind,
  toolNamesIn: (raw: JsonObject) => string[],
): HostGlance['glance'] {
  return (raw) => {
    const hostEvent = textIn(raw, 'hook_event_name') ?? '';
    return {
      host,
      kind: kindOf(hostEvent),
      hostEvent,
      sessionId: textIn(raw, 'session_id') ?? '',
      cwd: textIn(raw, 'cwd') ?? '',
      toolNames: toolNamesIn(raw),
    };
  };
}
