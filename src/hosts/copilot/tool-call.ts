import type { JsonObject } from '../../domain/json';
import type { Operation, ToolCall } from '../../domain/tool-call';
import { derivedCallId } from '../call-id';
import { flagIn, nameIn, present, textIn } from '../loose-fields';
import { mcpOf } from '../mcp-name';
import { patchPaths } from '../patch-paths';
import { absolutePaths } from '../paths';
import { argumentsIn, named } from './fields';
import { namesOf, operationOf } from './tool-names';

/** The tool call in a document of either spelling. The client gives no id for it, so it gets one of ours. */
export function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = named(raw, 'toolName', 'tool_name') ?? '';
  const args = argumentsIn(raw);
  const op = operationOf(nativeName);
  const delegates = op === 'agent';
  return present({
    nativeName,
    names: namesOf(nativeName),
    op,
    callId: derivedCallId(nativeName, args, raw['timestamp']),
    input: op === 'edit' ? withUsualNames(args) : args,
    command: op === 'shell' ? (textIn(args, 'command') ?? textIn(args, 'input')) : undefined,
    paths: targets(op, args, cwd),
    newText: op === 'write' ? textIn(args, 'file_text') : op === 'edit' ? textIn(args, 'new_str') : undefined,
    agentType: delegates ? nameIn(args, 'agent_type') : undefined,
    prompt: delegates ? textIn(args, 'prompt') : undefined,
    skill: op === 'skill' ? (nameIn(args, 'skill') ?? nameIn(args, 'name')) : undefined,
    mcp: mcpOf(nativeName),
    background: delegates && args['mode'] === 'background' ? true : flagIn(args, 'detach'),
  });
}

/** What an edit makes of a file is judged by the names that other hosts have for its parts. */
function withUsualNames(args: JsonObject): JsonObject {
  const { path, old_str: before, new_str: after } = args;
  return present({ file_path: path, old_string: before, new_string: after, ...args });
}

function targets(op: Operation, args: JsonObject, cwd: string): string[] {
  if (op === 'mcp' || op === 'shell') return [];
  const patch = op === 'patch' ? (textIn(args, 'patch') ?? textIn(args, 'input') ?? '') : '';
  return absolutePaths(cwd, [args['path'], args['file_path'], ...patchPaths(patch)]);
}
