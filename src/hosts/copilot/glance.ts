import type { HostGlance } from '../host';
import { textIn } from '../loose-fields';
import { eventNameIn, kindOf } from './event-name';
import { named, sessionIn, subagentOf } from './fields';
import { namesOf } from './tool-names';

export const copilotGlance: HostGlance = {
  name: 'copilot',
  glance: (raw) => {
    const hostEvent = eventNameIn(raw);
    const tool = named(raw, 'toolName', 'tool_name');
    return {
      host: 'copilot',
      kind: kindOf(hostEvent, subagentOf(raw) !== undefined),
      hostEvent,
      sessionId: sessionIn(raw),
      cwd: textIn(raw, 'cwd') ?? '',
      toolNames: tool === undefined ? [] : namesOf(tool),
    };
  },
};
