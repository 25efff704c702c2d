import type { Operation } from '../../domain/tool-call';
import { mcpOf } from '../mcp-name';

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

export function operationOf(name: string): Operation {
  const known = TOOLS.find(([, ...tools]) => tools.includes(name));
  if (known) return known[0];
  if (mcpOf(name)) return 'mcp';
  return name.startsWith('Task') ? 'task' : 'other';
}
