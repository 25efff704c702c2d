import type { Event, EventHeader, Operation, PromptOrigin, ToolCall, ToolOutcome } from '../../core/event';
import type { HostName } from '../../core/host-name';
import {
  flagIn,
  isJsonObject,
  type Json,
  type JsonObject,
  joinLines,
  listIn,
  nameIn,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  withoutUndefined,
} from '../../core/json';
import type { Answer, Decision } from '../../core/verdict';
import { ADVICE, type Capabilities, type Environment, type Host } from '../host';
import {
  absolutePaths,
  type Body,
  type BodyReaders,
  COMMON_KINDS,
  claudeEnvelope,
  deliverableParts,
  eventFrom,
  headerFrom,
  joinRemarks,
  jsonAnswer,
  type Kinds,
  mcpOf,
  operationIn,
  specificOutput,
  type Tools,
  toolCallFrom,
  truncate,
} from '../protocol';

const capabilities: Capabilities = {
  'tool.before': ['ask', 'change-input', 'deny', 'notify', ...ADVICE],
  'tool.after': ADVICE,
  'permission.request': ['deny', 'advise-person'],
  'prompt.submit': ['deny', ...ADVICE],
  'prompt.expand': ['deny', ...ADVICE],
  'session.start': ADVICE,
  'subagent.start': ADVICE,
  setup: ADVICE,
  notification: ADVICE,
  // No advice to the agent at the end of a turn: it would make the agent continue.
  'turn.stop': ['hold', 'advise-person', 'report'],
  'config.change': ['hold'],
  'task.created': ['hold'],
  'task.completed': ['hold'],
  'teammate.idle': ['hold'],
};

/** The loop's own answer has no field for a note. */
const LOOP_CAPABILITIES: Capabilities = { 'turn.stop': ['hold', 'report'] };

export const claudeCode: Host = {
  name: 'claude-code',
  capabilities,
  stopCap,
  readHeader,
  parse: (raw, at, header = readHeader(raw)) => {
    const envelope = { promptId: nameIn(raw, 'prompt_id'), ...claudeEnvelope(raw) };
    return eventFrom(raw, at, header, toolCallIn, BODIES, envelope);
  },
  render,
};

/** The host with this name. `load` loads any but Claude Code, which is built in. */
export function hostNamed(name: HostName, load: (name: HostName) => Host): Host {
  return name === 'claude-code' ? claudeCode : load(name);
}

const USUAL_CAP = 8;

/** The client counts blocked stops without tool use. A cap of zero or less switches the counting off. */
function stopCap(env: Environment): number {
  const set = env['CLAUDE_CODE_STOP_HOOK_BLOCK_CAP']?.trim() || undefined;
  const cap = Number.isInteger(Number(set)) ? Number(set) : USUAL_CAP;
  return cap <= 0 ? Number.POSITIVE_INFINITY : cap;
}

/** Renders the decision for Claude Code. No output means permission: `allow` is never sent. */
function render(event: Event, decision: Decision): Answer {
  const byLoop = isHeldByLoopAlone(event, decision);
  const parts = deliverableParts(byLoop ? LOOP_CAPABILITIES : capabilities, event, decision);
  const { losses, note } = parts;
  if (decision.kind === 'hold' && parts.can('hold') && (byLoop || event.kind !== 'turn.stop')) {
    // Formatted by hand: scripts compare the loop's bytes.
    const stdout = byLoop ? `{"decision": "block", "reason": ${JSON.stringify(decision.reason)}}\n` : '';
    return { stdout, stderr: `${decision.reason}\n`, exitCode: 2, losses };
  }
  const members = {
    ...callRefusal(event, decision, parts.question),
    updatedInput: parts.input,
    // Unlike other hosts, Claude Code delivers advice beside a denial.
    additionalContext: parts.denial === undefined ? parts.advice : joinRemarks(decision.toAgent),
  };
  return jsonAnswer(
    {
      ...(event.kind === 'turn.stop' ? stopAnswer(decision) : undefined),
      ...(decision.kind === 'deny' && event.kind.startsWith('prompt.')
        ? { decision: 'block', reason: truncate(decision.reason) }
        : undefined),
      hookSpecificOutput: specificOutput(event, members),
      systemMessage: note,
      terminalSequence:
        decision.kind === 'deny' && decision.notify && parts.can('notify')
          ? // OSC 9: terminals show it as a notification.
            `\x1b]9;${decision.notify.replace(/[\x00-\x1f\x7f-\x9f]/g, ' ')}\x07`
          : undefined,
    },
    losses,
  );
}

/** A turn held by the loop alone is answered with exactly the bytes of the loop's own command. */
function isHeldByLoopAlone(event: Event, decision: Decision): boolean {
  if (event.kind !== 'turn.stop' || decision.kind !== 'hold') return false;
  return decision.by.join() === 'loop' && decision.plain !== true;
}

function stopAnswer(decision: Decision): JsonObject | undefined {
  const report = 'report' in decision ? decision.report : undefined;
  const reason = decision.kind === 'hold' ? decision.reason : undefined;
  if (reason === undefined && !report) return undefined;
  return {
    decision: reason === undefined ? 'approve' : 'block',
    reason,
    status: report?.status,
    message: report?.message,
    stopReason: reason && report && (report.once ? report.message : reason),
  };
}

function callRefusal(event: Event, decision: Decision, question?: string): JsonObject | undefined {
  if (decision.kind !== 'ask' && decision.kind !== 'deny') return undefined;
  const reason = truncate(question ?? decision.reason);
  if (event.kind === 'tool.before') {
    return { permissionDecision: decision.kind, permissionDecisionReason: reason };
  }
  const isDenied = event.kind === 'permission.request' && decision.kind === 'deny';
  return isDenied ? { decision: { behavior: 'deny', message: reason } } : undefined;
}

export const KINDS: Kinds = {
  ...COMMON_KINDS,
  PostToolUseFailure: 'tool.after',
  PostToolBatch: 'tool.batch',
  UserPromptExpansion: 'prompt.expand',
  PermissionRequest: 'permission.request',
  PermissionDenied: 'permission.denied',
  StopFailure: 'turn.error',
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

/** Reads what routing needs. The hook's first chunk contains this part only. */
export function readHeader(raw: JsonObject): EventHeader {
  const tool = nameIn(raw, 'tool_name');
  const toolNames = tool === undefined ? [] : namesOf(tool, objectIn(raw, 'tool_input'));
  return headerFrom('claude-code', KINDS, raw, { hostEvent: eventNameIn(raw), toolNames });
}

const BODIES: BodyReaders = {
  'prompt.submit': (raw) => ({ text: textIn(raw, 'prompt') ?? '', origin: promptOrigin(raw) }),
  'prompt.expand': (raw) => ({
    name: textIn(raw, 'command_name') ?? '',
    args: textIn(raw, 'command_args') ?? '',
    source: textIn(raw, 'command_source') ?? '',
  }),
  'tool.after': (raw, call, cwd) => toolResultIn(raw, cwd, call()),
  'tool.batch': (raw, _call, cwd) => ({
    calls: objectsIn(raw, 'tool_calls').map((entry) => toolCallIn(entry, cwd)),
  }),
};

/**
 * The host's name for the event; empty if unknown. Scripts written for a hook of one event leave it out; then it is
 * derived from the other members, unless they are ambiguous.
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
  // After a failed call there is an error, but not every document with an error is about a failed call.
  return raw['error'] === undefined ? 'PreToolUse' : '';
}

/** Tags that the client puts around text that nobody typed. Any other tag may be pasted markup. */
const MACHINE =
  /^\s*<(?:task-notification|teammate-message|agent-message|cross-session-message|channel|system-reminder|local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr)|user-prompt-submit-hook|hook_prompt)[\s>]/;

/** Who wrote a prompt. In doubt not a person, since an approval may depend on it. */
function promptOrigin(raw: JsonObject): PromptOrigin {
  const source = nameIn(raw, 'source');
  if (source) return source === 'user' ? 'human' : 'machine';
  const text = textIn(raw, 'prompt');
  if (text === undefined) return 'unknown';
  if (MACHINE.test(text)) return 'machine';
  return /^\s*Stop hook feedback:/.test(text) ? 'continuation' : 'human';
}

const TOOLS: Tools = {
  // Monitor runs a command in its own shell: if it were missing here, it would bypass every rule on Bash.
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

/** Tools that were renamed; the client still accepts the old names in its own rules. */
const RENAMED: readonly (readonly string[])[] = [
  ['Agent', 'Task'],
  ['TaskStop', 'KillShell', 'KillBash'],
  ['ListAgents', 'ListPeers'],
  ['SendUserMessage', 'Brief'],
];

/** The name as given, then its aliases. A skill that runs programs also counts as a shell. */
function namesOf(name: string, input: JsonObject): string[] {
  if (runsPrograms(name, input)) return [name, 'Bash'];
  return [...new Set([name, ...(RENAMED.find((group) => group.includes(name)) ?? [])])];
}

/** For such a skill, `withSkillCommands` in core/hook.ts adds the `command`. */
function runsPrograms(name: string, input: JsonObject): boolean {
  return name === 'Skill' && input['command'] !== undefined;
}

function operationOf(name: string): Operation {
  const op = operationIn(TOOLS, name);
  return op === 'other' && name.startsWith('Task') ? 'task' : op;
}

/** The tool call in a document with `tool_name`, `tool_input` and perhaps `tool_use_id`. */
function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool_name') ?? '';
  const input = objectIn(raw, 'tool_input');
  const op = runsPrograms(nativeName, input) ? 'shell' : operationOf(nativeName);
  const searched = op === 'search' ? [input['path']] : [];
  return toolCallFrom({
    nativeName,
    names: namesOf(nativeName, input),
    op,
    input,
    isExact: true,
    callId: nameIn(raw, 'tool_use_id'),
    command: textIn(input, 'command'),
    // Only the MCP server knows what its paths are relative to.
    paths:
      op === 'mcp'
        ? []
        : absolutePaths(cwd, [input['file_path'], input['filePath'], input['notebook_path'], ...searched]),
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
    response: withoutUndefined({ raw: response, text: textOf(response) }),
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
  // A background command has only been started: the response does not say how it ends.
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

/** The tool's output as text: plain text, a command's output, or text blocks. */
function textOf(response: Json): string | undefined {
  if (typeof response === 'string') return response;
  const facts = isJsonObject(response) ? response : { content: response };
  const blocks = objectsIn(facts, 'content').map((block) => textIn(block, 'text'));
  return joinLines([textIn(facts, 'stdout'), nameIn(facts, 'stderr'), ...blocks]);
}
