import type { EventBody, EventKind, StartSource, Subagent } from '../../core/event';
import type { JsonObject } from '../../core/json';
import { listIn, nameIn, present, textIn } from '../loose-fields';
import { promptOrigin } from './prompt-origin';
import { toolCallIn, toolCallsIn } from './tool-call';
import { toolResultIn } from './tool-result';

const START_SOURCES: readonly StartSource[] = ['startup', 'resume', 'clear', 'compact', 'fork'];

/** The part of an event that differs from kind to kind. */
export function bodyIn(kind: EventKind, raw: JsonObject, cwd: string): EventBody {
  const text = (key: string): string => textIn(raw, key) ?? '';
  switch (kind) {
    case 'session.start':
      return { kind, source: START_SOURCES.find((source) => source === raw['source']) ?? 'unknown' };
    case 'session.end':
      return { kind, reason: text('reason') };
    case 'prompt.submit':
      return { kind, text: text('prompt'), origin: promptOrigin(raw) };
    case 'prompt.expand':
      return { kind, name: text('command_name'), args: text('command_args'), source: text('command_source') };
    case 'tool.before':
      return { kind, call: toolCallIn(raw, cwd) };
    case 'tool.after':
      return toolResultIn(raw, cwd, raw['hook_event_name'] === 'PostToolUseFailure');
    case 'tool.batch':
      return { kind, calls: toolCallsIn(listIn(raw, 'tool_calls'), cwd) };
    case 'permission.request':
      return { kind, call: toolCallIn(raw, cwd), suggestions: listIn(raw, 'permission_suggestions') };
    case 'permission.denied':
      return { kind, call: toolCallIn(raw, cwd), reason: text('reason') };
    case 'turn.stop':
      return stopIn(raw);
    case 'turn.error':
      return present({ kind, error: text('error'), details: textIn(raw, 'error_details') });
    case 'subagent.start':
      return { kind, subagent: subagentIn(raw) };
    case 'subagent.stop':
      return subagentStopIn(raw);
    case 'compact.before':
      return present({ kind, trigger: text('trigger'), instructions: textIn(raw, 'custom_instructions') });
    case 'compact.after':
      return present({ kind, trigger: text('trigger'), summary: textIn(raw, 'compact_summary') });
  }
  return { kind };
}

function subagentIn(raw: JsonObject): Subagent {
  return present({ id: textIn(raw, 'agent_id') ?? '', type: nameIn(raw, 'agent_type') });
}

function stopIn(raw: JsonObject): EventBody {
  return present({
    kind: 'turn.stop' as const,
    continuing: raw['stop_hook_active'] === true,
    lastMessage: textIn(raw, 'last_assistant_message'),
    status: 'completed' as const,
    backgroundTasks: listIn(raw, 'background_tasks'),
    crons: listIn(raw, 'session_crons'),
  });
}

function subagentStopIn(raw: JsonObject): EventBody {
  return present({
    kind: 'subagent.stop' as const,
    subagent: subagentIn(raw),
    continuing: raw['stop_hook_active'] === true,
    transcript: nameIn(raw, 'agent_transcript_path'),
    lastMessage: textIn(raw, 'last_assistant_message'),
  });
}
