import type { EventBody, ToolOutcome } from '../../core/event';
import type { JsonObject } from '../../core/json';
import type { Operation, ToolCall } from '../../core/tool-call';
import { commandLineIn, lineWithin } from '../command-line';
import { newTextIn, usualEdit } from '../edit-input';
import { namesFor } from '../familiar-names';
import { nameIn, numberIn, objectIn, present, textIn } from '../loose-fields';
import { mcpNamesOf } from '../mcp-name';
import { addedLines, patchPaths } from '../patch-paths';
import { absolutePaths } from '../paths';

const TOOLS: Readonly<Record<string, Operation>> = {
  bash: 'shell',
  write: 'write',
  edit: 'edit',
  multiedit: 'edit',
  apply_patch: 'patch',
  patch: 'patch',
  read: 'read',
  glob: 'search',
  grep: 'search',
  list: 'search',
  webfetch: 'web',
  websearch: 'web',
  task: 'agent',
  skill: 'skill',
  todowrite: 'task',
  plan_enter: 'plan',
  plan_exit: 'plan',
};

function operationOf(tool: string): Operation {
  return Object.hasOwn(TOOLS, tool) ? (TOOLS[tool] ?? 'other') : 'other';
}

/** A tool that is none of the program's own may be of an MCP server, which its name does not tell. */
export function namesOf(tool: string): string[] {
  const op = operationOf(tool);
  return [...namesFor(tool, op), ...(op === 'other' ? mcpNamesOf(tool, '_') : [])];
}

/** The tool call in a document of `tool.execute.before` or `after`. */
export function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool') ?? '';
  const args = objectIn(raw, 'args');
  const op = operationOf(nativeName);
  const delegates = op === 'agent';
  const patch = op === 'patch' ? (textIn(args, 'patchText') ?? '') : undefined;
  return present({
    nativeName,
    names: namesOf(nativeName),
    op,
    callId: nameIn(raw, 'callID'),
    input: op === 'edit' ? usualEdit(args) : args,
    command: op === 'shell' ? commandIn(args, cwd) : undefined,
    paths: targets(op, args, patch, cwd),
    newText: patch === undefined ? newTextIn(op, args) : addedLines(patch),
    isInexact: op === 'edit' || op === 'write' ? true : undefined,
    agentType: delegates ? nameIn(args, 'subagent_type') : undefined,
    prompt: delegates ? textIn(args, 'prompt') : undefined,
    skill: op === 'skill' ? (nameIn(args, 'name') ?? nameIn(args, 'skill')) : undefined,
  });
}

/** A command may name the directory that it runs in; all else is relative to the session's. */
function commandIn(args: JsonObject, cwd: string): string | undefined {
  const line = commandLineIn(args['command']);
  return line === undefined ? undefined : lineWithin(cwd, args['workdir'], line);
}

function targets(op: Operation, args: JsonObject, patch: string | undefined, cwd: string): string[] {
  if (op === 'shell' || op === 'other') return [];
  return absolutePaths(cwd, [args['filePath'], args['path'], ...patchPaths(patch ?? '')]);
}

/** The body of `tool.execute.after`, which comes only for calls that did not throw. */
export function toolResultIn(raw: JsonObject, cwd: string): EventBody {
  const call = toolCallIn(raw, cwd);
  const output = textIn(raw, 'output');
  return {
    kind: 'tool.after',
    call,
    outcome: call.op === 'shell' ? outcomeOf(objectIn(raw, 'metadata')) : 'success',
    response: present({ raw: raw['metadata'] ?? null, text: output }),
  };
}

/** A command that was ended for taking too long has no exit code. */
function outcomeOf(metadata: JsonObject): ToolOutcome {
  const code = numberIn(metadata, 'exit');
  return code === undefined ? 'unknown' : code === 0 ? 'success' : 'failure';
}
