import { nearest } from '../../config/nearest';
import { fail, type Result, succeed } from '../../core/failure';
import { type Discipline, own, type Workflow } from '../../guards/workflow/model';
import { noSuchPhase } from './messages';
import * as say from './start-messages';

/** How a start is to differ from the whole workflow. */
export interface Choice {
  /** The flags by which a workflow lets phases be left out. */
  readonly flags: readonly string[];
  /** Phases to be left out by name, where that is allowed. */
  readonly skip: readonly string[];
  /** The phase to begin with, where that is allowed. */
  readonly from?: string;
}

/** The phases of a workflow that are to be gone through. */
export function chosenPhases(
  workflow: Workflow,
  { flags, skip, from }: Choice,
  { noHalfwayEntry, noPhaseSkipping }: Discipline,
): Result<readonly string[], string> {
  const { phases, skips, name } = workflow;
  const idle = flags.find((flag) => !Object.values(skips).includes(flag));
  if (idle !== undefined) return fail(say.idleFlag(idle, name));
  if (skip.length > 0 && noPhaseSkipping) return fail(say.NO_SKIPPING);
  if (from !== undefined && noHalfwayEntry) return fail(say.NO_HALFWAY_ENTRY);
  const unknown = [...skip, ...(from === undefined ? [] : [from])].find((phase) => !phases.includes(phase));
  if (unknown !== undefined) return fail(noSuchPhase(unknown, nearest(unknown, phases), phases));
  const first = from === undefined ? 0 : phases.indexOf(from);
  const chosen = phases
    .slice(first)
    .filter((phase) => !skip.includes(phase) && !flags.includes(own(skips, phase) ?? ''));
  return chosen.length === 0 ? fail(say.NOTHING_LEFT) : succeed(chosen);
}
