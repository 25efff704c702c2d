import type { Event, EventHeader, Operation, Subagent, ToolCall, ToolOutcome } from '../../core/event';
import {
  flagIn,
  isJsonObject,
  type Json,
  type JsonObject,
  joinLines,
  jsonIn,
  listIn,
  nameIn,
  numberIn,
  textIn,
  withoutUndefined,
} from '../../core/json';
import type { Answer, Decision } from '../../core/verdict';
import { type Capabilities, hostFrom } from '../host';
import { startsUs } from '../own-lines';
import {
  absolutePaths,
  asFeedback,
  type Body,
  type BodyReaders,
  COMMON_KINDS,
  commandLine,
  type DeliverableParts,
  deliverableParts,
  inputFrom,
  joinRemarks,
  jsonAnswer,
  kindIn,
  lowerCased,
  mcpOf,
  namesFor,
  operationIn,
  outcomeOfCode,
  patchIn,
  patchPaths,
  promptFrom,
  startSource,
  stopFrom,
  type Tools,
  toolCallFrom,
} from '../protocol';
import { hooksFile, LOOP_LIMIT } from './setup';

/**
 * According to Cursor's documentation. Its questions to a person reportedly do not hold the call, so we ask none. A
 * note to the person is possible only with a refusal.
 */
const capabilities: Capabilities = {
  'tool.before': ['deny', 'change-input'],
  'tool.after': ['advise-agent'],
  'prompt.submit': ['deny'],
  'session.start': ['advise-agent'],
  'turn.stop': ['hold'],
};

/**
 * Names in lower case, which covers those of Claude Code, whose settings Cursor can run. Events that Cursor sends
 * beside `preToolUse` for the same call are left out: the call would be decided twice.
 */
const KINDS = lowerCased({
  ...COMMON_KINDS,
  beforeSubmitPrompt: 'prompt.submit',
  postToolUseFailure: 'tool.after',
  afterFileEdit: 'file.changed',
});

const BODIES: BodyReaders = {
  'session.start': (raw) => ({ source: startSource(raw['source']) ?? 'startup' }),
  'prompt.submit': (raw) => promptFrom(textIn(raw, 'prompt'), false),
  'tool.after': (raw, call) => toolResultIn(raw, call()),
  'turn.stop': (raw) => {
    const { status } = raw;
    const stop = stopFrom(isContinuing(raw), undefined);
    return status === 'aborted' || status === 'error' ? { ...stop, status } : stop;
  },
  'subagent.start': (raw) => ({ subagent: subagentIn(raw) }),
  'subagent.stop': (raw) => ({
    subagent: subagentIn(raw),
    continuing: isContinuing(raw),
    transcript: nameIn(raw, 'agent_transcript_path'),
    lastMessage: textIn(raw, 'summary'),
  }),
};

/** The Cursor editor, according to its documentation: we have not run it. It can also run Claude Code's settings. */
export const host = hostFrom({
  name: 'cursor',
  capabilities,
  capabilitiesAt,
  stopCap: LOOP_LIMIT,
  namelessShell: true,
  kinds: KINDS,
  header: headerIn,
  envelope: (raw, { kind }) => ({
    // A held turn continues as a new generation; `loop_count` shows which stops belong together.
    promptId: kind === 'turn.stop' ? undefined : nameIn(raw, 'generation_id'),
    roots: rootsIn(raw),
    transcriptPath: nameIn(raw, 'transcript_path'),
    model: nameIn(raw, 'model'),
  }),
  bodies: BODIES,
  call: toolCallIn,
  render,
  hasOwnEntry: (kind, project, { HOME: home }) => {
    const isMeant = (event: string): boolean => kindIn(KINDS, event.toLowerCase()) === kind;
    return [project, ...(home ? [home] : [])].some((dir) => startsUs(hooksFile(dir), 'cursor', isMeant));
  },
});

/** Cursor ignores the answer to a failed call. */
function capabilitiesAt(event: Event): Capabilities {
  const isUnread = event.kind === 'tool.after' && event.outcome === 'failure' && 'error_message' in event.raw;
  return isUnread ? {} : capabilities;
}

/** Renders the decision for Cursor. No output means permission: `allow` is never sent. */
function render(event: Event, decision: Decision, parts: DeliverableParts): Answer {
  // The message of a refusal includes the note to the person.
  const noted = deliverableParts(capabilitiesAt(event), event, { ...decision, toPerson: [] });
  const refusal = refusalOf(event, decision, noted);
  const { input, advice, losses } = 'user_message' in refusal ? noted : parts;
  return jsonAnswer({ ...refusal, updated_input: input, additional_context: advice }, losses);
}

function refusalOf(event: Event, decision: Decision, { can, denial }: DeliverableParts): JsonObject {
  if (denial !== undefined) {
    const shown = joinRemarks([denial, ...decision.toPerson]) ?? denial;
    return { permission: 'deny', user_message: shown, agent_message: denial };
  }
  if (!('reason' in decision) || !can(decision.kind)) return {};
  if (event.kind === 'turn.stop') return { followup_message: asFeedback(decision.reason) };
  return { continue: false, user_message: joinRemarks([decision.reason, ...decision.toPerson]) ?? 'Denied.' };
}

function headerIn(raw: JsonObject): Partial<EventHeader> {
  const hostEvent = textIn(raw, 'hook_event_name') ?? '';
  const tool = nameIn(raw, 'tool_name');
  return {
    kind: kindIn(KINDS, hostEvent.toLowerCase()),
    // One conversation is one session, whatever the editor calls its own sessions.
    sessionId: nameIn(raw, 'conversation_id', 'session_id') ?? '',
    // Only tool calls name a directory; everything else happens in the first root.
    cwd: nameIn(raw, 'cwd') ?? rootsIn(raw)[0] ?? '',
    toolNames: tool === undefined ? [] : namesOf(tool),
  };
}

function rootsIn(raw: JsonObject): string[] {
  return listIn(raw, 'workspace_roots').filter((root) => typeof root === 'string' && root !== '') as string[];
}

function isContinuing(raw: JsonObject): boolean {
  return (numberIn(raw, 'loop_count') ?? 0) > 0;
}

function subagentIn(raw: JsonObject): Subagent {
  const id = nameIn(raw, 'subagent_id', 'tool_call_id') ?? '';
  return withoutUndefined({ id, type: nameIn(raw, 'subagent_type') });
}

const TOOLS: Tools = {
  shell: ['Shell', 'Bash'],
  read: ['Read'],
  write: ['Write'],
  edit: ['Edit', 'StrReplace', 'EditNotebook'],
  patch: ['ApplyPatch'],
  delete: ['Delete'],
  search: ['Grep', 'Glob'],
  agent: ['Task', 'Agent'],
  web: ['WebFetch', 'WebSearch'],
};

function operationOf(name: string): Operation {
  return operationIn(TOOLS, name, name.startsWith('MCP:') || mcpOf(name) !== undefined);
}

/** All names that a rule may use for the tool. Cursor's tool for writing also edits. */
function namesOf(name: string): string[] {
  const op = operationOf(name);
  const names = namesFor(name, op === 'write' ? 'patch' : op);
  // The name does not contain the server.
  return name.startsWith('MCP:') ? [...names, `mcp__${name.slice('MCP:'.length)}`] : names;
}

function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool_name') ?? '';
  const input = inputFrom(raw['tool_input']);
  const op = operationOf(nativeName);
  const patch = op === 'patch' ? patchIn(input) : undefined;
  const named = [input['file_path'], input['path'], input['target_notebook'], ...patchPaths(patch ?? '')];
  // A write with the text that it replaces is an edit.
  const isEdit = op === 'write' && (input['old_string'] !== undefined || input['edits'] !== undefined);
  return toolCallFrom({
    nativeName,
    names: namesOf(nativeName),
    op: isEdit ? 'edit' : op,
    input,
    callId: nameIn(raw, 'tool_use_id'),
    command: commandLine(input['command'], cwd, input['working_directory']),
    paths: op === 'mcp' || op === 'shell' ? [] : absolutePaths(cwd, named),
    patch,
    mcp: mcpOf(nativeName),
    background: flagIn(input, 'run_in_background'),
  });
}

/** The body of the events that follow a tool call. */
function toolResultIn(raw: JsonObject, call: ToolCall): Body<'tool.after'> {
  const failed = textIn(raw, 'hook_event_name')?.toLowerCase() === 'posttoolusefailure';
  const given = raw['tool_output'] ?? null;
  const response = typeof given === 'string' ? (jsonIn(given) ?? given) : given;
  return {
    call,
    outcome: failed ? 'failure' : outcomeOf(call.op, response),
    response: withoutUndefined({ raw: response, text: textOf(response) }),
    durationMs: numberIn(raw, 'duration'),
    error: failed ? textIn(raw, 'error_message') : undefined,
    interrupted: flagIn(raw, 'is_interrupt'),
  };
}

/** Only an exit code tells how a command ended, and not every response has one. */
function outcomeOf(op: Operation, response: Json): ToolOutcome {
  const facts = isJsonObject(response) ? response : {};
  const code = numberIn(facts, 'exitCode') ?? numberIn(facts, 'exit_code');
  return code === undefined && op !== 'shell' ? 'success' : outcomeOfCode(code);
}

function textOf(response: Json): string | undefined {
  if (typeof response === 'string') return response;
  if (!isJsonObject(response)) return undefined;
  return joinLines([textIn(response, 'output'), textIn(response, 'stdout'), nameIn(response, 'stderr')]);
}
