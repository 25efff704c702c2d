import type { JsonObject } from '../../domain/json';
import type { Operation, ToolCall } from '../../domain/tool-call';
import { namesFor } from '../familiar-names';
import { nameIn, objectIn, present, textIn } from '../loose-fields';
import { mcpOf } from '../mcp-name';
import { patchPaths } from '../patch-paths';
import { absolutePaths } from '../paths';

/** What is typed into a running command counts as a command too: left out, it would be a way around every rule. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['Bash', 'shell'],
  ['write_stdin', 'shell'],
  ['apply_patch', 'patch'],
  ['spawn_agent', 'agent'],
  ['view_image', 'read'],
  ['web_search', 'web'],
  ['update_plan', 'task'],
  ['update_goal', 'task'],
]);

/** A patch may also come as a command line; then it is both, and rules on either must see it. */
const PATCH_COMMAND = /(?:^|[\s;&|(])apply_patch\b[\s\S]*^\*\*\* Begin Patch$/m;

/** The tool call in a document with `tool_name`, `tool_input` and `tool_use_id`. */
export function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool_name') ?? '';
  const input = objectIn(raw, 'tool_input');
  const op = operationOf(nativeName);
  const patch = patchIn(op, input);
  return present({
    nativeName,
    names: callNames(raw),
    op,
    callId: nameIn(raw, 'tool_use_id'),
    input,
    command: op === 'shell' ? (textIn(input, 'command') ?? textIn(input, 'chars')) : undefined,
    paths: absolutePaths(cwd, patch === undefined ? [input['path']] : patchPaths(patch)),
    newText: patch === undefined ? undefined : addedLines(patch),
    agentType: op === 'agent' ? nameIn(input, 'agent_type') : undefined,
    prompt: op === 'agent' ? (textIn(input, 'message') ?? textIn(input, 'prompt')) : undefined,
    mcp: mcpOf(nativeName),
  });
}

/** Every name under which a rule may mention the tool of a document; none where it is about none. */
export function callNames(raw: JsonObject): string[] {
  const name = textIn(raw, 'tool_name') ?? '';
  if (name === '') return [];
  const op = operationOf(name);
  const patches = op === 'shell' && patchIn(op, objectIn(raw, 'tool_input')) !== undefined;
  return [...namesFor(name, op), ...(patches ? namesFor('apply_patch', 'patch') : [])];
}

function operationOf(name: string): Operation {
  return OPERATIONS.get(name) ?? (mcpOf(name) ? 'mcp' : 'other');
}

function patchIn(op: Operation, input: JsonObject): string | undefined {
  const text = textIn(input, 'command') ?? textIn(input, 'input') ?? '';
  return op === 'patch' || (op === 'shell' && PATCH_COMMAND.test(text)) ? text : undefined;
}

function addedLines(patch: string): string {
  const added = patch.split('\n').filter((line) => line.startsWith('+'));
  return added.map((line) => line.slice(1)).join('\n');
}
