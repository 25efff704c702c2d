import type { EventBody, ToolOutcome } from '../../core/event';
import type { Json, JsonObject } from '../../core/json';
import { isJsonObject } from '../../core/json';
import type { Operation, ToolCall } from '../../core/tool-call';
import { commandLineIn, lineWithin } from '../command-line';
import { newTextIn, usualEdit } from '../edit-input';
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

/** Every name under which a rule may mention the tool. Its tool for writing is the one for editing, too. */
export function namesOf(name: string): string[] {
  const op = operationOf(name);
  return namesFor(name, op === 'write' ? 'patch' : op);
}

/** The tool call in a document with `tool_name`, `tool_input` and `tool_use_id`. */
export function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool_name') ?? '';
  const input = objectFrom(raw['tool_input']);
  const op = doneBy(nativeName, input);
  const delegates = op === 'agent';
  return present({
    nativeName,
    names: namesOf(nativeName),
    op,
    callId: nameIn(raw, 'tool_use_id'),
    input: op === 'edit' ? usualEdit(input) : input,
    command: op === 'shell' ? commandIn(input, cwd) : undefined,
    paths: op === 'mcp' || op === 'shell' ? [] : absolutePaths(cwd, [input['file_path'], input['path']]),
    newText: newTextIn(op, input),
    isInexact: op === 'edit' || op === 'write' ? true : undefined,
    agentType: delegates ? nameIn(input, 'subagent_type') : undefined,
    prompt: delegates ? (textIn(input, 'prompt') ?? textIn(input, 'task')) : undefined,
    mcp: mcpOf(nativeName),
    background: flagIn(input, 'run_in_background'),
  });
}

/** A write that tells what it replaces is an edit. */
function doneBy(name: string, input: JsonObject): Operation {
  const op = operationOf(name);
  return op === 'write' && (input['old_string'] !== undefined || input['edits'] !== undefined) ? 'edit' : op;
}

function commandIn(input: JsonObject, cwd: string): string | undefined {
  const line = commandLineIn(input['command']);
  return line === undefined ? undefined : lineWithin(cwd, input['working_directory'], line);
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
