import type { ToolCall } from './event';

/** What a call can do, with whichever tool. */
export const EFFECTS = ['edit', 'commit', 'push', 'merge', 'pr', 'delete', 'network', 'config'] as const;
export type Effect = (typeof EFFECTS)[number];

/** What a rule does when it applies: record, warn or hold. */
export const MODES = ['shadow', 'warn', 'hold'] as const;
export type Mode = (typeof MODES)[number];

/** The mode in a config; a workflow has another word for `shadow`. */
export function modeIn(value: unknown): Mode {
  return value === 'observe' ? 'shadow' : (MODES.find((mode) => mode === value) ?? 'hold');
}

/* Cheap checks whether a call may have an effect at all, before we analyse it. */

const FILE_TOOLS = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'apply_patch'];
/** Every tool that runs a command line. */
export const SHELLS = ['Bash', 'PowerShell', 'Monitor'];

/** The tools whose calls may have these effects, by the names that rules use. Shells are not listed. */
export function toolsFor(effects: readonly Effect[]): string[] {
  const isOneOf = (...some: Effect[]): boolean => effects.some((one) => some.includes(one));
  return [
    ...(isOneOf('edit', 'delete', 'config') ? FILE_TOOLS : []),
    ...(isOneOf('network') ? ['WebFetch', 'WebSearch'] : []),
    ...(effects.length > 0 ? ['mcp__*'] : []),
  ];
}

/** Host tools that change nothing themselves. */
const HARMLESS = `Read NotebookRead Grep Glob LS LSP WebFetch WebSearch ToolSearch BashOutput Agent Task* Todo* Kill* List*
  Skill SlashCommand AskUserQuestion *PlanMode SendUserMessage Brief view* read* grep* rg glob* list* file_search web*
  google_web_search fetch_webpage update_plan update_goal update_todo manage_todo_list todo* write_todos task skill question
  ask_user spawn_agent runSubagent stop_bash`;

/** Unknown tools may change something. Shells are excluded: what they do depends on the command line. */
export function unknownTools(): { readonly tools: string[]; readonly except: string[] } {
  return { tools: ['*'], except: [...SHELLS, ...HARMLESS.split(/\s+/)] };
}

/** A shell call has paths only if it is a patch. */
export const WRITING_OPERATIONS: readonly string[] = ['write', 'edit', 'patch', 'delete', 'shell'];

/** Whether a call may have an effect at all. */
export function mayHaveEffect({ op, mcp, names }: ToolCall): boolean {
  if (mcp !== undefined || names.some((name) => name.startsWith('mcp__'))) return true;
  return [...WRITING_OPERATIONS, 'web', 'other'].includes(op);
}
