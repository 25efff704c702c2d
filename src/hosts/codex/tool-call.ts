import type { Json, JsonObject } from '../../core/json';
import type { Operation, ToolCall } from '../../core/tool-call';
import { commandLineIn, lineWithin } from '../command-line';
import { namesFor } from '../familiar-names';
import { nameIn, objectIn, present, textIn } from '../loose-fields';
import { mcpOf } from '../mcp-name';
import { addedLines, patchPaths } from '../patch-paths';
import { absolutePaths } from '../paths';

/** What is typed into a running command counts as a command too: left out, it would be a way around every rule. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['Bash', 'shell'],
  ['shell', 'shell'],
  ['local_shell', 'shell'],
  ['exec_command', 'shell'],
  ['write_stdin', 'shell'],
  ['apply_patch', 'patch'],
  ['spawn_agent', 'agent'],
  ['view_image', 'read'],
  ['web_search', 'web'],
  ['update_plan', 'task'],
  ['update_goal', 'task'],
]);

/** A patch may also come as a command line; then it is both, and rules on either must see it. */
const PATCH_COMMAND = /(?:^|[\s;&|(])apply_?patch\b[\s\S]*\*\*\* Begin Patch/;
const GOES_TO = /(?:^|[\s;&|(])cd[ \t]+(?:'([^']*)'|"([^"]*)"|([^\s;&|'"]+))/g;

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
    command: op === 'shell' ? commandIn(input, cwd) : undefined,
    paths: patch === undefined ? targets(op, input, cwd) : patched(op, patch, cwd, input['workdir']),
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

function commandIn(input: JsonObject, cwd: string): string | undefined {
  const line = commandLineIn(input['command'] ?? input['cmd']);
  return line === undefined ? textIn(input, 'chars') : lineWithin(cwd, input['workdir'], line);
}

function targets(op: Operation, input: JsonObject, cwd: string): string[] {
  return op === 'read' ? absolutePaths(cwd, [input['path']]) : [];
}

function patchIn(op: Operation, input: JsonObject): string | undefined {
  const given = input['command'] ?? input['cmd'] ?? input['input'];
  const text = Array.isArray(given) ? given.join('\n') : textOf(given);
  return op === 'patch' || (op === 'shell' && PATCH_COMMAND.test(text)) ? text : undefined;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A command line may go elsewhere before it patches; what the patch names is found from there. */
function patched(op: Operation, patch: string, cwd: string, workdir: Json | undefined): string[] {
  const before = op === 'shell' ? patch.slice(0, patch.search(PATCH_COMMAND)) : '';
  const steps = [...before.matchAll(GOES_TO)].map(([, single, double, bare]) => single ?? double ?? bare);
  const from = [workdir, ...steps].reduce<string>((dir, step) => absolutePaths(dir, [step])[0] ?? dir, cwd);
  return absolutePaths(from, patchPaths(patch));
}
