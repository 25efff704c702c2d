import type { Json, JsonObject } from '../../domain/json';
import { isJsonObject } from '../../domain/json';
import type { Operation, ToolCall } from '../../domain/tool-call';
import { flagIn, lines, listIn, nameIn, objectIn, present, textIn } from '../loose-fields';
import { mcpOf } from '../mcp-name';
import { absolutePaths } from '../paths';
import { namesOf } from './tool-aliases';
import { operationOf } from './tool-names';

/** The tool call in a document with `tool_name`, `tool_input` and perhaps `tool_use_id`. */
export function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool_name') ?? '';
  const input = objectIn(raw, 'tool_input');
  const op = operationOf(nativeName);
  const delegates = op === 'agent';
  return present({
    nativeName,
    names: namesOf(nativeName),
    op,
    callId: nameIn(raw, 'tool_use_id'),
    input,
    command: op === 'shell' ? textIn(input, 'command') : undefined,
    paths: targets(op, input, cwd),
    newText: newTextOf(op, input),
    agentType: delegates ? nameIn(input, 'subagent_type') : undefined,
    prompt: delegates ? textIn(input, 'prompt') : undefined,
    skill: op === 'skill' ? nameIn(input, 'skill') : undefined,
    mcp: op === 'mcp' ? mcpOf(nativeName) : undefined,
    background: flagIn(input, 'run_in_background'),
  });
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

function newTextOf(op: Operation, input: JsonObject): string | undefined {
  if (op === 'write') return textIn(input, 'content');
  if (op !== 'edit') return undefined;
  const edits = listIn(input, 'edits').filter(isJsonObject);
  return edits.length === 0 ? newPartIn(input) : lines([input, ...edits].map(newPartIn));
}

function newPartIn(edit: JsonObject): string | undefined {
  return textIn(edit, 'new_string') ?? textIn(edit, 'new_source');
}
