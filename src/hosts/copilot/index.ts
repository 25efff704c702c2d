import type { Event, EventHeader, Operation, ToolCall, ToolOutcome } from '../../core/event';
import {
  flagIn,
  isJsonObject,
  type Json,
  type JsonObject,
  listIn,
  nameIn,
  objectIn,
  objectsIn,
  textIn,
  withoutUndefined,
} from '../../core/json';
import type { Answer, Decision } from '../../core/verdict';
import { ADVICE, type Capabilities, hostFrom } from '../host';
import { startsUs } from '../own-lines';
import {
  absolutePaths,
  asFeedback,
  type Body,
  type BodyReaders,
  COMMON_KINDS,
  commandLine,
  type DeliverableParts,
  derivedCallId,
  inputFrom,
  jsonAnswer,
  kindIn,
  lowerCased,
  mcpNamesOf,
  mcpOf,
  namesFor,
  outcomeOfCode,
  patchIn,
  patchPaths,
  promptFrom,
  specificOutput,
  startSource,
  stopFrom,
  type Tools,
  toolCallFrom,
  truncate,
  typedLines,
} from '../protocol';
import { hooksFile } from './setup';
import { transcriptFacts } from './transcript';

/** As accepted by version 1.0.102. No answer has a field for a note to the person. */
const capabilities: Capabilities = {
  'tool.before': ['ask', 'deny', 'advise-agent', 'change-input'],
  'tool.after': ['advise-agent'],
  'permission.request': ['deny'],
  'prompt.submit': ['deny', 'advise-agent'],
  'session.start': ['advise-agent'],
  'turn.stop': ['hold'],
};

/**
 * The local agent of VS Code, according to its documentation. It runs the same files as Copilot CLI, and Claude Code's
 * settings, with its own documents and answers.
 */
const vsCodeCapabilities: Capabilities = {
  'tool.before': ['ask', 'deny', 'change-input', ...ADVICE],
  'tool.after': ADVICE,
  'prompt.submit': ['advise-person'],
  'session.start': ADVICE,
  'turn.stop': ['hold', 'advise-person'],
};

/** Names in lower case: documents spell an event the way the settings do. */
const KINDS = lowerCased({
  ...COMMON_KINDS,
  userPromptSubmitted: 'prompt.submit',
  PostToolUseFailure: 'tool.after',
  PermissionRequest: 'permission.request',
  agentStop: 'turn.stop',
  notification: 'notification',
  errorOccurred: 'turn.error',
});

const BODIES: BodyReaders = {
  'session.start': (raw) => {
    const source = raw['source'] === 'new' ? 'startup' : startSource(raw['source']);
    return { source: source ?? 'unknown' };
  },
  'prompt.submit': (raw) => promptFrom(textIn(raw, 'prompt'), subagentIn(raw) !== undefined),
  'tool.after': (raw, call) => toolResultIn(raw, call()),
  'permission.request': (raw, call) => ({
    call: call(),
    suggestions: listIn(raw, 'permissionSuggestions'),
  }),
  'turn.stop': (raw) => ({
    ...stopFrom(raw['stop_hook_active'] === true, undefined),
    // Copilot CLI sends the same time to all hooks for one stop; for VS Code that is not known.
    stamp: raw['timestamp'] === undefined || isOfVsCode(raw) ? undefined : String(raw['timestamp']),
  }),
  'turn.error': (raw) => ({
    error: textIn(raw, 'error') ?? textIn(objectIn(raw, 'error'), 'message') ?? '',
  }),
  'subagent.start': (raw) => ({ subagent: subagentIn(raw) ?? { id: '' } }),
  'subagent.stop': (raw) => ({
    subagent: subagentIn(raw) ?? { id: '' },
    continuing: raw['stop_hook_active'] === true,
    lastMessage: nameIn(raw, 'response', 'last_assistant_message'),
  }),
};

/** GitHub's Copilot CLI. It also runs Claude Code's settings. */
export const host = hostFrom({
  name: 'copilot',
  capabilities,
  capabilitiesAt: ({ raw }) => (isOfVsCode(raw) ? vsCodeCapabilities : capabilities),
  stopCap: 8,
  kinds: KINDS,
  header: headerIn,
  envelope: (raw) => ({
    transcriptPath: nameIn(raw, 'transcriptPath', 'transcript_path'),
    agent: subagentIn(raw),
  }),
  bodies: BODIES,
  call: toolCallIn,
  render,
  transcriptFacts,
  hasOwnEntry: (kind, project, env) => {
    const target = { project, home: env['HOME'] ?? '', env };
    const isMeant = (event: string): boolean => kindIn(KINDS, event.toLowerCase()) === kind;
    const files = (['project', 'user'] as const).map((scope) => hooksFile(scope, target));
    return files.some((file) => startsUs(file, 'copilot', isMeant));
  },
});

/**
 * Copilot CLI reads all members at the top level, with its own settings and with Claude Code's. The exit code is always
 * 0, since any other denies the call. VS Code reads the same members in `hookSpecificOutput`, even for a held stop.
 */
function render(event: Event, decision: Decision, parts: DeliverableParts): Answer {
  const { advice, note, input, losses } = parts;
  const refusal = refusalOf(event, decision, parts);
  if (!isOfVsCode(event.raw)) {
    return jsonAnswer({ ...refusal, modifiedArgs: input, additionalContext: advice }, losses);
  }
  const members = { ...refusal, additionalContext: advice, updatedInput: input };
  return jsonAnswer({ hookSpecificOutput: specificOutput(event, members), systemMessage: note }, losses);
}

function refusalOf(
  event: Event,
  decision: Decision,
  { can, denial, question }: DeliverableParts,
): JsonObject {
  if (denial !== undefined) return { permissionDecision: 'deny', permissionDecisionReason: denial };
  if (!('reason' in decision) || !can(decision.kind)) return {};
  const reason = truncate(question ?? decision.reason);
  switch (event.kind) {
    case 'tool.before':
      return { permissionDecision: decision.kind, permissionDecisionReason: reason };
    case 'permission.request':
      return { behavior: 'deny', message: reason };
    case 'turn.stop':
      return { decision: 'block', reason: asFeedback(decision.reason) };
  }
  return { decision: 'block', reason };
}

function headerIn(raw: JsonObject): Partial<EventHeader> {
  const hostEvent = eventNameIn(raw);
  const isSubagent = subagentIn(raw) !== undefined;
  const kind = kindIn(KINDS, hostEvent.toLowerCase());
  const tool = nameIn(raw, 'toolName', 'tool_name');
  const parent = isSubagent ? ['parentAgentId', 'parent_agent_id'] : [];
  return {
    hostEvent,
    // A subagent ends with two events; the one named like the end of a turn is ignored.
    kind: kind === 'turn.stop' && isSubagent ? 'other' : kind,
    // Inside a subagent, the session id is the subagent's own id.
    sessionId: nameIn(raw, ...parent, 'sessionId', 'session_id') ?? '',
    toolNames: tool === undefined ? [] : namesOf(tool),
  };
}

/** Only VS Code sends the event's name under a key in camel case. */
function isOfVsCode(raw: JsonObject): boolean {
  return typeof raw['hookEventName'] === 'string' && raw['hook_event_name'] === undefined;
}

function subagentIn(raw: JsonObject): Event['agent'] {
  const id = nameIn(raw, 'agentId', 'agent_id');
  return id === undefined
    ? undefined
    : withoutUndefined({ id, type: nameIn(raw, 'agentType', 'agent_type') });
}

/** The host's name for the event; empty if unknown. Documents in camel case lack it, so their members decide. */
export function eventNameIn(raw: JsonObject): string {
  const name = raw['hook_event_name'] ?? raw['hookName'] ?? raw['hookEventName'];
  if (name !== undefined) return typeof name === 'string' ? name : '';
  if (typeof raw['toolName'] === 'string') return toolEventIn(raw);
  if (typeof raw['agentName'] === 'string') return 'stopReason' in raw ? 'subagentStop' : 'subagentStart';
  if (typeof raw['prompt'] === 'string') return 'userPromptSubmitted';
  if ('stopReason' in raw || 'stop_hook_active' in raw) return 'agentStop';
  if (typeof raw['source'] === 'string') return 'sessionStart';
  if (typeof raw['trigger'] === 'string') return 'preCompact';
  if (isJsonObject(raw['error'])) return 'errorOccurred';
  return typeof raw['reason'] === 'string' ? 'sessionEnd' : '';
}

function toolEventIn(raw: JsonObject): string {
  if (raw['toolResult'] !== undefined) return 'postToolUse';
  return raw['error'] === undefined ? 'preToolUse' : 'postToolUseFailure';
}

/** Tools of the client and of VS Code, each followed by the names that documents in Pascal case use for it. */
const TOOLS: Tools = {
  // Text typed into a running shell is a command too.
  shell: [
    'bash Bash',
    'powershell PowerShell',
    'write_bash',
    'write_powershell PowerShell',
    'run_in_terminal',
    'runTerminalCommand',
  ],
  read: ['view Read', 'read_file'],
  write: ['create Write', 'create_file'],
  edit: [
    'edit Edit',
    'str_replace',
    'str_replace_editor',
    'replace_string_in_file',
    'multi_replace_string_in_file MultiEdit',
    'insert_edit_into_file',
    'edit_notebook_file NotebookEdit',
  ],
  patch: ['apply_patch'],
  search: ['grep Grep', 'rg', 'glob Glob', 'grep_search', 'file_search Glob'],
  web: ['web_fetch WebFetch', 'web_search WebSearch', 'fetch_webpage WebFetch'],
  agent: ['task Agent Task', 'runSubagent'],
  skill: ['skill Skill'],
  plan: ['exit_plan_mode ExitPlanMode'],
  task: ['update_todo TodoWrite', 'stop_bash KillShell', 'manage_todo_list TodoWrite'],
  other: ['ask_user AskUserQuestion'],
};
const TOOL_LIST = Object.entries(TOOLS).flatMap(([op, tools]) =>
  tools.map((names) => ({ op: op as Operation, names: names.split(' ') })),
);

/** VS Code's prefix for MCP tools. */
const MCP = 'mcp_';

/** The tool with this name of its own, else one with this name in Pascal case. */
function toolCalled(name: string): (typeof TOOL_LIST)[number] | undefined {
  const isCalled = TOOL_LIST.filter(({ names }) => names.includes(name));
  return isCalled.find(({ names }) => names[0] === name) ?? isCalled[0];
}

function operationOf(name: string): Operation {
  return toolCalled(name)?.op ?? (mcpOf(name) ? 'mcp' : 'other');
}

/** The name as given, then all others that a rule may use for the tool. */
function namesOf(name: string): string[] {
  const others = toolCalled(name)?.names ?? mcpNames(name);
  return [...new Set([...namesFor(name, operationOf(name)), ...others])];
}

/** A tool that is not the client's own belongs to an MCP server, whose name is the prefix. */
function mcpNames(name: string): string[] {
  if (mcpOf(name) !== undefined) return [];
  return name.startsWith(MCP) ? mcpNamesOf(name.slice(MCP.length), '_') : mcpNamesOf(name, '-');
}

function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = nameIn(raw, 'toolName', 'tool_name') ?? '';
  const args = inputFrom(raw['toolArgs'] ?? raw['toolInput'] ?? raw['tool_input']);
  const op = operationOf(nativeName);
  const patch = op === 'patch' ? patchIn(args) : undefined;
  const hasPaths = op !== 'mcp' && op !== 'shell' && op !== 'other';
  return toolCallFrom({
    nativeName,
    names: namesOf(nativeName),
    op,
    input: args,
    callId: nameIn(raw, 'tool_use_id') ?? derivedCallId(nativeName, args, raw['timestamp']),
    command: commandLine(args['command'], cwd) ?? typedLines(textIn(args, 'input')),
    paths: hasPaths ? absolutePaths(cwd, [...pathsIn(args), ...patchPaths(patch ?? '')]) : [],
    patch,
    mcp: mcpOf(nativeName),
    background: op === 'agent' && args['mode'] === 'background' ? true : flagIn(args, 'detach'),
  });
}

function pathsIn(args: JsonObject): (Json | undefined)[] {
  return [args, ...objectsIn(args, 'replacements')].flatMap((part) => [
    part['path'],
    part['file_path'],
    part['filePath'],
  ]);
}

/** The line that the client adds below a command's output; the command cannot write after it. */
const EXIT_CODE = /<(?:shellId: \S+ )?(?:completed|exited) with exit code (-?\d+)>\s*$/;

/** The body of the events that follow a tool call. */
function toolResultIn(raw: JsonObject, call: ToolCall): Body<'tool.after'> {
  const result = raw['toolResult'] ?? raw['tool_result'] ?? raw['tool_response'] ?? null;
  const facts = isJsonObject(result) ? result : {};
  const text = nameIn(facts, 'textResultForLlm', 'text_result_for_llm') ?? textIn(raw, 'tool_response');
  const type = nameIn(facts, 'resultType', 'result_type');
  const failed = result === null && raw['error'] !== undefined;
  return {
    call,
    outcome: failed ? 'failure' : outcomeOf(type, call.op === 'shell', text ?? ''),
    response: withoutUndefined({ raw: result, text }),
    error: failed ? (textIn(raw, 'error') ?? '') : undefined,
  };
}

/** The client reports every command that ran as a success, however it ended. */
function outcomeOf(type: string | undefined, isCommand: boolean, text: string): ToolOutcome {
  if (type === undefined) return 'unknown';
  if (type !== 'success') return 'failure';
  if (!isCommand) return 'success';
  const [, code] = EXIT_CODE.exec(text) ?? [];
  return outcomeOfCode(code === undefined ? undefined : Number(code));
}
