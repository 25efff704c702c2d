import type { Envelope, Event, EventBody, EventKind, StartSource, Subagent } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { nameIn, numberIn, present, textIn } from '../loose-fields';
import { originOf } from '../typed-prompt';
import { kindOf } from './event-kinds';
import { directoryIn, rootsIn, sessionIn } from './fields';
import { toolCallIn, toolResultIn } from './tool-call';

const SOURCES: readonly StartSource[] = ['startup', 'resume', 'clear', 'compact', 'fork'];

/** Any JSON object as an event. What is missing or of the wrong type is absent or empty. */
export function parse(raw: JsonObject, at: number): Event {
  const hostEvent = textIn(raw, 'hook_event_name') ?? '';
  const cwd = directoryIn(raw);
  const kind = kindOf(hostEvent);
  const body = bodyIn(kind, raw, cwd, hostEvent.toLowerCase() === 'posttoolusefailure');
  return { ...envelopeOf(raw, hostEvent, cwd, at, kind), ...body };
}

function envelopeOf(raw: JsonObject, hostEvent: string, cwd: string, at: number, kind: EventKind): Envelope {
  return present({
    v: 1 as const,
    host: 'cursor' as const,
    hostEvent,
    raw,
    sessionId: sessionIn(raw),
    // A refused stop begins a generation of its own: there `loop_count` tells what belongs together.
    promptId: kind === 'turn.stop' ? undefined : nameIn(raw, 'generation_id'),
    cwd,
    roots: rootsIn(raw),
    transcriptPath: nameIn(raw, 'transcript_path'),
    model: nameIn(raw, 'model'),
    at,
  });
}

function bodyIn(kind: EventKind, raw: JsonObject, cwd: string, failed: boolean): EventBody {
  const text = (key: string): string => textIn(raw, key) ?? '';
  switch (kind) {
    case 'session.start':
      return { kind, source: SOURCES.find((source) => source === raw['source']) ?? 'startup' };
    case 'session.end':
      return { kind, reason: text('reason') };
    case 'prompt.submit':
      return { kind, text: text('prompt'), origin: originOf(textIn(raw, 'prompt'), false) };
    case 'tool.before':
      return { kind, call: toolCallIn(raw, cwd) };
    case 'tool.after':
      return toolResultIn(raw, cwd, failed);
    case 'turn.stop':
      return stopIn(raw);
    case 'subagent.start':
      return { kind, subagent: subagentIn(raw) };
    case 'subagent.stop':
      return present({
        kind,
        subagent: subagentIn(raw),
        continuing: (numberIn(raw, 'loop_count') ?? 0) > 0,
        transcript: nameIn(raw, 'agent_transcript_path'),
        lastMessage: textIn(raw, 'summary'),
      });
    case 'compact.before':
      return { kind, trigger: text('trigger') };
  }
  return kind === 'file.changed' ? { kind } : { kind: 'other' };
}

function subagentIn(raw: JsonObject): Subagent {
  const id = nameIn(raw, 'subagent_id') ?? nameIn(raw, 'tool_call_id') ?? '';
  return present({ id, type: nameIn(raw, 'subagent_type') });
}

function stopIn(raw: JsonObject): EventBody {
  const { status } = raw;
  return {
    kind: 'turn.stop',
    continuing: (numberIn(raw, 'loop_count') ?? 0) > 0,
    status: status === 'aborted' || status === 'error' ? status : 'completed',
    backgroundTasks: [],
    crons: [],
  };
}
