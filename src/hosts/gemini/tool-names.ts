import type { JsonObject } from '../../core/json';
import type { Operation, ToolCall } from '../../core/tool-call';
import { namesFor } from '../familiar-names';
import { nameIn, objectIn, textIn } from '../loose-fields';
import { mcpNamesOf } from '../mcp-name';

const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['run_shell_command', 'shell'],
  ['write_file', 'write'],
  ['replace', 'edit'],
  ['read_file', 'read'],
  ['read_many_files', 'read'],
  ['glob', 'search'],
  ['grep_search', 'search'],
  ['list_directory', 'search'],
  ['web_fetch', 'web'],
  ['google_web_search', 'web'],
  ['invoke_agent', 'agent'],
  ['activate_skill', 'skill'],
  ['enter_plan_mode', 'plan'],
  ['exit_plan_mode', 'plan'],
  ['write_todos', 'task'],
]);

const MCP = 'mcp_';

export function operationOf(name: string): Operation {
  return OPERATIONS.get(name) ?? (name.startsWith(MCP) ? 'mcp' : 'other');
}

/** A tool's own name joins server and tool by a letter that both may hold; only the context tells them apart. */
export function mcpIn(raw: JsonObject): ToolCall['mcp'] {
  const context = objectIn(raw, 'mcp_context');
  const server = nameIn(context, 'server_name');
  const tool = nameIn(context, 'tool_name');
  return server && tool ? { server, tool } : undefined;
}

/** Every name under which a rule may mention the tool of a document; none where it is about none. */
export function callNames(raw: JsonObject): string[] {
  const name = textIn(raw, 'tool_name') ?? '';
  if (name === '') return [];
  return [...new Set([...namesFor(name, operationOf(name)), ...mcpNames(name, mcpIn(raw))])];
}

function mcpNames(name: string, mcp: ToolCall['mcp']): string[] {
  if (mcp) return [`mcp__${mcp.server}__${mcp.tool}`];
  return name.startsWith(MCP) ? mcpNamesOf(name.slice(MCP.length), '_') : [];
}
