import type { Event, ToolCall, ToolOutcome } from '../../core/event';
import {
  flagIn,
  isJsonObject,
  type JsonObject,
  nameIn,
  objectIn,
  textIn,
  withoutUndefined,
} from '../../core/json';
import type { Answer, Decision } from '../../core/verdict';
import { ADVICE, type Capabilities, hostFrom, type Power } from '../host';
import {
  absolutePaths,
  asFeedback,
  type Body,
  commandLine,
  type DeliverableParts,
  derivedCallId,
  joinRemarks,
  jsonAnswer,
  mcpNamesOf,
  namesFor,
  operationIn,
  promptFrom,
  specificOutput,
  stopFrom,
  type Tools,
  textOfContent,
  toolCallFrom,
  truncate,
} from '../protocol';

const NOTE: readonly Power[] = ['advise-person'];

/** Before a tool call, Gemini CLI delivers text to the person only, apart from the reason of a refusal. */
const capabilities: Capabilities = {
  'tool.before': ['deny', 'ask', 'change-input', ...NOTE],
  'tool.after': ADVICE,
  'prompt.submit': ['deny', ...ADVICE],
  'session.start': ADVICE,
  'turn.stop': ['hold', ...NOTE],
  'compact.before': NOTE,
  notification: NOTE,
};

/** Google's Gemini CLI. It never ends a held turn by itself, short of a hundred rounds. */
export const host = hostFrom({
  name: 'gemini',
  capabilities,
  namelessShell: true,
  kinds: {
    BeforeTool: 'tool.before',
    AfterTool: 'tool.after',
    BeforeAgent: 'prompt.submit',
    AfterAgent: 'turn.stop',
    SessionStart: 'session.start',
    SessionEnd: 'session.end',
    PreCompress: 'compact.before',
    Notification: 'notification',
    BeforeModel: 'model.request.before',
    BeforeToolSelection: 'model.request.before',
    AfterModel: 'model.request.after',
  },
  header: (raw) => ({ toolNames: toolNamesIn(raw) }),
  envelope: (raw) => ({ transcriptPath: nameIn(raw, 'transcript_path') }),
  bodies: {
    'prompt.submit': (raw) => promptFrom(typedText(textIn(raw, 'prompt')), false),
    'tool.after': (raw, call, cwd) => toolResultIn(raw, cwd, call()),
    'turn.stop': (raw) => {
      // The client concatenates what the agent has said since the prompt, across all held stops.
      const said = textIn(raw, 'prompt_response');
      return { ...stopFrom(raw['stop_hook_active'] === true, said), saidSincePrompt: said };
    },
  },
  call: toolCallIn,
  render,
});

/** Renders the decision for Gemini CLI. No output means permission: `allow` is never sent. */
function render(event: Event, decision: Decision, parts: DeliverableParts): Answer {
  const { denial, question, advice, note, input, losses } = parts;
  return jsonAnswer(
    {
      ...(denial === undefined ? refusalOf(event, decision, question) : { decision: 'deny', reason: denial }),
      hookSpecificOutput: specificOutput(event, { tool_input: input, additionalContext: advice }),
      // A question shows this instead of its reason.
      systemMessage: question === undefined ? note : joinRemarks([question, ...decision.toPerson]),
    },
    losses,
  );
}

function refusalOf({ kind }: Event, decision: Decision, question?: string): JsonObject | undefined {
  if (kind === 'turn.stop' && decision.kind === 'hold') {
    return { decision: 'deny', reason: asFeedback(decision.reason) };
  }
  if (question !== undefined) return { decision: 'ask', reason: truncate(question) };
  const refuses = kind === 'prompt.submit' && decision.kind === 'deny';
  return refuses ? { decision: 'deny', reason: truncate(decision.reason) } : undefined;
}

/** Output of hooks at the session's start, prepended to the first prompt; `<` and `>` in it are escaped. */
const CONTEXT = /^\s*(?:<hook_context>[^<]*<\/hook_context>\s*)+/;
/** Begins the content of files that the prompt mentions. */
const FILES = '--- Content from referenced files ---';

/** The text that was typed, without what hooks and files added. */
function typedText(prompt: string | undefined): string | undefined {
  const text = prompt?.replace(CONTEXT, '');
  return text?.includes(FILES) ? text.slice(0, text.indexOf(FILES)).trimEnd() : text;
}

const TOOLS: Tools = {
  shell: ['run_shell_command'],
  write: ['write_file'],
  edit: ['replace'],
  read: ['read_file', 'read_many_files'],
  search: ['glob', 'grep_search', 'list_directory'],
  web: ['web_fetch', 'google_web_search'],
  agent: ['invoke_agent'],
  skill: ['activate_skill'],
  plan: ['enter_plan_mode', 'exit_plan_mode'],
  task: ['write_todos'],
};
const MCP = 'mcp_';

/** A tool's name joins server and tool with a character that both may contain; only `mcp_context` separates them. */
function mcpIn(raw: JsonObject): ToolCall['mcp'] {
  const context = objectIn(raw, 'mcp_context');
  const server = nameIn(context, 'server_name');
  const tool = nameIn(context, 'tool_name');
  return server && tool ? { server, tool } : undefined;
}

/** All names that a rule may use for the document's tool. */
function toolNamesIn(raw: JsonObject): string[] {
  const name = textIn(raw, 'tool_name') ?? '';
  const mcp = mcpIn(raw);
  if (name === '') return [];
  const mcpNames = mcp
    ? [`mcp__${mcp.server}__${mcp.tool}`]
    : mcpNamesOf(name.startsWith(MCP) ? name.slice(MCP.length) : '', '_');
  return [...new Set([...namesFor(name, operationIn(TOOLS, name, name.startsWith(MCP))), ...mcpNames])];
}

/** The client gives calls no id, so we derive one. */
function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool_name') ?? '';
  const input = objectIn(raw, 'tool_input');
  const mcp = mcpIn(raw);
  const op = mcp ? 'mcp' : operationIn(TOOLS, nativeName, nativeName.startsWith(MCP));
  const paths = [input['file_path'], ...(op === 'search' ? [input['dir_path']] : [])];
  return toolCallFrom({
    nativeName,
    names: toolNamesIn(raw),
    op,
    input,
    callId: derivedCallId(nativeName, input, raw['timestamp']),
    command: commandLine(input['command'], cwd, input['dir_path'] ?? input['directory']),
    // Only the MCP server knows what its paths are relative to.
    paths: op === 'mcp' || op === 'shell' ? [] : absolutePaths(cwd, paths),
    mcp,
    background: flagIn(input, 'is_background'),
  });
}

/** How the client ends the output of a failed command; there is no field for it. */
const FAILED = /^(?:Exit Code: -?[1-9]|Signal: )/m;
const CANCELLED = /^(?:<untrusted_context>\s*)?Command was (?:automatically )?cancelled/;

/** The body of AfterTool, which is sent after failures too. */
function toolResultIn(raw: JsonObject, cwd: string, call: ToolCall): Body<'tool.after'> {
  const response = objectIn(raw, 'tool_response');
  const { llmContent: content } = response;
  const given = textOfContent(isJsonObject(content) ? [content] : content);
  // A command's output has a label before its first line, which may be the only one.
  const text = call.op === 'shell' ? given?.replace(/^Output: /m, '') : given;
  const changed = absolutePaths(cwd, [objectIn(response, 'returnDisplay')['filePath']]);
  return {
    call,
    outcome: outcomeOf(call, response, text ?? ''),
    response: withoutUndefined({ raw: raw['tool_response'] ?? null, text }),
    changedPaths: changed.length > 0 ? changed : undefined,
    error: textIn(objectIn(response, 'error'), 'message'),
  };
}

/** A command that shows no failure may still have failed: its text can be cut or summarised. */
function outcomeOf({ op }: ToolCall, { error }: JsonObject, text: string): ToolOutcome {
  if (error !== undefined && error !== null) return 'failure';
  if (op !== 'shell') return 'success';
  return FAILED.test(text) || CANCELLED.test(text) ? 'failure' : 'unknown';
}
