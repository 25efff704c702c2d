import { nearest } from '../../config/nearest';
import { fail, type Result, succeed } from '../../core/failure';
import type { Json } from '../../core/json';
import { samePhase, type WorkflowModel } from '../../guards/workflow/model';
import { constitutionEvidence, testEvidence } from '../../guards/workflow/state';
import type { Actor } from '../req/actor';
import type { Active } from './active';
import * as say from './messages';

/** A phase that is to be gone back to. */
export interface Target {
  readonly phase: string;
  readonly index: number;
}

/** The phase that a word means, as long as it has been reached; without a word the current one. */
export function targetIn(
  model: WorkflowModel,
  active: Active,
  word: string | undefined,
  actor: Actor,
): Result<Target, string> {
  const { phases, phase } = active;
  const asked = word ?? phase;
  const index = indexOf(model, phases, asked);
  const found = phases[index];
  if (found === undefined) return fail(say.noSuchPhase(asked, nearest(asked, phases), phases));
  return index > reached(model, active, actor)
    ? fail(say.notReached(found, phase))
    : succeed({ phase: found, index });
}

/**
 * Where the state contradicts itself the earlier of both places counts, so that nobody gets ahead by going
 * back; a person may choose.
 */
function reached(model: WorkflowModel, { phases, phase, workflow }: Active, actor: Actor): number {
  const places = [indexOf(model, phases, phase), workflow.index].filter(
    (place): place is number => place !== undefined && place >= 0,
  );
  return actor === 'agent' ? Math.min(...places) : Math.max(...places);
}

function indexOf(model: WorkflowModel, phases: readonly string[], word: string): number {
  const exact = phases.indexOf(word);
  if (exact >= 0) return exact;
  return phases.findIndex((phase) => samePhase(model, phase, word) || phase.split('-')[0] === word);
}

/** Whether a phase waits for a person's word, so that an agent cannot begin anew by itself. */
export function isEscalated(state: Json, phase: string): boolean {
  return [testEvidence(state, phase), constitutionEvidence(state, phase)].some(
    (seen) => seen?.status === 'escalated' && !seen.approved,
  );
}
