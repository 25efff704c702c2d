import type { CanonicalMode, Envelope, Event } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { nameIn, present, textIn } from '../loose-fields';
import { bodyIn } from './event-body';
import { kindOf } from './event-kinds';

const MODES: ReadonlyMap<string, CanonicalMode> = new Map([
  ['default', 'ask'],
  ['acceptEdits', 'edits'],
  ['bypassPermissions', 'bypass'],
  ['plan', 'plan'],
  ['dontAsk', 'deny'],
]);

/** Any JSON object as an event. What is missing or of the wrong type is absent or empty. */
export function parse(raw: JsonObject, at: number): Event {
  const hostEvent = textIn(raw, 'hook_event_name') ?? '';
  const cwd = textIn(raw, 'cwd') ?? '';
  return { ...envelopeOf(raw, hostEvent, cwd, at), ...bodyIn(kindOf(hostEvent), raw, cwd) };
}

function envelopeOf(raw: JsonObject, hostEvent: string, cwd: string, at: number): Envelope {
  const agent = nameIn(raw, 'agent_id');
  const mode = nameIn(raw, 'permission_mode');
  return present({
    v: 1 as const,
    host: 'codex' as const,
    hostEvent,
    raw,
    sessionId: textIn(raw, 'session_id') ?? '',
    // Nothing says that a refused stop goes on in the same turn; there `stop_hook_active` tells what belongs together.
    promptId: kindOf(hostEvent) === 'turn.stop' ? undefined : nameIn(raw, 'turn_id'),
    cwd,
    roots: [],
    transcriptPath: nameIn(raw, 'transcript_path'),
    agent: agent ? present({ id: agent, type: nameIn(raw, 'agent_type') }) : undefined,
    permissionMode: mode ? { native: mode, canonical: MODES.get(mode) ?? ('unknown' as const) } : undefined,
    model: nameIn(raw, 'model'),
    at,
  });
}
