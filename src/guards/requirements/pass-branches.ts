import type { Event } from '../../core/event';
import { branchLabel } from '../../core/git-head';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import type { Snapshot } from '../../core/snapshot';
import { objectIn } from './metrics';

const CALLS_KEPT = 20;
const MOST_NAMED = 5;
const LONGEST_ID = 64;

/** The counts with the branch on which a pass has let a call through: a command may end on another one. */
export function noteBranch(metrics: JsonObject, callId: string | undefined, branch: string): JsonObject {
  if (callId === undefined) return metrics;
  const kept = Object.entries(objectIn(metrics, 'call_branches')).slice(1 - CALLS_KEPT);
  return {
    ...metrics,
    call_branches: { ...Object.fromEntries(kept), [callId.slice(0, LONGEST_ID)]: branch },
  };
}

/**
 * The branches on which a call that went well uses up its pass: the one it was judged on, those that its
 * command goes to, and where the first is not known, the last one the session was seen on and that of now.
 */
export function passBranches(
  event: Extract<Event, { kind: 'tool.after' }>,
  metrics: Json | undefined,
  { git, commandLines }: Pick<Snapshot, 'git' | 'commandLines'>,
): string[] {
  const counts = isJsonObject(metrics) ? metrics : {};
  const judged = objectIn(counts, 'call_branches')[event.call.callId?.slice(0, LONGEST_ID) ?? ''];
  const last = typeof counts['branch'] === 'string' ? [counts['branch']] : [];
  const begun = typeof judged === 'string' ? [judged] : [...last, branchLabel(git)];
  return [...new Set([...begun, ...namedBranches(commandLines ?? [])])];
}

/** Where `git checkout` and `git switch` of the line may lead; a word that is no branch has no pass either. */
function namedBranches(lines: readonly (readonly string[])[]): string[] {
  return lines
    .filter(([program, verb]) => program === 'git' && (verb === 'checkout' || verb === 'switch'))
    .flatMap((words) => words.slice(2).filter((word) => word !== '' && !word.startsWith('-')))
    .slice(0, MOST_NAMED);
}
