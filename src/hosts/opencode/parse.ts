import type { Envelope, Event, EventBody, EventKind, StartSource } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { nameIn, present, textIn } from '../loose-fields';
import { originOf } from '../typed-prompt';
import { kindOf } from './event-kinds';
import { toolCallIn, toolResultIn } from './tool-call';

const SOURCES: readonly StartSource[] = ['startup', 'resume', 'fork'];

/** A document of the plugin as an event. What is missing or of the wrong type is absent or empty. */
export function parse(raw: JsonObject, at: number): Event {
  const hostEvent = textIn(raw, 'hook') ?? '';
  const cwd = textIn(raw, 'directory') ?? '';
  return { ...envelopeOf(raw, hostEvent, cwd, at), ...bodyIn(kindOf(hostEvent), raw, cwd) };
}

/** A subagent works in a session of its own; the one that it was started from is the session here. */
function envelopeOf(raw: JsonObject, hostEvent: string, cwd: string, at: number): Envelope {
  const own = textIn(raw, 'sessionID') ?? '';
  const parent = nameIn(raw, 'rootSessionID');
  return present({
    v: 1 as const,
    host: 'opencode' as const,
    hostEvent,
    raw,
    sessionId: parent ?? own,
    cwd,
    roots: [],
    agent: parent === undefined ? undefined : present({ id: own, type: nameIn(raw, 'agent') }),
    at,
  });
}

function bodyIn(kind: EventKind, raw: JsonObject, cwd: string): EventBody {
  const text = (key: string): string => textIn(raw, key) ?? '';
  switch (kind) {
    case 'session.start':
      return { kind, source: SOURCES.find((source) => source === raw['source']) ?? 'unknown' };
    case 'session.end':
      return { kind, reason: text('reason') };
    case 'prompt.submit':
      return { kind, text: text('text'), origin: originOf(textIn(raw, 'text'), isMachine(raw)) };
    case 'prompt.expand':
      return { kind, name: text('command'), args: text('arguments'), source: '' };
    case 'tool.before':
      return { kind, call: toolCallIn(raw, cwd) };
    case 'tool.after':
      return toolResultIn(raw, cwd);
    case 'turn.stop':
      return present({
        kind,
        continuing: raw['continuing'] === true,
        lastMessage: textIn(raw, 'lastMessage'),
        status: 'completed' as const,
        backgroundTasks: [],
        crons: [],
      });
    case 'compact.before':
      return { kind, trigger: '' };
  }
  return { kind: 'other' };
}

/** What a subagent is told, what a command's file holds and what the program says itself nobody has typed. */
function isMachine(raw: JsonObject): boolean {
  return 'rootSessionID' in raw || raw['byMachine'] === true;
}
