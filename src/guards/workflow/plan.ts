import type { FileFact, Snapshot } from '../../core/snapshot';
import type { WorkflowModel } from './model';
import { projectPath } from './place';
import type { ActiveWorkflow } from './state';

/** How the plan of a project stands. */
export interface PlanFact {
  readonly kind: 'present' | 'missing' | 'empty' | 'stale';
  /** Absolute: where it is, or where it is expected. */
  readonly path: string;
}

/** Enough to see whether anything is written in it. */
export const PLAN_BYTES = 4096;

/** Files are written a moment before the state that tells of them, and clocks of file systems are coarse. */
const LEEWAY_MS = 60_000;

/** Where the plan may lie, relative to the root; the place to name first. */
export function planFiles(model: WorkflowModel, project: string | undefined): readonly string[] {
  return model.planPaths.map((path) => projectPath(path, project));
}

/** The first of the places that has a plan decides. One that is older than the workflow belongs to another. */
export function planFact(
  model: WorkflowModel,
  project: string | undefined,
  workflow: ActiveWorkflow | undefined,
  { files, projectRoot, now }: Pick<Snapshot, 'files' | 'projectRoot' | 'now'>,
): PlanFact {
  const paths = planFiles(model, project);
  const path = paths.find((one) => files.get(one)?.kind === 'file') ?? paths[0] ?? '';
  return { kind: kindOf(files.get(path), workflow?.startedAt, now), path: `${projectRoot}/${path}` };
}

function kindOf(fact: FileFact | undefined, startedAt: number | undefined, now: number): PlanFact['kind'] {
  if (fact?.kind !== 'file') return 'missing';
  if (fact.size === 0 || fact.text?.trim() === '') return 'empty';
  const isOld = startedAt !== undefined && startedAt <= now && fact.mtimeMs < startedAt - LEEWAY_MS;
  return isOld ? 'stale' : 'present';
}
