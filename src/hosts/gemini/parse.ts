import type { Event, EventHeader, Operation, ToolCall, ToolOutcome } from '../../core/event';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { flagIn, lines, nameIn, objectIn, present, textIn } from '../fields';
import {
  type Body,
  type BodyReaders,
  claudeHeader,
  eventFrom,
  type Kinds,
  promptFrom,
  stopFrom,
} from '../parse-event';
import {
  absolutePaths,
  commandLine,
  derivedCallId,
  mcpNamesOf,
  namesFor,
  operationIn,
  type Tools,
  toolCallFrom,
} from '../tool-call';

const KINDS: Kinds = {
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
};

/** Reads what routing needs. */
export function readHeader(raw: JsonObject): EventHeader {
  return claudeHeader(raw, 'gemini', KINDS, textIn(raw, 'hook_event_name') ?? '', toolNamesIn(raw));
}

/** Reads the whole document. */
export function parse(raw: JsonObject, at: number, header = readHeader(raw)): Event {
  const envelope = () => ({ transcriptPath: nameIn(raw, 'transcript_path') });
  return eventFrom(raw, at, header, { call: toolCallIn, envelope, bodies: BODIES });
}

const BODIES: BodyReaders = {
  'prompt.submit': ({ raw }) => promptFrom(typedText(textIn(raw, 'prompt')), false),
  'tool.after': ({ raw, cwd, call }) => toolResultIn(raw, cwd, call()),
  'turn.stop': ({ raw }) => {
    // The client adds up what the agent has said since the prompt, over all refused stops.
    const said = textIn(raw, 'prompt_response');
    return { ...stopFrom(raw['stop_hook_active'] === true, said), saidSincePrompt: said };
  },
};

/** What hooks said at the start of the session, before the first prompt; `<` and `>` in it are escaped. */
const CONTEXT = /^\s*(?:<hook_context>[^<]*<\/hook_context>\s*)+/;
/** What follows is the content of files that the prompt mentions. */
const FILES = '--- Content from referenced files ---';

/** What was typed, without what hooks and files have added to it. */
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

function operationOf(name: string): Operation {
  return operationIn(TOOLS, name) ?? (name.startsWith(MCP) ? 'mcp' : 'other');
}

/** A tool's name joins server and tool by a character that both may contain; only the context tells them apart. */
function mcpIn(raw: JsonObject): ToolCall['mcp'] {
  const context = objectIn(raw, 'mcp_context');
  const server = nameIn(context, 'server_name');
  const tool = nameIn(context, 'tool_name');
  return server && tool ? { server, tool } : undefined;
}

/** Every name by which a rule may mention the document's tool. */
function toolNamesIn(raw: JsonObject): string[] {
  const name = textIn(raw, 'tool_name') ?? '';
  const mcp = mcpIn(raw);
  if (name === '') return [];
  const mcpNames = mcp
    ? [`mcp__${mcp.server}__${mcp.tool}`]
    : mcpNamesOf(name.startsWith(MCP) ? name.slice(MCP.length) : '', '_');
  return [...new Set([...namesFor(name, operationOf(name)), ...mcpNames])];
}

/** The client gives calls no id. */
function toolCallIn(raw: JsonObject, cwd: string): ToolCall {
  const nativeName = textIn(raw, 'tool_name') ?? '';
  const input = objectIn(raw, 'tool_input');
  const mcp = mcpIn(raw);
  const op = mcp ? 'mcp' : operationOf(nativeName);
  const paths = [input['file_path'], ...(op === 'search' ? [input['dir_path']] : [])];
  return toolCallFrom({
    nativeName,
    names: toolNamesIn(raw),
    op,
    input,
    callId: derivedCallId(nativeName, input, raw['timestamp']),
    command: commandLine(input['command'], cwd, input['dir_path'] ?? input['directory']),
    // Only an MCP server knows what its paths are relative to.
    paths: op === 'mcp' || op === 'shell' ? [] : absolutePaths(cwd, paths),
    agentType: nameIn(input, 'agent_name'),
    prompt: textIn(input, 'prompt'),
    skill: nameIn(input, 'name'),
    mcp,
    background: flagIn(input, 'is_background'),
  });
}

/** How the client ends the text of a command that failed; there is no field for it. */
const FAILED = /^(?:Exit Code: -?[1-9]|Signal: )/m;
const CANCELLED = /^(?:<untrusted_context>\s*)?Command was (?:automatically )?cancelled/;

/** The body of AfterTool, which comes after failures too. */
function toolResultIn(raw: JsonObject, cwd: string, call: ToolCall): Body<'tool.after'> {
  const response = objectIn(raw, 'tool_response');
  const text = textOf(response['llmContent']);
  const changed = absolutePaths(cwd, [objectIn(response, 'returnDisplay')['filePath']]);
  return {
    call,
    outcome: outcomeOf(call, response, text ?? ''),
    response: present({ raw: raw['tool_response'] ?? null, text }),
    changedPaths: changed.length > 0 ? changed : undefined,
    error: textIn(objectIn(response, 'error'), 'message'),
  };
}

/** A command that shows no failure may have failed nevertheless: its text can be cut or summarised. */
function outcomeOf({ op }: ToolCall, { error }: JsonObject, text: string): ToolOutcome {
  if (error !== undefined && error !== null) return 'failure';
  if (op !== 'shell') return 'success';
  return FAILED.test(text) || CANCELLED.test(text) ? 'failure' : 'unknown';
}

function textOf(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return content;
  const parts = (Array.isArray(content) ? content : [content]).filter(isJsonObject);
  return lines(parts.map((part) => textIn(part, 'text')));
}
