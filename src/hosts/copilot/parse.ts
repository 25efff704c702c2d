import type { Envelope, Event, EventBody, EventKind, StartSource, Subagent } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { isJsonObject } from '../../core/json';

import { listIn, present, textIn } from '../loose-fields';
import { originOf } from '../typed-prompt';
import { eventNameIn, kindOf } from './event-name';
import { named, sessionIn, subagentOf } from './fields';
import { toolCallIn } from './tool-call';
import { toolResultIn } from './tool-result';
import { isOfVsCode } from './vs-code';

const SOURCES: Readonly<Record<string, StartSource>> = {
  new: 'startup',
  startup: 'startup',
  resume: 'resume',
};

/** Any JSON object as an event. What is missing or of the wrong type is absent or empty. */
export function parse(raw: JsonObject, at: number): Event {
  const hostEvent = eventNameIn(raw);
  const cwd = textIn(raw, 'cwd') ?? '';
  const kind = kindOf(hostEvent, subagentOf(raw) !== undefined);
  return { ...envelopeOf(raw, hostEvent, cwd, at), ...bodyIn(kind, raw, cwd) };
}

function envelopeOf(raw: JsonObject, hostEvent: string, cwd: string, at: number): Envelope {
  const agent = subagentOf(raw);
  return present({
    v: 1 as const,
    host: 'copilot' as const,
    hostEvent,
    raw,
    sessionId: sessionIn(raw),
    cwd,
    roots: [],
    transcriptPath: named(raw, 'transcriptPath', 'transcript_path'),
    agent: agent && present({ id: agent.id, type: agent.type }),
    at,
  });
}

function bodyIn(kind: EventKind, raw: JsonObject, cwd: string): EventBody {
  const text = (key: string): string => textIn(raw, key) ?? '';
  switch (kind) {
    case 'session.start':
      return { kind, source: SOURCES[text('source')] ?? 'unknown' };
    case 'session.end':
      return { kind, reason: text('reason') };
    case 'prompt.submit':
      return {
        kind,
        text: text('prompt'),
        origin: originOf(textIn(raw, 'prompt'), subagentOf(raw) !== undefined),
      };
    case 'tool.before':
      return { kind, call: toolCallIn(raw, cwd) };
    case 'tool.after':
      return toolResultIn(raw, cwd);
    case 'permission.request':
      return { kind, call: toolCallIn(raw, cwd), suggestions: listIn(raw, 'permissionSuggestions') };
    case 'turn.stop':
      return present({
        kind,
        continuing: raw['stop_hook_active'] === true,
        stamp: stampIn(raw),
        status: 'completed' as const,
        backgroundTasks: [],
        crons: [],
      });
    case 'turn.error':
      return { kind, error: errorIn(raw) };
    case 'subagent.start':
      return { kind, subagent: subagentIn(raw) };
    case 'subagent.stop':
      return present({
        kind,
        subagent: subagentIn(raw),
        continuing: raw['stop_hook_active'] === true,
        lastMessage: named(raw, 'response', 'last_assistant_message'),
      });
    case 'compact.before':
      return present({ kind, trigger: text('trigger'), instructions: textIn(raw, 'custom_instructions') });
  }
  return kind === 'notification' ? { kind } : { kind: 'other' };
}

/** Every hook that Copilot CLI runs for a stop is told the same time; of VS Code that is not known. */
function stampIn(raw: JsonObject): string | undefined {
  const { timestamp } = raw;
  return timestamp === undefined || isOfVsCode(raw) ? undefined : String(timestamp);
}

function subagentIn(raw: JsonObject): Subagent {
  const { id, type } = subagentOf(raw) ?? { id: '' };
  return present({ id, type });
}

function errorIn(raw: JsonObject): string {
  const { error } = raw;
  return (isJsonObject(error) ? textIn(error, 'message') : textIn(raw, 'error')) ?? '';
}
