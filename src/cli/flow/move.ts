import { fail, type Result, succeed } from '../../core/failure';
import { isJsonObject, type JsonObject } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { type Standing, standingOf } from '../../guards/workflow/advance';
import { nextDecisionId } from '../../state/decision-id';
import { appendJournal } from '../../state/journal';
import { lockProject } from '../../state/update';
import { applyChanges } from '../../state/write';
import { actorIn } from '../req/actor';
import { findSession } from '../req/find-session';
import { refuse } from '../req/refuse';
import type { Context, ExitCode } from '../verb';
import { type FlowPlace, IS_SUSPENDED, NO_WORKFLOW, readState } from './flow';
import { flowJson } from './status';

/** The state, and the workflow in it. */
export interface Here {
  readonly state: JsonObject;
  readonly standing: Standing | undefined;
}

/** A workflow that is going on, in a known phase. */
export type Active = Standing & { readonly phase: string };

/** A plan that needs a workflow, be it suspended. */
export function ifOpen<T>(plan: (standing: Standing, state: JsonObject) => Result<T, string>) {
  return ({ state, standing }: Here): Result<T, string> =>
    standing === undefined ? fail(NO_WORKFLOW) : plan(standing, state);
}

/** A plan that needs a workflow which is going on. */
export function ifActive<T>(plan: (active: Active, state: JsonObject) => Result<T, string>) {
  return ifOpen<T>((standing, state) => {
    const { workflow, phase } = standing;
    if (workflow.suspended) return fail(IS_SUSPENDED);
    if (phase !== undefined) return plan({ ...standing, phase }, state);
    return fail('The state names no current phase. `holdpoint flow rollback PHASE` says which one it is.');
  });
}

/** What a command makes of the state. */
export interface Move {
  /** A few words for the journal. */
  readonly what: string;
  /** What the command was about, for the journal. */
  readonly about: string;
  apply(state: JsonObject): JsonObject;
  /** What the caller reads. */
  readonly lines: readonly string[];
  /** Only of `advance`. False where the gate is closed, which is noted in the state as well. */
  readonly advanced?: boolean;
}

interface Call {
  readonly command: string;
  readonly json: boolean;
  /** The tree to compare tests with. */
  readonly tree?: string | undefined;
}

/** Moves the workflow and prints what was done, or why not. Programs get the status as it is afterwards. */
export function runMove(
  { command, json, tree }: Call,
  place: FlowPlace,
  context: Context,
  plan: (here: Here) => Result<Move, string>,
): ExitCode {
  const { out } = context;
  const moved = changeState(place, plan, tree);
  if (!moved.ok) return refuse(context, moved.failure, 1);
  const { move, state, written } = moved.value;
  const isRefused = move.advanced === false;
  if (!isRefused && written.length > 0) noteChange(place, command, move.about, written, context);
  const { advanced } = move;
  if (json) out.json({ ...(advanced !== undefined && { advanced }), ...flowJson(place.model, state, tree) });
  else if (isRefused) for (const line of move.lines) out.error(line);
  else for (const line of move.lines) out.line(line);
  return isRefused ? 1 : 0;
}

interface Moved {
  readonly move: Move;
  readonly state: JsonObject;
  readonly written: readonly string[];
}

/** A person waits longer than a hook may. */
const LOCK_WAIT_MS = 10_000;

/** Plans and changes the state under the lock. Where the plan refuses, or anything fails, nothing is changed. */
function changeState(
  place: FlowPlace,
  plan: (here: Here) => Result<Move, string>,
  tree: string | undefined,
): Result<Moved, string> {
  const { layout, document, model } = place;
  const lock = lockProject(layout, LOCK_WAIT_MS);
  if (!lock.ok) return fail(`The workflow was not changed: ${sentenceOf(lock.failure)}`);
  try {
    const state = readState(place);
    if (!state.ok) return state;
    const planned = plan({ state: state.value, standing: standingOf(model, state.value, tree) });
    if (!planned.ok) return planned;
    const { what, apply } = planned.value;
    const change = (current: JsonObject): JsonObject => versioned(current, apply(current));
    const { written, failures } = applyChanges(layout, lock.value, [
      { document, what, apply: (current) => change(isJsonObject(current) ? current : {}) },
    ]);
    const [failed] = failures;
    if (failed !== undefined) return fail(`The workflow was not changed: ${sentenceOf(failed.failure)}`);
    return succeed({ move: planned.value, state: change(state.value), written });
  } finally {
    lock.value.release();
  }
}

/** iSDLC counts its writes to notice a stale one. */
function versioned(before: JsonObject, after: JsonObject): JsonObject {
  const { state_version: version } = before;
  return after === before || typeof version !== 'number' ? after : { ...after, state_version: version + 1 };
}

function noteChange(
  place: FlowPlace,
  command: string,
  about: string,
  written: readonly string[],
  { env }: Context,
): void {
  const now = Date.now();
  const actor = actorIn(env);
  // A person beside a session is not the session.
  const session = actor === 'agent' ? findSession(undefined, place, env) : undefined;
  appendJournal(place.layout, {
    id: nextDecisionId(now, process.pid),
    at: new Date(now).toISOString(),
    host: 'command line',
    session: session?.kind === 'found' ? session.key : '',
    event: `flow ${command}`,
    tool: about,
    actor,
    decision: 'nothing',
    verdicts: [],
    written: [...written],
  });
}

const PEOPLE_ONLY = {
  approve: 'Only a person approves a gate',
  suspend: 'Only a person suspends a workflow, since its rules rest then',
  cancel: 'Only a person cancels a workflow, since its rules end with it',
};

/** Whether an agent runs a command that only a person may; it is told so. */
export function isAgentRefused(command: keyof typeof PEOPLE_ONLY, { env, out }: Context): boolean {
  if (actorIn(env) !== 'agent') return false;
  out.error(
    `${PEOPLE_ONLY[command]}, and this shell is an agent's. Tell the person what is needed; they run \`holdpoint flow ${command}\` in a terminal of their own.`,
  );
  return true;
}

export function oneArgument(command: string, what: string): string {
  return `holdpoint flow ${command} takes one ${what}. Try 'holdpoint flow ${command} --help'.`;
}
