import type { Operation } from '../../core/tool-call';
import { mcpOf } from '../mcp-name';

/** What a tool does. No table: to make one takes longer than to look through these names. */
export function operationOf(name: string): Operation {
  switch (name) {
    case 'Bash':
    case 'PowerShell':
    // Runs a command in a shell of its own: left out, it would be a way around every rule on Bash.
    case 'Monitor':
      return 'shell';
    case 'Write':
      return 'write';
    case 'Edit':
    case 'MultiEdit':
    case 'NotebookEdit':
      return 'edit';
    case 'Read':
      return 'read';
    case 'Glob':
    case 'Grep':
    case 'LSP':
      return 'search';
    case 'WebFetch':
    case 'WebSearch':
      return 'web';
    case 'Agent':
    case 'Task':
      return 'agent';
    case 'Skill':
      return 'skill';
    case 'EnterPlanMode':
    case 'ExitPlanMode':
      return 'plan';
    case 'TodoWrite':
    case 'KillShell':
    case 'KillBash':
      return 'task';
  }
  if (mcpOf(name)) return 'mcp';
  return name.startsWith('Task') ? 'task' : 'other';
}
