import type { HostGlance } from '../host';
import { nameIn, textIn } from '../loose-fields';
import { kindOf } from './event-kinds';
import { directoryIn, sessionIn } from './fields';
import { namesOf } from './tool-call';

export const cursorGlance: HostGlance = {
  name: 'cursor',
  glance: (raw) => {
    const hostEvent = textIn(raw, 'hook_event_name') ?? '';
    const tool = nameIn(raw, 'tool_name');
    return {
      host: 'cursor',
      kind: kindOf(hostEvent),
      hostEvent,
      sessionId: sessionIn(raw),
      cwd: directoryIn(raw),
      toolNames: tool === undefined ? [] : namesOf(tool),
    };
  },
};
