import type { DocumentRef } from '../../core/document';
import type { Event } from '../../core/event';
import type { Snapshot } from '../../core/snapshot';
import type { WorkflowModel } from './model';
import { OWN_STATE, PROJECT_VARIABLE, projectAt, SEED_DIR, seedState } from './place';

/** Which document holds the state of the project that an event belongs to. */
export interface StatePlace {
  readonly document: DocumentRef;
  /** Absolute where that can be told; for people. */
  readonly file: string;
  /** The project of a monorepo. */
  readonly project: string | undefined;
}

/** Told by what has been read so far: whether the seed's directory is there, and the variable. */
export function statePlace(event: Event, model: WorkflowModel, known: Snapshot): StatePlace {
  const root = known.projectRoot;
  const named = known.env[PROJECT_VARIABLE];
  const project = projectAt(model, { named, cwd: event.cwd, root });
  const usesSeed = known.files.get(SEED_DIR)?.kind === 'directory';
  if (usesSeed) {
    const document = seedState(project);
    return { document, file: `${root}/${document.path}`, project };
  }
  const own = known.git === undefined ? `${root}/.holdpoint/state` : `${known.git.commonDir}/holdpoint`;
  return { document: OWN_STATE, file: `${own}/${OWN_STATE.path}`, project };
}
