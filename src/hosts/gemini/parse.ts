import type { Event, EventBody, EventKind, StartSource } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { nameIn, present, textIn } from '../loose-fields';
import { originOf } from '../typed-prompt';
import { kindOf } from './event-kinds';
import { typedText } from './prompt';
import { toolCallIn } from './tool-call';
import { toolResultIn } from './tool-result';

const START_SOURCES: readonly StartSource[] = ['startup', 'resume', 'clear'];

/** Any JSON object as an event. What is missing or of the wrong type is absent or empty. */
export function parse(raw: JsonObject, at: number): Event {
  const hostEvent = textIn(raw, 'hook_event_name') ?? '';
  const cwd = textIn(raw, 'cwd') ?? '';
  const envelope = present({
    v: 1 as const,
    host: 'gemini' as const,
    hostEvent,
    raw,
    sessionId: textIn(raw, 'session_id') ?? '',
    cwd,
    roots: [],
    transcriptPath: nameIn(raw, 'transcript_path'),
    at,
  });
  return { ...envelope, ...bodyIn(kindOf(hostEvent), raw, cwd) };
}

function bodyIn(kind: EventKind, raw: JsonObject, cwd: string): EventBody {
  const text = (key: string): string => textIn(raw, key) ?? '';
  switch (kind) {
    case 'session.start':
      return { kind, source: START_SOURCES.find((source) => source === raw['source']) ?? 'unknown' };
    case 'session.end':
      return { kind, reason: text('reason') };
    case 'prompt.submit':
      return promptIn(textIn(raw, 'prompt'));
    case 'tool.before':
      return { kind, call: toolCallIn(raw, cwd) };
    case 'tool.after':
      return toolResultIn(raw, cwd);
    case 'turn.stop':
      return stopIn(raw);
    case 'compact.before':
      return { kind, trigger: text('trigger') };
    case 'notification':
    case 'model.request.before':
    case 'model.request.after':
      return { kind };
  }
  return { kind: 'other' };
}

function promptIn(prompt: string | undefined): EventBody {
  const text = prompt === undefined ? undefined : typedText(prompt);
  return { kind: 'prompt.submit', text: text ?? '', origin: originOf(text, false) };
}

/** The client adds up what the agent has said since the prompt, over all refused stops. */
function stopIn(raw: JsonObject): EventBody {
  const said = textIn(raw, 'prompt_response');
  return present({
    kind: 'turn.stop' as const,
    continuing: raw['stop_hook_active'] === true,
    lastMessage: said,
    saidSincePrompt: said,
    status: 'completed' as const,
    backgroundTasks: [],
    crons: [],
  });
}
