import type { Effects } from '../../core/command-effects';
import { type Event, type ToolCall, toolCallOf } from '../../core/event';
import type { Context } from '../../core/guard';
import { isJsonObject, type JsonObject } from '../../core/json';
import { type Delegation, delegationOf } from './delegation';
import { type WorkflowModel, workflowNamed } from './model';
import { type StatePlace, statePlace } from './place';
import { type ActiveWorkflow, activeWorkflow, currentPhase } from './state';
import type { StateNote } from './state-notes';

/** Everything that a rule looks at. What costs time to find out it asks of `ctx`. */
export interface Facts {
  readonly event: Event;
  readonly call: ToolCall | undefined;
  readonly model: WorkflowModel;
  readonly ctx: Context;
  /** Where the state is, or would be. */
  readonly place: StatePlace;
  /** Absent where there is none, or none that can be read. */
  readonly state: JsonObject | undefined;
  /** Why the state cannot be read; nothing in it counts then. */
  readonly unreadable: { readonly file: string; readonly why: string } | undefined;
  /** The workflow under way; absent while it is suspended. */
  readonly workflow: ActiveWorkflow | undefined;
  /** The current phase; absent while the workflow is suspended. */
  readonly phase: string | undefined;
  /** The phases of the workflow, in the order of work. */
  readonly phases: readonly string[];
  readonly delegation: Delegation;
  /** The tree as it is now, empty if it could not be told; absent where nobody asked. */
  readonly tree?: string;
  /** The commit that the tree was found on. */
  readonly head?: string | undefined;
}

/** Collects what the rules look at. */
export function factsOf(event: Event, model: WorkflowModel, ctx: Context): Facts {
  const place = statePlace(event.cwd, model, ctx);
  const document = ctx.document(place.document);
  const value = document.kind === 'present' ? document.value : undefined;
  const state = isJsonObject(value) ? value : undefined;
  const unreadable =
    document.kind === 'unreadable'
      ? { file: document.file, why: document.why }
      : value !== state
        ? { file: place.file, why: 'is not an object' }
        : undefined;
  const active = activeWorkflow(state);
  const workflow = active?.suspended === true ? undefined : active;
  const phases = phasesOf(model, workflow);
  const call = toolCallOf(event);
  // With an unreadable state the workflow is not known, so any phase may be one of it.
  const nameable = unreadable === undefined ? phases : model.phases.map(({ name }) => name);
  return {
    event,
    call,
    model,
    ctx,
    place,
    state,
    unreadable,
    workflow,
    phase: active?.suspended === true ? undefined : currentPhase(state),
    phases,
    delegation: delegationOf(model, call, nameable),
  };
}

/** As the state has them, since some may have been left out at the start; else as the model has them. */
export function phasesOf(model: WorkflowModel, workflow: ActiveWorkflow | undefined): readonly string[] {
  if (workflow === undefined) return [];
  return workflow.phases.length > 0
    ? workflow.phases
    : (workflowNamed(model, workflow.type)?.phases ?? model.phases.map(({ name }) => name));
}

/** What the command line of a shell call does; `undefined` for any other call. */
export function commandEffects({ call, model, ctx }: Facts): Effects | undefined {
  if (call?.op !== 'shell' || call.command === undefined) return undefined;
  return ctx.effects({ command: call.command, testCommands: model.testCommands });
}

/** The commands of a shell call as lists of words; `undefined` for any other call, or where it does not parse. */
export function commandWords({ call, ctx }: Facts): readonly (readonly string[])[] | undefined {
  return call?.op !== 'shell' || call.command === undefined ? undefined : ctx.commandLines(call.command);
}

/** What a rule found. The rule's mode may make it milder than its weight, of which `note` is the mildest. */
export interface Finding {
  readonly weight: 'note' | 'warn' | 'hold' | 'ask' | 'deny';
  /** What the agent or the person reads; empty where there is nothing to tell. */
  readonly text: string;
  /** One sentence: the fact that made the rule speak. */
  readonly fact: string;
  readonly clear?: string;
  readonly waive?: string;
  /** Recorded in every mode but `disabled`. */
  readonly records?: readonly StateNote[];
  /** Recorded only where the call is really held. */
  readonly onRefusal?: readonly StateNote[];
  /** What the tool shall be called with instead. */
  readonly input?: JsonObject;
}

/** One rule: `undefined` where it has nothing to say. */
export type Rule = (facts: Facts) => Finding | undefined;

/** A finding that only keeps a record. */
export function noting(fact: string, ...records: StateNote[]): Finding {
  return { weight: 'note', text: '', fact, records };
}
