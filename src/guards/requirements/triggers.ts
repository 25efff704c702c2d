import { isAbsolute, relative } from 'node:path';
import { globMatches } from '../../domain/glob';
import type { ToolCall } from '../../domain/tool-call';
import type { Requirement, Trigger } from './config';

/** The requirements that this call sets off. */
export function triggeredBy(call: ToolCall, requirements: readonly Requirement[]): Requirement[] {
  return requirements.filter((requirement) => requirement.triggers.some((trigger) => fits(trigger, call)));
}

function fits(trigger: Trigger, call: ToolCall): boolean {
  if (!call.names.some((name) => globMatches(trigger.tool, name))) return false;
  if (trigger.kind === 'tool') return true;
  return call.command !== undefined && new RegExp(trigger.pattern, 'i').test(call.command);
}

/** Calls that nothing ever holds, and that therefore use up no pass either. */
export function isExempt(call: ToolCall, root: string, home: string): boolean {
  return isOwnCommand(call) || isPlanFile(call, root, home);
}

const PLAN_DIRS = ['.claude/plans', 'docs/plans'];

/** Writing a plan is how one gets a requirement satisfied, so it is never held. */
function isPlanFile(call: ToolCall, root: string, home: string): boolean {
  if (call.paths.length === 0 || call.command !== undefined) return false;
  const dirs = [...PLAN_DIRS.map((dir) => `${root}/${dir}`), `${home}/.claude/plans`];
  return call.paths.every((path) => path.endsWith('.md') && dirs.some((dir) => isInside(dir, path)));
}

function isInside(dir: string, path: string): boolean {
  const way = relative(dir, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

/**
 * A call of our own command and nothing else, which is how a hold is cleared. Any character that
 * a shell could make more of disqualifies it.
 */
function isOwnCommand(call: ToolCall): boolean {
  return call.command !== undefined && /^\s*(req|holdpoint)([ \t][^;&|<>`$()\\\n\r]*)?$/.test(call.command);
}
