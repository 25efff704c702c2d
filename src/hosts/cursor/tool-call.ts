import type { EventBody, ToolOutcome } from '../../domain/event';
import type { Json, JsonObject } from '../../domain/json';
import { isJsonObject } from '../../domain/json';
import type { Operation, ToolCall } from '../../domain/tool-call';
import { namesFor } from '../familiar-names';
import { flagIn, lines, nameIn, numberIn, present, textIn } from '../loose-fields';
import { mcpOf } from '../mcp-name';
import { absolutePaths } from '../paths';
import { objectFrom, unpacked } from './fields';

const TOOLS: Readonly<Record<string, Operation>> = {
  Shell: 'shell',
  Bash: 'shell',
  Read: 'read',
  Write: 'write',
  Edit: 'edit',
  StrReplace: 'edit',
  Delete: 'delete',
  Grep: 'search',
  Glob: 'search',
  Task: 'agent',
  Agent: 'agent',
  WebFetch: 'web',
  WebSearch: 'web',
};

function operationOf(name: string): Operation {
  if (Object.hasOwn(TOOLS, name)) return TOOLS[name] ?? 'other';
  return name.startsWith('MCP:') || mcpOf(name) ? 'mcp' : 'other';
}

/** Every name under which a rule may mention the tool. To delete a file is to change it. */
export function namesOf(name: string): string[] {
  const op = operationOf(name);
  return [...new Set([name, ...namesFor(name, op === 'delete' ? 'patch' : op)])];
}

/** The tool call in a document with `tool_name`, `tool_input` and `tool_use_id`. */
export function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool_name') ?? '';
  const input = objectFrom(raw['tool_input']);
  const op = operationOf(nativeName);
  const delegates = op === 'agent';
  return present({
    nativeName,
    names: namesOf(nativeName),
    op,
    callId: nameIn(raw, 'tool_use_id'),
    input,
    command: op === 'shell' ? textIn(input, 'command') : undefined,
    paths: op === 'mcp' || op === 'shell' ? [] : absolutePaths(cwd, [input['file_path'], input['path']]),
    newText: newTextOf(op, input),
    agentType: delegates ? nameIn(input, 'subagent_type') : undefined,
    prompt: delegates ? (textIn(input, 'prompt') ?? textIn(input, 'task')) : undefined,
    mcp: mcpOf(nativeName),
    background: flagIn(input, 'run_in_background'),
  });
}

function newTextOf(op: Operation, input: JsonObject): string | undefined {
  if (op === 'write') return textIn(input, 'content') ?? textIn(input, 'contents');
  return op === 'edit' ? textIn(input, 'new_string') : undefined;
}

/** The body of the events that follow a tool call. */
export function toolResultIn(raw: JsonObject, cwd: string, failed: boolean): EventBody {
  const call = toolCallIn(raw, cwd);
  const response = unpacked(raw['tool_output']);
  return present({
    kind: 'tool.after' as const,
    call,
    outcome: failed ? ('failure' as const) : outcomeOf(call.op, response),
    response: present({ raw: response, text: textOf(response) }),
    durationMs: numberIn(raw, 'duration'),
    error: failed ? textIn(raw, 'error_message') : undefined,
    interrupted: flagIn(raw, 'is_interrupt'),
  });
}

/** What a command came to is told by its exit code alone, and not every answer has one. */
function outcomeOf(op: Operation, response: Json): ToolOutcome {
  const facts = isJsonObject(response) ? response : {};
  const code = numberIn(facts, 'exitCode') ?? numberIn(facts, 'exit_code');
  if (code !== undefined) return code === 0 ? 'success' : 'failure';
  return op === 'shell' ? 'unknown' : 'success';
}

function textOf(response: Json): string | undefined {
  if (typeof response === 'string') return response;
  if (!isJsonObject(response)) return undefined;
  return lines([
    textIn(response, 'output'),
    textIn(response, 'stdout'),
    textIn(response, 'stderr') || undefined,
  ]);
}
