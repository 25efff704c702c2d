import type { JsonObject } from '../../core/json';
import type { Operation, ToolCall } from '../../core/tool-call';
import { derivedCallId } from '../call-id';
import { commandLineIn, lineWithin } from '../command-line';
import { newTextIn, usualEdit } from '../edit-input';
import { flagIn, nameIn, objectIn, present, textIn } from '../loose-fields';
import { absolutePaths } from '../paths';
import { callNames, mcpIn, operationOf } from './tool-names';

/** The tool call in a document with `tool_name` and `tool_input`. The client gives calls no id. */
export function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool_name') ?? '';
  const input = objectIn(raw, 'tool_input');
  const mcp = mcpIn(raw);
  const op = mcp ? 'mcp' : operationOf(nativeName);
  return present({
    nativeName,
    names: callNames(raw),
    op,
    callId: derivedCallId(nativeName, input, raw['timestamp']),
    input: op === 'edit' ? usualEdit(input) : input,
    command: op === 'shell' ? commandIn(input, cwd) : undefined,
    paths: targets(op, input, cwd),
    newText: newTextIn(op, input),
    isInexact: op === 'edit' || op === 'write' ? true : undefined,
    agentType: op === 'agent' ? nameIn(input, 'agent_name') : undefined,
    prompt: op === 'agent' ? textIn(input, 'prompt') : undefined,
    skill: op === 'skill' ? nameIn(input, 'name') : undefined,
    mcp,
    background: flagIn(input, 'is_background'),
  });
}

/** A command may be told to run in another directory, which matters for what it touches. */
function commandIn(input: JsonObject, cwd: string): string | undefined {
  const line = commandLineIn(input['command']);
  return line === undefined ? undefined : lineWithin(cwd, input['dir_path'] ?? input['directory'], line);
}

/** What an MCP server calls a path is its own affair. */
function targets(op: Operation, input: JsonObject, cwd: string): string[] {
  if (op === 'mcp' || op === 'shell') return [];
  return absolutePaths(cwd, [input['file_path'], ...(op === 'search' ? [input['dir_path']] : [])]);
}
