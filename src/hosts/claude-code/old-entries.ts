import { WORKFLOW_RULES } from '../../core/guard-name';
import type { Json } from '../../core/json';
import { linesIn } from '../own-lines';
import type { Rival } from '../setup';

interface Program {
  readonly name: string;
  readonly lines: readonly RegExp[];
}

/** A path to a file of the given names, in whatever quotes. */
const file = (folder: string, names: readonly string[], ending: string): RegExp =>
  new RegExp(`${folder}["']?/(?:${names.join('|')})${ending}(?=["']?(?:\\s|$|[;&|]))`);

const REQUIREMENT_HOOKS = [
  'check-requirements',
  'auto-satisfy-skills',
  'clear-single-use',
  'handle-(?:session-start|session-end|stop|plan-exit|plan-enter|prompt-submit|permission-request)',
  'handle-(?:tool-failure|subagent-start|pre-compact|teammate-idle|task-completed)',
];

/** The programs whose work we do, by what their lines in settings look like. */
const PROGRAMS: readonly Program[] = [
  { name: 'agent-gauntlet', lines: [/\bagent-gauntlet(?:\.cjs|\.js)?["']?\s+stop-hook\b/] },
  { name: 'claude-requirements-framework', lines: [file('hooks', REQUIREMENT_HOOKS, '\\.py')] },
  {
    name: 'idle',
    lines: [/\b(?:idle|trivial)["']?\/\S*hooks\/stop-hook\.sh\b/, /(?:^|[/\s])idle["']?\s+stop(?:\s|$)/],
  },
  // Its hooks have the names that our rules have.
  {
    name: 'iSDLC',
    lines: [file('\\.claude/hooks', [...WORKFLOW_RULES, 'dispatchers/[a-z-]+'], '\\.cjs')],
  },
];

/** The older program that an entry of Claude Code's settings calls, if its work is ours now. */
export function olderProgram(value: Json): Rival | undefined {
  for (const command of linesIn(value)) {
    const program = PROGRAMS.find(({ lines }) => lines.some((line) => line.test(command)));
    if (program !== undefined) return { kind: 'older', program: program.name, command };
  }
  return undefined;
}
