import { isJsonObject, type JsonObject, jsonObjectIn } from '../../core/json';
import type { Activity } from './run-result';
import type { GauntletStatus } from './status';

/** The selection that is no selection: all gates, against all that has changed. */
export const ALL = 'run';

/** What one run settled, told in the summaries of the later ones. */
export type Iteration = {
  readonly run: number;
  readonly activity: readonly (Activity & { readonly id: string })[];
};

/** What is remembered of the last run that executed gates. The first four are the older program's. */
export type ExecutionState = {
  readonly last_run_completed_at?: string;
  readonly branch?: string;
  /** Empty while the branch has no commit. */
  readonly commit?: string;
  /** The tree of all files as that run saw them, untracked ones included. */
  readonly working_tree_ref?: string;
  readonly last_status?: GauntletStatus;
  /** The base's commit at that time; absent where there was no base. */
  readonly base_commit?: string;
  /** Whether the commit was the base's own then, so that it cannot be merged later. */
  readonly commit_in_base?: boolean;
  /** How many runs of this session of failures have ended without a pass. */
  readonly run?: number;
  readonly turn?: string;
  /** Which part of the gates the session, or the pass, is about; absent or `ALL` for all of them. */
  readonly selection?: string;
  /** Gates that did not pass. */
  readonly failing?: readonly string[];
  readonly iterations?: readonly Iteration[];
};

const TEXTS = ['branch', 'commit', 'working_tree_ref', 'last_status', 'base_commit', 'turn', 'selection'];

/** Reads the state's text; what is not understood in it is as if it were not there. */
export function parseExecutionState(text: string): ExecutionState | undefined {
  const value = jsonObjectIn(text);
  return value && understood(value);
}

function understood(value: JsonObject): ExecutionState {
  const { last_run_completed_at: at, commit_in_base: inBase, run, failing, iterations } = value;
  return {
    ...Object.fromEntries(
      TEXTS.flatMap((key) => (typeof value[key] === 'string' ? [[key, value[key]]] : [])),
    ),
    ...(typeof at === 'string' && !Number.isNaN(Date.parse(at)) && { last_run_completed_at: at }),
    ...(typeof inBase === 'boolean' && { commit_in_base: inBase }),
    ...(typeof run === 'number' && Number.isSafeInteger(run) && run >= 0 && { run }),
    ...(Array.isArray(failing) && { failing: failing.filter((id) => typeof id === 'string') }),
    ...(Array.isArray(iterations) && { iterations: iterations.filter(isIteration) }),
  };
}

function isIteration(value: unknown): value is Iteration {
  if (!isJsonObject(value) || typeof value['run'] !== 'number' || !Array.isArray(value['activity']))
    return false;
  return value['activity'].every(
    (one: unknown) =>
      isJsonObject(one) &&
      (one['what'] === 'fixed' || one['what'] === 'skipped') &&
      [one['id'], one['who'], one['details']].every((text) => typeof text === 'string'),
  );
}
