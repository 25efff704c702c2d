import type { HostGlance } from '../host';
import { textIn } from '../loose-fields';
import { kindOf } from './event-kinds';
import { callNames } from './tool-names';

export const glance: HostGlance['glance'] = (raw) => {
  const hostEvent = textIn(raw, 'hook_event_name') ?? '';
  return {
    host: 'gemini',
    kind: kindOf(hostEvent),
    hostEvent,
    sessionId: textIn(raw, 'session_id') ?? '',
    cwd: textIn(raw, 'cwd') ?? '',
    toolNames: callNames(raw),
  };
};
