import type { Operation } from '../core/tool-call';

/** The names under which configs, written for one host, mention what a tool of another does. */
const FAMILIAR: Readonly<Partial<Record<Operation, readonly string[]>>> = {
  shell: ['Bash'],
  write: ['Write'],
  edit: ['Edit'],
  patch: ['Edit', 'Write', 'MultiEdit'],
  // To take a file away is to change it.
  delete: ['Edit', 'Write', 'MultiEdit'],
  read: ['Read'],
  agent: ['Agent', 'Task'],
  skill: ['Skill'],
};

/** Tools of the hosts that do one thing which their operation alone does not tell. */
const KNOWN: readonly (readonly [name: string, ...natives: string[]])[] = [
  ['Grep', 'grep', 'rg', 'grep_search'],
  ['Glob', 'glob'],
  ['WebFetch', 'webfetch', 'web_fetch'],
  ['WebSearch', 'websearch', 'web_search', 'google_web_search'],
  ['TodoWrite', 'todowrite', 'update_todo', 'write_todos', 'update_plan'],
  ['EnterPlanMode', 'enter_plan_mode', 'plan_enter'],
  ['ExitPlanMode', 'exit_plan_mode', 'plan_exit'],
  ['AskUserQuestion', 'ask_user', 'question', 'request_user_input'],
];

/** The host's own name for a tool first, then those that rules know it by. */
export function namesFor(nativeName: string, op: Operation): string[] {
  const known = KNOWN.filter(([, ...natives]) => natives.includes(nativeName)).map(([name]) => name);
  return [...new Set([nativeName, ...(FAMILIAR[op] ?? []), ...known])];
}
