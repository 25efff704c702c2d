import type { JsonObject } from '../../domain/json';
import type { Operation, ToolCall } from '../../domain/tool-call';
import { derivedCallId } from '../call-id';
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
    input: familiarInput(input),
    command: op === 'shell' ? commandIn(input) : undefined,
    paths: op === 'mcp' ? [] : targets(op, input, cwd),
    newText:
      op === 'write' ? textIn(input, 'content') : op === 'edit' ? textIn(input, 'new_string') : undefined,
    agentType: op === 'agent' ? nameIn(input, 'agent_name') : undefined,
    prompt: op === 'agent' ? textIn(input, 'prompt') : undefined,
    skill: op === 'skill' ? nameIn(input, 'name') : undefined,
    mcp,
    background: flagIn(input, 'is_background'),
  });
}

/** What replaces everywhere is known by another word to those who look at an edit. */
function familiarInput(input: JsonObject): JsonObject {
  return input['allow_multiple'] === true ? { ...input, replace_all: true } : input;
}

/** A command may be told to run in another directory, which matters for what it touches. */
function commandIn(input: JsonObject): string | undefined {
  const command = textIn(input, 'command');
  const dir = nameIn(input, 'dir_path');
  if (command === undefined || dir === undefined) return command;
  return `cd '${dir.replaceAll("'", "'\\''")}' && ${command}`;
}

function targets(op: Operation, input: JsonObject, cwd: string): string[] {
  return absolutePaths(cwd, [input['file_path'], ...(op === 'search' ? [input['dir_path']] : [])]);
}
