import type { HostGlance } from '../host';
import { textIn } from '../loose-fields';
import { kindOf } from './event-kinds';
import { callNames } from './tool-call';

export const glance: HostGlance['glance'] = (raw) => {
  const hostEvent = textIn(raw, 'hook_event_name') ?? '';
  return {
    host: 'codex',
    kind: kindOf(hostEvent),
    hostEvent,
    sessionId: textIn(raw, 'session_id') ?? '',
    cwd: textIn(raw, 'cwd') ?? '',
    toolNames: callNames(raw),
  };
};
