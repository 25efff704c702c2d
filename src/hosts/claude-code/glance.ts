import type { Glance } from '../../core/glance';
import type { JsonObject } from '../../core/json';
import type { HostGlance } from '../host';
import { textIn } from '../loose-fields';
import { kindOf } from './event-kinds';
import { eventNameIn } from './event-name';
import { namesOf } from './tool-aliases';

/** Part of the hook's first file, so it is kept small. */
export const claudeCodeGlance: HostGlance = { name: 'claude-code', glance };

export function glance(raw: JsonObject): Glance {
  const hostEvent = eventNameIn(raw);
  const tool = textIn(raw, 'tool_name') ?? '';
  return {
    host: 'claude-code',
    kind: kindOf(hostEvent),
    hostEvent,
    sessionId: textIn(raw, 'session_id') ?? '',
    cwd: textIn(raw, 'cwd') ?? '',
    toolNames: tool === '' ? [] : namesOf(tool),
  };
}
