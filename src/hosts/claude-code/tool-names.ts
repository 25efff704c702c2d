import type { Operation } from '../../domain/tool-call';

/** Monitor runs a command in a shell of its own: left out, it would be a way around every rule on Bash. */
const TOOLS: readonly (readonly [Operation, ...string[]])[] = [
  ['shell', 'Bash', 'PowerShell', 'Monitor'],
  ['write', 'Write'],
  ['edit', 'Edit', 'MultiEdit', 'NotebookEdit'],
  ['read', 'Read'],
  ['search', 'Glob', 'Grep', 'LSP'],
  ['web', 'WebFetch', 'WebSearch'],
  ['agent', 'Agent', 'Task'],
  ['skill', 'Skill'],
  ['plan', 'EnterPlanMode', 'ExitPlanMode'],
  ['task', 'TodoWrite', 'KillShell', 'KillBash'],
];

const MCP = 'mcp__';

/** The parts of an MCP tool's name; a tool's own name may hold the separator too. */
export function mcpOf(name: string): { server: string; tool: string } | undefined {
  if (!name.startsWith(MCP)) return undefined;
  const end = name.indexOf('__', MCP.length + 1);
  const tool = end < 0 ? '' : name.slice(end + 2);
  return tool ? { server: name.slice(MCP.length, end), tool } : undefined;
}

export function operationOf(name: string): Operation {
  const known = TOOLS.find(([, ...tools]) => tools.includes(name));
  if (known) return known[0];
  if (mcpOf(name)) return 'mcp';
  return name.startsWith('Task') ? 'task' : 'other';
}
