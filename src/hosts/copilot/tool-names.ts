import type { Operation } from '../../domain/tool-call';
import { namesFor } from '../familiar-names';
import { mcpOf } from '../mcp-name';

/** Each tool's operation, its own name and those that rules know it by. */
const TOOLS: readonly (readonly [Operation, native: string, ...known: string[]])[] = [
  ['shell', 'bash', 'Bash'],
  ['shell', 'powershell', 'PowerShell'],
  // What is typed into a shell that runs already is a command like any other.
  ['shell', 'write_bash', 'Bash'],
  ['shell', 'write_powershell', 'PowerShell'],
  ['read', 'view', 'Read'],
  ['write', 'create', 'Write'],
  ['edit', 'edit', 'Edit'],
  ['edit', 'str_replace', 'Edit'],
  ['patch', 'apply_patch', 'Edit', 'Write'],
  ['search', 'grep', 'Grep'],
  ['search', 'rg', 'Grep'],
  ['search', 'glob', 'Glob'],
  ['web', 'web_fetch', 'WebFetch'],
  ['web', 'web_search', 'WebSearch'],
  ['agent', 'task', 'Agent', 'Task'],
  ['skill', 'skill', 'Skill'],
  ['plan', 'exit_plan_mode', 'ExitPlanMode'],
  ['task', 'update_todo', 'TodoWrite'],
  ['task', 'stop_bash', 'KillShell'],
  ['other', 'ask_user', 'AskUserQuestion'],
];

/** The first tool of that name, be it the native one or the one that documents in Pascal case have. */
function toolCalled(name: string): (typeof TOOLS)[number] | undefined {
  return TOOLS.find(([, native]) => native === name) ?? TOOLS.find(([, ...names]) => names.includes(name));
}

export function operationOf(name: string): Operation {
  return toolCalled(name)?.[0] ?? (mcpOf(name) ? 'mcp' : 'other');
}

/** The name as given, then every other one that a rule may have for the tool. */
export function namesOf(name: string): string[] {
  const [op = 'other', ...names] = toolCalled(name) ?? [operationOf(name)];
  return [...new Set([...namesFor(name, op), ...names])];
}
