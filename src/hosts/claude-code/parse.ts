import type { CanonicalMode, Envelope, Event } from '../../domain/event';
import type { JsonObject } from '../../domain/json';
import { nameIn, present, textIn } from '../loose-fields';
import { bodyIn } from './event-body';
import { kindOf } from './event-kinds';
import { eventNameIn } from './event-name';

/** Any JSON object as an event. What is missing or of the wrong type is absent or empty. */
export function parse(raw: JsonObject, at: number): Event {
  const hostEvent = eventNameIn(raw);
  const cwd = textIn(raw, 'cwd') ?? '';
  return Object.assign(envelopeOf(raw, hostEvent, cwd, at), bodyIn(kindOf(hostEvent), raw, cwd));
}

function envelopeOf(raw: JsonObject, hostEvent: string, cwd: string, at: number): Envelope {
  return present({
    v: 1 as const,
    host: 'claude-code' as const,
    hostEvent,
    raw,
    sessionId: textIn(raw, 'session_id') ?? '',
    promptId: nameIn(raw, 'prompt_id'),
    cwd,
    roots: [],
    transcriptPath: nameIn(raw, 'transcript_path'),
    agent: agentOf(raw),
    permissionMode: modeOf(raw),
    model: nameIn(raw, 'model'),
    at,
  });
}

/** `agent_type` alone is no sign of a subagent: the main thread may run as a named agent too. */
function agentOf(raw: JsonObject): Envelope['agent'] {
  const id = nameIn(raw, 'agent_id');
  return id ? present({ id, type: nameIn(raw, 'agent_type') }) : undefined;
}

function modeOf(raw: JsonObject): Envelope['permissionMode'] {
  const native = nameIn(raw, 'permission_mode');
  return native ? { native, canonical: canonicalMode(native) } : undefined;
}

function canonicalMode(native: string): CanonicalMode {
  switch (native) {
    case 'default':
      return 'ask';
    case 'acceptEdits':
      return 'edits';
    case 'bypassPermissions':
      return 'bypass';
    case 'dontAsk':
      return 'deny';
    case 'auto':
    case 'plan':
      return native;
    default:
      return 'unknown';
  }
}
