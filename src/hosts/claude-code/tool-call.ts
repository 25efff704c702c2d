import type { Json, JsonObject } from '../../core/json';
import { isJsonObject } from '../../core/json';
import type { Operation, ToolCall } from '../../core/tool-call';
import { type Draft, flagIn, lines, listIn, nameIn, objectIn, present, textIn } from '../loose-fields';
import { mcpOf } from '../mcp-name';
import { absolutePaths } from '../paths';
import { namesOf } from './tool-aliases';
import { operationOf } from './tool-names';

/** The tool call in a document with `tool_name`, `tool_input` and perhaps `tool_use_id`. */
export function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool_name') ?? '';
  const input = objectIn(raw, 'tool_input');
  const op = operationOf(nativeName);
  const paths = targets(op, input, cwd);
  const call: Draft<ToolCall> = { nativeName, names: namesOf(nativeName), op, input, paths };
  const callId = nameIn(raw, 'tool_use_id');
  const background = flagIn(input, 'run_in_background');
  if (callId !== undefined) call.callId = callId;
  if (background !== undefined) call.background = background;
  return Object.assign(call, factsOf(op, nativeName, input));
}

/** What only calls of one kind have. */
function factsOf(op: Operation, name: string, input: JsonObject): Partial<ToolCall> {
  switch (op) {
    case 'shell':
      return present({ command: textIn(input, 'command') });
    case 'write':
      return present({ newText: textIn(input, 'content') });
    case 'edit':
      return present({ newText: newTextIn(input) });
    case 'agent':
      return present({ agentType: nameIn(input, 'subagent_type'), prompt: textIn(input, 'prompt') });
    case 'skill':
      return present({ skill: nameIn(input, 'skill') });
    case 'mcp':
      return present({ mcp: mcpOf(name) });
    default:
      return {};
  }
}

/** The calls of a batch. Entries that are not objects are no calls. */
export function toolCallsIn(entries: readonly Json[], cwd: string): ToolCall[] {
  return entries.filter(isJsonObject).map((entry) => toolCallIn(entry, cwd));
}

/** What an MCP server calls a path is its own affair: relative to what, only it knows. */
function targets(op: Operation, input: JsonObject, cwd: string): string[] {
  if (op === 'mcp') return [];
  const searched = op === 'search' ? [input['path'], input['filePath']] : [];
  return absolutePaths(cwd, [input['file_path'], input['notebook_path'], ...searched]);
}

function newTextIn(input: JsonObject): string | undefined {
  const edits = listIn(input, 'edits').filter(isJsonObject);
  return edits.length === 0 ? newPartIn(input) : lines([input, ...edits].map(newPartIn));
}

function newPartIn(edit: JsonObject): string | undefined {
  return textIn(edit, 'new_string') ?? textIn(edit, 'new_source');
}
