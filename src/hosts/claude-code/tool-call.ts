import type { ToolOutcome } from '../../core/event';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import type { Operation, ToolCall } from '../../core/tool-call';
import { flagIn, lines, listIn, nameIn, numberIn, objectIn, objectsIn, present, textIn } from '../fields';
import type { Body } from '../parse-event';
import { absolutePaths, mcpOf, operationIn, type Tools, toolCallFrom } from '../tool-call';

const TOOLS: Tools = {
  // Monitor runs a command in a shell of its own: left out, it would be a way around every rule on Bash.
  shell: ['Bash', 'PowerShell', 'Monitor'],
  write: ['Write'],
  edit: ['Edit', 'MultiEdit', 'NotebookEdit'],
  read: ['Read'],
  search: ['Glob', 'Grep', 'LSP'],
  web: ['WebFetch', 'WebSearch'],
  agent: ['Agent', 'Task'],
  skill: ['Skill'],
  plan: ['EnterPlanMode', 'ExitPlanMode'],
  task: ['TodoWrite', 'KillShell', 'KillBash'],
};

/** Tools that were renamed: the client still accepts the old names in its own rules. */
const RENAMED: readonly (readonly string[])[] = [
  ['Agent', 'Task'],
  ['TaskStop', 'KillShell', 'KillBash'],
  ['ListAgents', 'ListPeers'],
  ['SendUserMessage', 'Brief'],
];

/** The name and its aliases, the name as given first. */
export function namesOf(name: string): string[] {
  return [...new Set([name, ...(RENAMED.find((group) => group.includes(name)) ?? [])])];
}

function operationOf(name: string): Operation {
  const op = operationIn(TOOLS, name) ?? (mcpOf(name) ? 'mcp' : undefined);
  return op ?? (name.startsWith('Task') ? 'task' : 'other');
}

/** The tool call in a document with `tool_name`, `tool_input` and perhaps `tool_use_id`. */
export function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool_name') ?? '';
  const input = objectIn(raw, 'tool_input');
  const op = operationOf(nativeName);
  const searched = op === 'search' ? [input['path'], input['filePath']] : [];
  return toolCallFrom({
    nativeName,
    names: namesOf(nativeName),
    op,
    input,
    isExact: true,
    callId: nameIn(raw, 'tool_use_id'),
    command: textIn(input, 'command'),
    // Only an MCP server knows what its paths are relative to.
    paths: op === 'mcp' ? [] : absolutePaths(cwd, [input['file_path'], input['notebook_path'], ...searched]),
    agentType: nameIn(input, 'subagent_type'),
    prompt: textIn(input, 'prompt'),
    skill: nameIn(input, 'skill'),
    mcp: mcpOf(nativeName),
    background: flagIn(input, 'run_in_background'),
  });
}

/** The body of PostToolUse and PostToolUseFailure. */
export function toolResultIn(raw: JsonObject, cwd: string, call: ToolCall): Body<'tool.after'> {
  const failed = raw['hook_event_name'] === 'PostToolUseFailure';
  const response = raw['tool_response'] ?? raw['tool_result'] ?? raw['tool_output'] ?? null;
  const facts = isJsonObject(response) ? response : {};
  const changed = changedPathsIn(facts, cwd);
  return {
    call,
    outcome: failed ? 'failure' : outcomeOf(facts),
    response: present({ raw: response, text: textOf(response) }),
    changedPaths: changed.length > 0 ? changed : undefined,
    durationMs: numberIn(raw, 'duration_ms'),
    error: failed ? textIn(raw, 'error') : undefined,
    interrupted: flagIn(raw, 'is_interrupt') ?? flagIn(facts, 'interrupted'),
  };
}

function outcomeOf(response: JsonObject): ToolOutcome {
  const failed =
    response['interrupted'] === true ||
    response['is_error'] === true ||
    response['isError'] === true ||
    response['success'] === false ||
    (numberIn(response, 'exit_code') ?? numberIn(response, 'exitCode') ?? 0) !== 0;
  if (failed) return 'failure';
  // A command in the background has only been started: the response does not tell how it ends.
  return textIn(response, 'backgroundTaskId') ? 'unknown' : 'success';
}

function changedPathsIn(response: JsonObject, cwd: string): string[] {
  const diff = objectIn(response, 'bashEditDiff');
  return absolutePaths(cwd, [
    ...listIn(diff, 'changedFiles'),
    ...objectsIn(diff, 'files').map((file) => file['filePath']),
    response['filePath'],
  ]);
}

/** What the tool said: plain text, a command's output, or text blocks. */
function textOf(response: Json): string | undefined {
  if (typeof response === 'string') return response;
  const facts = isJsonObject(response) ? response : { content: response };
  const blocks = objectsIn(facts, 'content').map((block) => textIn(block, 'text'));
  return lines([textIn(facts, 'stdout'), nameIn(facts, 'stderr'), ...blocks]);
}
