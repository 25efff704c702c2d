import { isAbsolute, relative } from 'node:path';
import { globMatches } from '../../core/glob';
import type { Snapshot } from '../../core/snapshot';
import type { ToolCall } from '../../core/tool-call';
import { matchesCommand } from './command-trigger';
import type { Requirement, Trigger } from './config';
import { arePathsMeant } from './path-globs';

/** The requirements that this call sets off. */
export function triggeredBy(
  call: ToolCall,
  requirements: readonly Requirement[],
  { commandLines, projectRoot }: Pick<Snapshot, 'commandLines' | 'projectRoot'>,
): Requirement[] {
  return requirements.filter(
    ({ triggers, paths, excludePaths }) =>
      triggers.some((trigger) => namesTool(trigger, call) && fitsCommand(trigger, call, commandLines)) &&
      arePathsMeant(call.paths, projectRoot, paths, excludePaths),
  );
}

/** Whether the call could set anything off, as far as its tool alone tells. */
export function mayTrigger(call: ToolCall, requirements: readonly Requirement[]): boolean {
  return requirements.some(({ triggers }) => triggers.some((trigger) => namesTool(trigger, call)));
}

/** Whether the call's command has to be taken apart to tell. */
export function asksForCommand(call: ToolCall, requirements: readonly Requirement[]): boolean {
  return requirements.some(({ triggers }) =>
    triggers.some((trigger) => trigger.kind === 'command' && namesTool(trigger, call)),
  );
}

function namesTool(trigger: Trigger, call: ToolCall): boolean {
  return call.names.some((name) => globMatches(trigger.tool, name));
}

function fitsCommand(trigger: Trigger, call: ToolCall, lines: Snapshot['commandLines']): boolean {
  if (trigger.kind === 'tool') return true;
  return call.command !== undefined && matchesCommand(trigger.pattern, call.command, lines);
}

/** Calls that nothing ever holds, and that therefore use up no pass either. */
export function isExempt(call: ToolCall, root: string, home: string): boolean {
  return call.command === undefined ? isPlanFile(call.paths, root, home) : isOwnCommand(call.command);
}

const PLAN_DIRS = ['.claude/plans', 'docs/plans'];

/** Writing a plan is how one gets a requirement satisfied, so it is never held. */
function isPlanFile(paths: readonly string[], root: string, home: string): boolean {
  if (paths.length === 0 || !paths.every((path) => path.endsWith('.md'))) return false;
  const dirs = [...PLAN_DIRS.map((dir) => `${root}/${dir}`), `${home}/.claude/plans`];
  return paths.every((path) => dirs.some((dir) => isInside(dir, path)));
}

function isInside(dir: string, path: string): boolean {
  const way = relative(dir, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

/**
 * A call of our own command and nothing else, which is how a hold is cleared. Any character that
 * a shell could make more of disqualifies it.
 */
function isOwnCommand(command: string): boolean {
  return /^\s*(req|holdpoint)([ \t][^;&|<>`$()\\\n\r]*)?$/.test(command);
}
