import type { Facts } from './facts';
import { activeWorkflow } from './state';

/** Where the workflow stands, for the one line that says what is on. */
export function armedText({ state, unreadable, workflow, phase, phases }: Facts): string {
  if (unreadable !== undefined) return 'a workflow whose state cannot be read';
  const type = activeWorkflow(state)?.type;
  if (type === undefined) return 'no workflow under way';
  if (workflow === undefined) return `workflow ${type} (suspended)`;
  const place = phase === undefined ? -1 : phases.indexOf(phase);
  return place < 0 ? `workflow ${type}` : `workflow ${type} at phase ${place + 1} of ${phases.length}`;
}
