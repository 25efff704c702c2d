import type { CanonicalMode, Envelope, Event } from '../../core/event';
import type { Glance } from '../../core/glance';
import type { JsonObject } from '../../core/json';
import { type Draft, nameIn, present } from '../loose-fields';
import { bodyIn } from './event-body';
import { glance } from './glance';

/** Any JSON object as an event. What is missing or of the wrong type is absent or empty. */
export function parse(raw: JsonObject, at: number, seen: Glance = glance(raw)): Event {
  return Object.assign(envelopeOf(raw, seen, at), bodyIn(seen.kind, raw, seen.cwd));
}

function envelopeOf(raw: JsonObject, { hostEvent, sessionId, cwd }: Glance, at: number): Envelope {
  const envelope: Draft<Envelope> = {
    v: 1,
    host: 'claude-code',
    hostEvent,
    raw,
    sessionId,
    cwd,
    roots: [],
    at,
  };
  const promptId = nameIn(raw, 'prompt_id');
  const transcriptPath = nameIn(raw, 'transcript_path');
  const agent = agentOf(raw);
  const permissionMode = modeOf(raw);
  const model = nameIn(raw, 'model');
  if (promptId !== undefined) envelope.promptId = promptId;
  if (transcriptPath !== undefined) envelope.transcriptPath = transcriptPath;
  if (agent !== undefined) envelope.agent = agent;
  if (permissionMode !== undefined) envelope.permissionMode = permissionMode;
  if (model !== undefined) envelope.model = model;
  return envelope;
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
