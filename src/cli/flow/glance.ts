import type { JsonObject } from '../../core/json';
import { type Standing, standingOf } from '../../guards/workflow/gate';
import type { OpenProject } from '../project';
import type { Context } from '../verb';
import { flowIn, readState } from './place';

/** The workflow as it is seen without asking git: whether tests are of this very tree stays open. */
export interface FlowGlance {
  readonly state: JsonObject;
  /** Absent where no workflow is active. */
  readonly standing?: Standing;
  /** Why the state cannot be read. */
  readonly trouble?: string;
}

export function glanceAtFlow(project: OpenProject, context: Context): FlowGlance {
  const place = flowIn(project, context);
  const state = readState(place);
  if (!state.ok) return { state: {}, trouble: state.failure };
  const standing = standingOf(place.model, state.value);
  return { state: state.value, ...(standing && { standing }) };
}
