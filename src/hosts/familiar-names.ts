import type { Operation } from '../domain/tool-call';

/** The names under which configs, written for one host, mention what a tool of another does. */
const FAMILIAR: Readonly<Partial<Record<Operation, readonly string[]>>> = {
  shell: ['Bash'],
  write: ['Write'],
  edit: ['Edit'],
  patch: ['Edit', 'Write', 'MultiEdit'],
  read: ['Read'],
  agent: ['Agent', 'Task'],
  skill: ['Skill'],
};

/** The host's own name for a tool first, then those that rules know its operation by. */
export function namesFor(nativeName: string, op: Operation): string[] {
  return [...new Set([nativeName, ...(FAMILIAR[op] ?? [])])];
}
