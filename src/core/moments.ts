import type { ToolCall } from './event';

/** What a call can do, whichever tool does it. */
export const EFFECTS = ['edit', 'commit', 'push', 'merge', 'pr', 'delete', 'network', 'config'] as const;
export type Effect = (typeof EFFECTS)[number];

/** What a rule does where it applies: record it, tell, or hold. */
export const MODES = ['shadow', 'warn', 'hold'] as const;
export type Mode = (typeof MODES)[number];

/* Cheap looks that tell whether a call may have an effect at all, before what it does is looked into. */

const FILE_TOOLS = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'apply_patch'];
/** Every tool that runs a command line. */
export const SHELLS = ['Bash', 'PowerShell', 'Monitor'];

/** The tools whose calls may have an effect, by the names that rules have for them. */
export function toolsFor(effects: readonly Effect[]): string[] {
  const isOneOf = (...some: Effect[]): boolean => effects.some((one) => some.includes(one));
  return [
    ...(isOneOf('edit', 'delete', 'config') ? FILE_TOOLS : []),
    ...(isOneOf('network') ? ['WebFetch', 'WebSearch'] : []),
    ...(effects.length > 0 ? ['mcp__*'] : []),
  ];
}

/** Tools of hosts that change nothing themselves. */
const HARMLESS = `Read NotebookRead Grep Glob LS LSP WebFetch WebSearch ToolSearch BashOutput Agent Task* Todo* Kill* List*
  Skill SlashCommand AskUserQuestion *PlanMode SendUserMessage Brief view* read* grep* rg glob* list* file_search web*
  google_web_search fetch_webpage update_plan update_goal update_todo manage_todo_list todo* write_todos task skill question
  ask_user spawn_agent runSubagent stop_bash`;

/** Tools that nobody knows may change something. Shells are left out: what they do depends on the line. */
export function unknownTools(): { readonly tools: string[]; readonly except: string[] } {
  return { tools: ['*'], except: [...SHELLS, ...HARMLESS.split(/\s+/)] };
}

/** Whether a call may have an effect at all. */
export function mayAct({ op, mcp, names }: ToolCall): boolean {
  if (mcp !== undefined || names.some((name) => name.startsWith('mcp__'))) return true;
  return ['shell', 'write', 'edit', 'patch', 'delete', 'web', 'other'].includes(op);
}
