import type { Effects } from '../../core/command-effects';
import { type Event, toolCallOf } from '../../core/event';
import type { Context } from '../../core/guard';
import { isJsonObject, type JsonObject } from '../../core/json';
import { delegationOf } from './delegation';
import { demandsOf } from './demands';
import { type RuleName, type WorkflowModel, workflowNamed } from './model';
import { isSeed, seedState, statePlace } from './place';
import { type ActiveWorkflow, activeWorkflow, currentPhase, isEnforced, type StateNote } from './state';

/** Everything that a rule looks at. What costs time to find out it asks of `ctx`. */
export type Facts = ReturnType<typeof factsOf> & {
  /** The current tree; empty if git failed, absent if it was not asked for. */
  readonly tree?: string;
  /** The commit that the tree was found on. */
  readonly head?: string | undefined;
};

/** Collects what the rules look at. The workflow and its phase are absent while it is suspended. */
export function factsOf(event: Event, model: WorkflowModel, ctx: Context) {
  const place = statePlace(event.cwd, model, ctx);
  const document = ctx.document(place.document);
  const value = document.kind === 'present' ? document.value : undefined;
  const state = isJsonObject(value) ? value : undefined;
  const odd = value === state ? undefined : { file: place.file, why: 'is not an object' };
  /** Why the state cannot be read; nothing in it counts then. */
  const unreadable = document.kind === 'unreadable' ? { file: document.file, why: document.why } : odd;
  const active = activeWorkflow(state);
  const isSuspended = active?.suspended === true;
  const workflow = isSuspended ? undefined : active;
  const phase = isSuspended ? undefined : currentPhase(state);
  const phases = phasesOf(model, workflow);
  const call = toolCallOf(event);
  /** Where no workflow is known, any phase may be meant. */
  const nameable = phases.length > 0 ? phases : model.phases.map(({ name }) => name);
  const delegation = delegationOf(model, call, nameable);
  /** What the gate of the phase requires; nothing where a person has switched the iteration rules off. */
  const asked = phase && isEnforced(state) ? demandsOf(model, state, phase) : {};
  return {
    ...{ event, call, model, ctx, place, state, unreadable, workflow },
    ...{ phase, phases, nameable, asked, delegation },
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
export function commandEffects({ call, model, ctx, place }: Facts): Effects | undefined {
  if (call?.op !== 'shell' || call.command === undefined) return undefined;
  const { testCommands, projects } = model;
  const states = [undefined, ...(projects?.list ?? [])].map(
    (one) => `${ctx.projectRoot}/${seedState(one?.id).path}`,
  );
  // The state in use, and beside one of the older program those of the other projects.
  const watched = states.includes(place.file) ? states : [place.file];
  return ctx.effects({ command: call.command, testCommands, watched });
}

/** The commands of a shell call as lists of words; `undefined` for any other call, or where it does not parse. */
export function commandWords({ call, ctx }: Facts): readonly (readonly string[])[] | undefined {
  return call?.op !== 'shell' || call.command === undefined ? undefined : ctx.commandLines(call.command);
}

/** What a rule found. The rule's mode may make it milder than its weight, of which `note` is the mildest. */
export interface Finding {
  readonly weight: 'note' | 'warn' | 'hold' | 'ask' | 'deny';
  /** What the agent or the person reads; may be empty. */
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

/** What a held call's message begins with: the old program's words in its own projects, else the rule. */
export function heldBy({ place }: Facts, rule: RuleName, landmark: string): string {
  return isSeed(place) ? `${landmark}:` : `Held by ${rule}:`;
}

/** A finding that holds the call: the fact, what makes it go away, and the lines that the agent reads. */
export function denying(fact: string, clear: string, ...lines: string[]): Finding {
  return { weight: 'deny', text: lines.join('\n'), fact, clear };
}

/** A finding that only keeps a record. */
export function noting(fact: string, ...records: StateNote[]): Finding {
  return { weight: 'note', text: '', fact, records };
}
