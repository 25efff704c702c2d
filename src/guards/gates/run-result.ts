import { isJsonObject, type JsonObject, jsonObjectIn } from '../../core/json';
import type { GatesConfig } from './config';
import type { GauntletStatus } from './report';
import { LOCK_NAME, STATE_NAME } from './run/logs';

/** What became of one gate. `error`: it could not give an answer; that is nobody's fault in the code. */
export type GateStatus = 'pass' | 'fail' | 'error' | 'skipped' | 'cached';

export type GateResult = {
  /** `check:<entry>:<name>` or `review:<entry>:<name>`. */
  readonly id: string;
  readonly status: GateStatus;
  readonly message: string;
  readonly durationMs: number;
  /** Absolute. */
  readonly log?: string;
  /** The JSON files of a review's slots, absolute. */
  readonly reviews?: readonly string[];
  /** The last lines of what a failed gate printed. */
  readonly tail?: string;
  /** The tree on which a cached gate has passed. */
  readonly cachedOn?: string;
  /** Findings that were skipped by the agent, with its reasons. */
  readonly skippedFindings?: number;
  /** How many findings of a review are open. */
  readonly violations?: number;
  /** A review's reviewers, each with its own answer. */
  readonly slots?: readonly SlotResult[];
  /** What this run found out about findings of earlier ones. */
  readonly activity?: readonly Activity[];
};

/** What one reviewer of a review said. */
export type SlotResult = {
  /** `<reviewer>@<slot>`. */
  readonly slot: string;
  readonly status: GateStatus;
  readonly message: string;
  readonly durationMs: number;
  /** Absolute, as is the next. */
  readonly log?: string;
  readonly review?: string;
};

/** A finding that is settled: the code was changed, or the agent gave a reason not to. */
export type Activity = {
  readonly what: 'fixed' | 'skipped';
  /** `<reviewer>@<slot>`, or `check`. */
  readonly who: string;
  readonly details: string;
  readonly reason?: string;
};

/** What a run comes to. Plain data, since it is an effect's result. */
export type RunResult = {
  readonly status: GauntletStatus;
  readonly message: string;
  readonly gates: readonly GateResult[];
  readonly consoleLogPath?: string;
  readonly errorMessage?: string;
  /** Which run of this session of failures it was, and how many there may be. */
  readonly run?: number;
  readonly maxRuns?: number;
  readonly warnings: readonly string[];
  /** Of an earlier run that somebody killed: nobody has heard how it would have ended. */
  readonly killed?: string;
};

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

/** The state of the last run, as the snapshot asks for files: absolute, or relative to the root. */
export function stateFile({ logDir }: GatesConfig): string {
  return `${logDir}/${STATE_NAME}`;
}

export function lockFile({ logDir }: GatesConfig): string {
  return `${logDir}/${LOCK_NAME}`;
}
