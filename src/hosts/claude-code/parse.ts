import type { Event, EventHeader, Operation, PromptOrigin, ToolCall, ToolOutcome } from '../../core/event';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { flagIn, lines, listIn, nameIn, numberIn, objectIn, objectsIn, present, textIn } from '../fields';
import {
  type Body,
  type BodyReaders,
  claudeEnvelope,
  claudeHeader,
  eventFrom,
  type Kinds,
} from '../parse-event';
import { absolutePaths, mcpOf, operationIn, type Tools, toolCallFrom } from '../tool-call';

const KINDS: Kinds = {
  PreToolUse: 'tool.before',
  PostToolUse: 'tool.after',
  PostToolUseFailure: 'tool.after',
  PostToolBatch: 'tool.batch',
  UserPromptSubmit: 'prompt.submit',
  UserPromptExpansion: 'prompt.expand',
  PermissionRequest: 'permission.request',
  PermissionDenied: 'permission.denied',
  Stop: 'turn.stop',
  StopFailure: 'turn.error',
  SessionStart: 'session.start',
  SessionEnd: 'session.end',
  SubagentStart: 'subagent.start',
  SubagentStop: 'subagent.stop',
  PreCompact: 'compact.before',
  PostCompact: 'compact.after',
  PreModelSwitch: 'model.switch.before',
  PostModelSwitch: 'model.switch.after',
  TaskCreated: 'task.created',
  TaskCompleted: 'task.completed',
  TeammateIdle: 'teammate.idle',
  Notification: 'notification',
  Setup: 'setup',
  Elicitation: 'elicitation',
  ElicitationResult: 'elicitation.result',
  ConfigChange: 'config.change',
  InstructionsLoaded: 'instructions.loaded',
  CwdChanged: 'cwd.changed',
  FileChanged: 'file.changed',
  DirectoryAdded: 'directory.added',
  WorktreeCreate: 'worktree.create',
  WorktreeRemove: 'worktree.remove',
  MessageDisplay: 'message.display',
};

/** Reads what routing needs; the hook's first chunk contains this and not `parse`. */
export function readHeader(raw: JsonObject): EventHeader {
  const tool = nameIn(raw, 'tool_name');
  const toolNames = tool === undefined ? [] : namesOf(tool);
  return claudeHeader(raw, 'claude-code', KINDS, eventNameIn(raw), toolNames);
}

/** Reads the whole document. */
export function parse(raw: JsonObject, at: number, header = readHeader(raw)): Event {
  return eventFrom(raw, at, header, { call: toolCallIn, envelope: envelopeIn, bodies: BODIES });
}

function envelopeIn(raw: JsonObject): ReturnType<typeof claudeEnvelope> {
  return { promptId: nameIn(raw, 'prompt_id'), ...claudeEnvelope(raw) };
}

const BODIES: BodyReaders = {
  'prompt.submit': ({ raw }) => ({ text: textIn(raw, 'prompt') ?? '', origin: promptOrigin(raw) }),
  'prompt.expand': ({ raw }) => ({
    name: textIn(raw, 'command_name') ?? '',
    args: textIn(raw, 'command_args') ?? '',
    source: textIn(raw, 'command_source') ?? '',
  }),
  'tool.after': ({ raw, cwd, call }) => toolResultIn(raw, cwd, call()),
  'tool.batch': ({ raw, cwd }) => ({
    calls: objectsIn(raw, 'tool_calls').map((entry) => toolCallIn(entry, cwd)),
  }),
};

/**
 * The host's name for the event; empty where there is none. Scripts that were written for a hook of one event leave it
 * out; then the other members tell it, unless they could mean two things.
 */
export function eventNameIn(raw: JsonObject): string {
  const name = raw['hook_event_name'];
  if (name !== undefined) return typeof name === 'string' ? name : '';
  const mayStop = typeof raw['stop_hook_active'] === 'boolean';
  if (raw['tool_name'] === undefined) return mayStop ? 'Stop' : '';
  return mayStop ? '' : toolEventIn(raw);
}

function toolEventIn(raw: JsonObject): string {
  if (nameIn(raw, 'tool_name') === undefined || !isJsonObject(raw['tool_input'])) return '';
  if (raw['tool_response'] !== undefined || raw['tool_result'] !== undefined) return 'PostToolUse';
  // A call that failed has run, but not every document with an error is about a failed call.
  return raw['error'] === undefined ? 'PreToolUse' : '';
}

/** Tags that the client puts around what no person typed. Any other tag may be pasted markup. */
const MACHINE =
  /^\s*<(?:task-notification|teammate-message|agent-message|cross-session-message|channel|system-reminder|local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr)|user-prompt-submit-hook|hook_prompt)[\s>]/;

/** Who wrote a prompt. In doubt it is not a person: an approval may rest on the answer. */
function promptOrigin(raw: JsonObject): PromptOrigin {
  const source = nameIn(raw, 'source');
  if (source) return source === 'user' ? 'human' : 'machine';
  const text = textIn(raw, 'prompt');
  if (text === undefined) return 'unknown';
  if (MACHINE.test(text)) return 'machine';
  return /^\s*Stop hook feedback:/.test(text) ? 'continuation' : 'human';
}

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
function namesOf(name: string): string[] {
  return [...new Set([name, ...(RENAMED.find((group) => group.includes(name)) ?? [])])];
}

function operationOf(name: string): Operation {
  const op = operationIn(TOOLS, name) ?? (mcpOf(name) ? 'mcp' : undefined);
  return op ?? (name.startsWith('Task') ? 'task' : 'other');
}

/** The tool call in a document with `tool_name`, `tool_input` and perhaps `tool_use_id`. */
function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
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
function toolResultIn(raw: JsonObject, cwd: string, call: ToolCall): Body<'tool.after'> {
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
