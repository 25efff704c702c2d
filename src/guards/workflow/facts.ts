import type { Effects } from '../../core/command-effects';
import { type Event, toolCallOf } from '../../core/event';
import type { GitHead } from '../../core/git-head';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { documentIn, type Snapshot } from '../../core/snapshot';
import type { ToolCall } from '../../core/tool-call';
import { type Delegation, delegationOf } from './delegation';
import { textAt } from './json-path';
import { workflowNamed } from './look-up';
import type { WorkflowModel } from './model';
import { type PlanFact, planFact } from './plan';
import { type ActiveWorkflow, activeWorkflow, currentPhase } from './state';
import { type StatePlace, statePlace } from './state-place';

/** Everything that a rule looks at. */
export interface Facts {
  readonly event: Event;
  readonly call: ToolCall | undefined;
  readonly model: WorkflowModel;
  readonly now: number;
  readonly root: string;
  /** Where the state is, or would be. */
  readonly place: StatePlace;
  /** Absent where there is none, or none that can be read. */
  readonly state: JsonObject | undefined;
  /** Why the state cannot be read; nothing in it counts then. */
  readonly unreadable: { readonly file: string; readonly why: string } | undefined;
  /** The workflow that is going on; one that is suspended is not. */
  readonly workflow: ActiveWorkflow | undefined;
  /** The current phase; none while the workflow is suspended. */
  readonly phase: string | undefined;
  /** The phases of the workflow, in the order of work. */
  readonly phases: readonly string[];
  readonly delegation: Delegation;
  readonly plan: PlanFact;
  readonly commandLines: readonly (readonly string[])[] | undefined;
  readonly effects: Effects | undefined;
  readonly git: GitHead | undefined;
  readonly defaultBranch: string | undefined;
  /** The text of the state file that a tool is about to edit. */
  readonly targetText: string | undefined;
  /** The tree as it is now; absent where nobody asked. */
  readonly tree: string | undefined;
  /** The commit that the tree was found on. */
  readonly head: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** Brings together what the rules look at. `brought` is what the guard's effect has found out. */
export function factsOf(event: Event, model: WorkflowModel, snapshot: Snapshot, brought?: Json): Facts {
  const place = statePlace(event, model, snapshot);
  const document = documentIn(snapshot, place.document);
  const state = document.kind === 'present' && isJsonObject(document.value) ? document.value : undefined;
  const found = activeWorkflow(state);
  const workflow = found?.suspended === true ? undefined : found;
  const call = toolCallOf(event);
  const unreadable = troubleOf(document, place);
  const phases = phasesOf(model, workflow);
  // Which workflow it is cannot be told then, so any phase may be one of it.
  const nameable = unreadable === undefined ? phases : model.phases.map(({ name }) => name);
  const target = call === undefined ? undefined : snapshot.files.get(call.paths[0] ?? '');
  return {
    event,
    call,
    model,
    now: snapshot.now,
    root: snapshot.projectRoot,
    place,
    state,
    unreadable,
    workflow,
    phase: found?.suspended === true ? undefined : currentPhase(state),
    phases,
    delegation: call === undefined ? { kind: 'none' } : delegationOf(model, call, nameable),
    plan: planFact(model, place.project, workflow, snapshot),
    commandLines: snapshot.commandLines,
    effects: snapshot.effects,
    git: snapshot.git,
    defaultBranch: snapshot.defaultBranch,
    targetText: target?.kind === 'file' ? target.text : undefined,
    tree: brought === undefined ? undefined : (textAt(brought, 'tree') ?? ''),
    head: textAt(brought, 'head'),
    env: snapshot.env,
  };
}

/** As the state has them, since some may have been left out at the start; else as the model has them. */
export function phasesOf(model: WorkflowModel, workflow: ActiveWorkflow | undefined): readonly string[] {
  if (workflow === undefined) return [];
  return workflow.phases.length > 0
    ? workflow.phases
    : (workflowNamed(model, workflow.type)?.phases ?? model.phases.map(({ name }) => name));
}

function troubleOf(document: ReturnType<typeof documentIn>, { file }: StatePlace): Facts['unreadable'] {
  if (document.kind === 'unreadable') return { file: document.file, why: document.why };
  if (document.kind === 'present' && !isJsonObject(document.value)) return { file, why: 'is not an object' };
  return undefined;
}
