import type { Operation } from '../../core/tool-call';
import { mcpNamesOf, mcpOf, namesFor } from '../tool-call';

/** Each tool's operation, its own name and those that documents in Pascal case have for it. */
const TOOLS: readonly (readonly [Operation, native: string, ...pascal: string[]])[] = [
  ['shell', 'bash', 'Bash'],
  ['shell', 'powershell', 'PowerShell'],
  // What is typed into a running shell is a command like any other.
  ['shell', 'write_bash'],
  ['shell', 'write_powershell', 'PowerShell'],
  ['read', 'view', 'Read'],
  ['write', 'create', 'Write'],
  ['edit', 'edit', 'Edit'],
  ['edit', 'str_replace'],
  ['patch', 'apply_patch'],
  ['search', 'grep', 'Grep'],
  ['search', 'rg'],
  ['search', 'glob', 'Glob'],
  ['web', 'web_fetch', 'WebFetch'],
  ['web', 'web_search', 'WebSearch'],
  ['agent', 'task', 'Agent', 'Task'],
  ['skill', 'skill', 'Skill'],
  ['plan', 'exit_plan_mode', 'ExitPlanMode'],
  ['task', 'update_todo', 'TodoWrite'],
  ['task', 'stop_bash', 'KillShell'],
  ['other', 'ask_user', 'AskUserQuestion'],
  // Those of VS Code.
  ['shell', 'run_in_terminal'],
  ['shell', 'runTerminalCommand'],
  ['write', 'create_file'],
  ['edit', 'replace_string_in_file'],
  ['edit', 'multi_replace_string_in_file', 'MultiEdit'],
  ['edit', 'insert_edit_into_file'],
  ['edit', 'edit_notebook_file', 'NotebookEdit'],
  ['read', 'read_file'],
  ['search', 'grep_search'],
  ['search', 'file_search', 'Glob'],
  ['web', 'fetch_webpage', 'WebFetch'],
  ['agent', 'runSubagent'],
  ['task', 'manage_todo_list', 'TodoWrite'],
];

/** How VS Code begins the names of MCP tools. */
const MCP = 'mcp_';

function toolCalled(name: string): (typeof TOOLS)[number] | undefined {
  return TOOLS.find(([, native]) => native === name) ?? TOOLS.find(([, ...names]) => names.includes(name));
}

export function operationOf(name: string): Operation {
  return toolCalled(name)?.[0] ?? (mcpOf(name) ? 'mcp' : 'other');
}

/** The name as given, then every other one that a rule may have for the tool. */
export function namesOf(name: string): string[] {
  const [, ...names] = toolCalled(name) ?? [undefined, ...mcpNames(name)];
  return [...new Set([...namesFor(name, operationOf(name)), ...names])];
}

/** A tool that is none of the client's own is one of an MCP server, with the server's name in front. */
function mcpNames(name: string): string[] {
  if (mcpOf(name) !== undefined) return [];
  return name.startsWith(MCP) ? mcpNamesOf(name.slice(MCP.length), '_') : mcpNamesOf(name, '-');
}
