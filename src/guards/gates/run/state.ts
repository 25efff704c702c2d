import { join } from 'node:path';
import { readText } from '../../../core/failure';
import { isJsonObject, jsonObjectIn } from '../../../core/json';
import type { GauntletStatus } from '../report';
import type { Activity } from '../run-result';
import { type CurrentLogs, LEGACY_REF_NAME, replaceFile, STATE_NAME } from './logs';
import type { Selection } from './run';

/** The selection of a run of all gates against all changes. */
export const ALL = 'run';

/** What one run settled, shown in the summaries of the later ones. */
export type Iteration = {
  readonly run: number;
  readonly activity: readonly (Activity & { readonly id: string })[];
};

/** The state of the last run that executed gates. The first four fields are agent-gauntlet's. */
export type ExecutionState = {
  readonly last_run_completed_at?: string;
  readonly branch?: string;
  /** Empty if the branch has no commit yet. */
  readonly commit?: string;
  /** The tree of all files as that run saw them, untracked ones included. */
  readonly working_tree_ref?: string;
  readonly last_status?: GauntletStatus;
  /** The base's commit at that time; absent if there was no base. */
  readonly base_commit?: string;
  /** Whether the commit was the base's own then, so it cannot be merged later. */
  readonly commit_in_base?: boolean;
  /** How many runs have failed since the gates last passed. */
  readonly run?: number;
  readonly turn?: string;
  /** Which part of the gates the state is about; absent or `ALL` for all of them. */
  readonly selection?: string;
  readonly failing?: readonly string[];
  readonly iterations?: readonly Iteration[];
  /** Who asked for it, and how. */
  readonly actor?: string;
  readonly channel?: string;
};

const TEXTS = 'branch commit working_tree_ref last_status base_commit turn selection actor channel'.split(
  ' ',
);

/** Parses the state file; invalid fields are left out. */
export function parseExecutionState(text: string): ExecutionState | undefined {
  const value = jsonObjectIn(text);
  if (value === undefined) return undefined;
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

/** `undefined` if there is none. The tree may be in a file of agent-gauntlet. */
export function readState(
  logDir: string,
  text = readText(join(logDir, STATE_NAME)),
): ExecutionState | undefined {
  const state = parseExecutionState(text ?? '');
  if (state === undefined || state.working_tree_ref !== undefined) return state;
  const legacy = readText(join(logDir, LEGACY_REF_NAME))?.trim() ?? '';
  return /^[0-9a-f]{40,64}$/.test(legacy) ? { ...state, working_tree_ref: legacy } : state;
}

/** Returns the written text. */
export function writeState(logDir: string, state: ExecutionState): string {
  return replaceFile(join(logDir, STATE_NAME), state, true);
}

export function isOpen(state: ExecutionState | undefined): boolean {
  const { last_status: status, run } = state ?? {};
  if (status === undefined) return (run ?? 0) > 0;
  return ['failed', 'retry_limit_exceeded', 'infrastructure_error'].includes(status);
}

/** The requested part of the gates, as a text that can be compared. */
export function selectionOf(request: { readonly mode: string; readonly select: Selection }): string {
  const { base, gate, commit, uncommitted } = request.select;
  return [
    request.mode,
    ...(base === undefined ? [] : [`-b ${base}`]),
    ...(gate === undefined ? [] : [`-g ${gate}`]),
    ...(commit === undefined ? [] : [`-c ${commit}`]),
    ...(uncommitted ? ['-u'] : []),
  ].join(' ');
}

/** Whether a pass of a selection ends the session: a part does not end a session about more gates. */
export function endsSession(selection: string, state: ExecutionState | undefined): boolean {
  return !isOpen(state) || selection === ALL || selection === state?.selection;
}

/** Which run this is: its number in file names, and which attempt out of how many. */
export type Attempt = ReturnType<typeof nextAttempt>;

/** agent-gauntlet's state has no run count, so its logs are used. No file has the returned number yet. */
export function nextAttempt(state: ExecutionState | undefined, logs: CurrentLogs, maxRetries: number) {
  const before = state === undefined ? 0 : (state.run ?? logs.highestOfGates);
  return { number: Math.max(before, logs.highest) + 1, attempt: before + 1, most: maxRetries + 1 };
}
