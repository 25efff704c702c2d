import type { Effects } from '../../core/command-effects';
import { type Event, toolCallOf } from '../../core/event';
import type { Context } from '../../core/guard';
import { isJsonObject, type JsonObject } from '../../core/json';
import { branchLabel, type GitHead } from '../../git/head';
import { delegationOf } from './delegation';
import { type RuleName, type WorkflowModel, workflowNamed } from './model';
import { requirementsFor } from './phase-requirements';
import { isdlcState, statePlace, usesIsdlcDir } from './place';
import {
  type ActiveWorkflow,
  activeWorkflow,
  currentPhase,
  isEnforced,
  type StateNote,
  stateTrouble,
} from './state';

/** The facts that rules judge by. Facts that take time to find out are in `ctx`. */
export type Facts = ReturnType<typeof factsOf> & {
  /** The current git tree; empty if git failed, absent if not asked for. */
  readonly tree?: string;
  /** The commit at HEAD when the tree was written. */
  readonly head?: string | undefined;
};

/** The workflow and its phase are absent while the workflow is suspended. */
export function factsOf(event: Event, model: WorkflowModel, ctx: Context) {
  const place = statePlace(event.cwd, model, ctx);
  const document = ctx.document(place.document);
  const value = document.kind === 'present' ? document.value : undefined;
  const trouble = value === undefined ? undefined : stateTrouble(value);
  const state = trouble === undefined && isJsonObject(value) ? value : undefined;
  const malformed = trouble === undefined ? undefined : { file: place.file, why: trouble };
  /** Why the state cannot be read; then nothing in it counts. */
  const unreadable = document.kind === 'unreadable' ? { file: document.file, why: document.why } : malformed;
  const active = activeWorkflow(state);
  const isSuspended = active?.suspended === true;
  const workflow = isSuspended ? undefined : active;
  const phase = isSuspended ? undefined : currentPhase(state);
  const phases = phasesOf(model, workflow);
  const call = toolCallOf(event);
  /** Without a known workflow, any phase may be meant. */
  const nameable = phases.length > 0 ? phases : model.phases.map(({ name }) => name);
  const delegation = delegationOf(model, call, nameable);
  /** What the gate of the phase requires; nothing if a person has switched the iteration rules off. */
  const asked = phase && isEnforced(state) ? requirementsFor(model, state, phase) : {};
  return {
    ...{ event, call, model, ctx, place, state, unreadable, workflow },
    ...{ phase, phases, nameable, asked, delegation },
  };
}

/** The phases in the state, since some may have been skipped at the start; else those of the model. */
export function phasesOf(model: WorkflowModel, workflow: ActiveWorkflow | undefined): readonly string[] {
  if (workflow === undefined) return [];
  return workflow.phases.length > 0
    ? workflow.phases
    : (workflowNamed(model, workflow.type)?.phases ?? model.phases.map(({ name }) => name));
}

/** The checked-out branch, if it is not the workflow's: work there is not the workflow's. */
export function otherBranch({ branch }: ActiveWorkflow, head: GitHead | undefined): string | undefined {
  if (branch?.name === undefined || branch.status !== 'active' || head === undefined) return undefined;
  const current = branchLabel(head);
  return current === branch.name ? undefined : current;
}

/** What to do on another branch than the workflow's. */
export function elsewhereText(workflow: ActiveWorkflow, head: GitHead | undefined): string | undefined {
  const [current, name] = [otherBranch(workflow, head), workflow.branch?.name];
  return (
    current &&
    `You are on branch ${current}, but the workflow is on ${name}. Run \`git switch ${name}\` first, or \`git branch -m ${name}\` if it was renamed to ${current}.`
  );
}

/** The effects of a shell call's command line; `undefined` for any other call. */
export function commandEffects({ call, model, ctx, place }: Facts): Effects | undefined {
  if (call?.op !== 'shell' || call.command === undefined) return undefined;
  const { testCommands, projects } = model;
  const states = [undefined, ...(projects?.list ?? [])].map(
    (one) => `${ctx.projectRoot}/${isdlcState(one?.id).path}`,
  );
  // The state in use; if it is one of iSDLC, also those of the monorepo's other projects.
  const watched = (): string[] => (states.includes(place.file) ? states : [place.file]);
  return ctx.effects({ command: call.command, testCommands, watched });
}

/** The commands of a shell call as lists of words; `undefined` for other calls, or if it does not parse. */
export function commandWords({ call, ctx }: Facts): readonly (readonly string[])[] | undefined {
  return call?.op !== 'shell' || call.command === undefined ? undefined : ctx.commandLines(call.command);
}

/** What a rule found. The rule's mode may make it milder than `weight`, of which `note` is the mildest. */
export interface Finding {
  readonly weight: 'note' | 'warn' | 'hold' | 'ask' | 'deny';
  /** The message to the agent or the person; may be empty. */
  readonly text: string;
  /** The fact that triggered the rule, in one sentence. */
  readonly fact: string;
  readonly clear?: string;
  readonly waive?: string;
  /** Recorded in every mode but `disabled`. */
  readonly records?: readonly StateNote[];
  /** Recorded only if the call is really held. */
  readonly onRefusal?: readonly StateNote[];
  /** The input that the tool is to be called with instead. */
  readonly input?: JsonObject;
}

/** Returns `undefined` if it found nothing. */
export type Rule = (facts: Facts) => Finding | undefined;

/** How a held call's message begins: with iSDLC's own heading in its projects, else with the rule. */
export function holdHeading({ place }: Facts, rule: RuleName, landmark: string): string {
  return usesIsdlcDir(place) ? `${landmark}:` : `Held by ${rule}:`;
}

/** A finding that holds the call: the fact, what satisfies the rule, and the message to the agent. */
export function holdFinding(fact: string, clear: string, ...lines: string[]): Finding {
  return { weight: 'deny', text: lines.join('\n'), fact, clear };
}

/** A finding that only records something. */
export function noteFinding(fact: string, ...records: StateNote[]): Finding {
  return { weight: 'note', text: '', fact, records };
}
