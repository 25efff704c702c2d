import type { EventBody, EventKind, StartSource, Subagent, ToolOutcome } from '../../core/event';
import type { Json, JsonObject } from '../../core/json';
import { isJsonObject } from '../../core/json';
import { nameIn, present, textIn } from '../loose-fields';
import { originOf } from '../typed-prompt';
import { toolCallIn } from './tool-call';

const START_SOURCES: readonly StartSource[] = ['startup', 'resume', 'clear', 'compact', 'fork'];

/** The part of an event that differs from kind to kind. */
export function bodyIn(kind: EventKind, raw: JsonObject, cwd: string): EventBody {
  const text = (key: string): string => textIn(raw, key) ?? '';
  const continuing = raw['stop_hook_active'] === true;
  const lastMessage = textIn(raw, 'last_assistant_message');
  switch (kind) {
    case 'session.start':
      return { kind, source: START_SOURCES.find((source) => source === raw['source']) ?? 'unknown' };
    case 'session.end':
      return { kind, reason: text('reason') };
    case 'prompt.submit':
      return {
        kind,
        text: text('prompt'),
        origin: originOf(textIn(raw, 'prompt'), nameIn(raw, 'agent_id') !== undefined),
      };
    case 'tool.before':
      return { kind, call: toolCallIn(raw, cwd) };
    case 'tool.after':
      return toolResultIn(raw, cwd);
    case 'permission.request':
      return { kind, call: toolCallIn(raw, cwd), suggestions: [] };
    case 'turn.stop':
      return present({
        kind,
        continuing,
        lastMessage,
        status: 'completed' as const,
        backgroundTasks: [],
        crons: [],
      });
    case 'subagent.start':
      return { kind, subagent: subagentIn(raw) };
    case 'subagent.stop':
      return present({
        kind,
        subagent: subagentIn(raw),
        continuing,
        transcript: nameIn(raw, 'agent_transcript_path'),
        lastMessage,
      });
    case 'compact.before':
    case 'compact.after':
      return { kind, trigger: text('trigger') };
  }
  return { kind: kind === 'turn.interrupt' ? kind : 'other' };
}

function subagentIn(raw: JsonObject): Subagent {
  return present({ id: textIn(raw, 'agent_id') ?? '', type: nameIn(raw, 'agent_type') });
}

function toolResultIn(raw: JsonObject, cwd: string): EventBody {
  const response: Json = raw['tool_response'] ?? null;
  return {
    kind: 'tool.after',
    call: toolCallIn(raw, cwd),
    outcome: outcomeOf(response),
    response: present({ raw: response, text: typeof response === 'string' ? response : undefined }),
  };
}

/** The event comes after failures as well, and a command's response is its output without a code. */
function outcomeOf(response: Json): ToolOutcome {
  const failed = isJsonObject(response) && (response['isError'] === true || response['success'] === false);
  return failed ? 'failure' : 'unknown';
}
