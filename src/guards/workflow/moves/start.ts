import type { JsonObject } from '../../../core/json';
import { isoTime } from '../../../core/text';
import { numberAt, withMembersAt, withValueAt } from '../json-path';
import type { Workflow } from '../model';
import { UNTOUCHED, withCurrentPhase } from './phase-record';
import { shelved } from './shelf';

/** A workflow that is to be started. */
export interface Beginning {
  readonly workflow: Workflow;
  /** Those of the workflow but for the ones that are left out. */
  readonly phases: readonly string[];
  readonly description?: string;
  readonly artifact?: Artifact;
  readonly branch?: { readonly name: string; readonly from: string };
  readonly atdd: boolean;
}

/** What the work is filed under. `number` is that of the counter where its name has one. */
export interface Artifact {
  readonly name: string;
  readonly number?: number;
}

/** The state with the workflow in its first phase, of which nothing has been begun. A suspended one is put away. */
export function started(state: JsonObject, beginning: Beginning, now: number): JsonObject {
  const { workflow, phases, artifact } = beginning;
  const [first = ''] = phases;
  const room = shelved(state);
  const records = Object.fromEntries(phases.map((phase) => [phase, UNTOUCHED]));
  const counted = withCounter(withMembersAt(room, ['phases'], records), workflow, artifact);
  const running = withValueAt(counted, ['active_workflow'], activeRecord(beginning, now));
  return withCurrentPhase(running, first, 0);
}

/** The name of the counter that numbers a workflow's artifacts. */
export function counterOf({ artifactPrefix }: Workflow): string {
  return `next_${artifactPrefix.toLowerCase()}_id`;
}

function activeRecord(beginning: Beginning, now: number): JsonObject {
  const { workflow, phases, description = '', artifact, branch, atdd } = beginning;
  const at = isoTime(now);
  return {
    type: workflow.name,
    description,
    started_at: at,
    phases,
    current_phase: phases[0] ?? '',
    current_phase_index: 0,
    phase_status: Object.fromEntries(phases.map((phase) => [phase, 'pending'])),
    gate_mode: workflow.gateMode,
    atdd_mode: atdd,
    ...(artifact && {
      artifact_prefix: workflow.artifactPrefix,
      artifact_folder: artifact.name,
      ...(artifact.number !== undefined && { counter_used: artifact.number }),
    }),
    ...(branch && {
      git_branch: { name: branch.name, status: 'active', created_from: branch.from, created_at: at },
    }),
  };
}

/** A number is never given twice, be it counted or named by hand. */
function withCounter(state: JsonObject, workflow: Workflow, artifact: Artifact | undefined): JsonObject {
  if (artifact?.number === undefined) return state;
  const counter = counterOf(workflow);
  const next = Math.max(numberAt(state, 'counters', counter) ?? 1, artifact.number + 1);
  return withMembersAt(state, ['counters'], { [counter]: next });
}
