import type { JsonObject } from '../../core/json';
import { isJsonObject } from '../../core/json';
import type { Operation, ToolCall } from '../../core/tool-call';
import { derivedCallId } from '../call-id';
import { commandLineIn } from '../command-line';
import { newTextIn, usualEdit } from '../edit-input';
import { flagIn, listIn, nameIn, present, textIn } from '../loose-fields';
import { mcpOf } from '../mcp-name';
import { addedLines, patchPaths } from '../patch-paths';
import { absolutePaths } from '../paths';
import { argumentsIn, named } from './fields';
import { namesOf, operationOf } from './tool-names';

/** The tool call in a document of any spelling. Where the client gives no id for it, it gets one of ours. */
export function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = named(raw, 'toolName', 'tool_name') ?? '';
  const args = argumentsIn(raw);
  const op = operationOf(nativeName);
  const patch = op === 'patch' ? (textIn(args, 'patch') ?? textIn(args, 'input') ?? '') : undefined;
  return present({
    nativeName,
    names: namesOf(nativeName),
    op,
    callId: nameIn(raw, 'tool_use_id') ?? derivedCallId(nativeName, args, raw['timestamp']),
    input: op === 'edit' ? usualEdit(args) : args,
    command: op === 'shell' ? (commandLineIn(args['command']) ?? textIn(args, 'input')) : undefined,
    paths: targets(op, args, patch, cwd),
    newText: patch === undefined ? newTextIn(op, args) : addedLines(patch),
    isInexact: op === 'edit' || op === 'write' ? true : undefined,
    ...(op === 'agent' && delegationIn(args)),
    skill: op === 'skill' ? (nameIn(args, 'skill') ?? nameIn(args, 'name')) : undefined,
    mcp: mcpOf(nativeName),
    background: op === 'agent' && args['mode'] === 'background' ? true : flagIn(args, 'detach'),
  });
}

function delegationIn(args: JsonObject): Pick<ToolCall, 'agentType' | 'prompt'> {
  return present({
    agentType: nameIn(args, 'agent_type') ?? nameIn(args, 'agentName'),
    prompt: textIn(args, 'prompt'),
  });
}

function targets(op: Operation, args: JsonObject, patch: string | undefined, cwd: string): string[] {
  if (op === 'mcp' || op === 'shell' || op === 'other') return [];
  const parts = [args, ...listIn(args, 'replacements').filter(isJsonObject)];
  const named = parts.flatMap((part) => [part['path'], part['file_path'], part['filePath']]);
  return absolutePaths(cwd, [...named, ...patchPaths(patch ?? '')]);
}
