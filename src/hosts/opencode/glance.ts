import type { HostGlance } from '../host';
import { nameIn, textIn } from '../loose-fields';
import { kindOf } from './event-kinds';
import { namesOf } from './tool-call';

export const opencodeGlance: HostGlance = {
  name: 'opencode',
  glance: (raw) => {
    const hostEvent = textIn(raw, 'hook') ?? '';
    const tool = nameIn(raw, 'tool');
    return {
      host: 'opencode',
      kind: kindOf(hostEvent),
      hostEvent,
      sessionId: nameIn(raw, 'rootSessionID') ?? textIn(raw, 'sessionID') ?? '',
      cwd: textIn(raw, 'directory') ?? '',
      toolNames: tool === undefined ? [] : namesOf(tool),
    };
  },
};
