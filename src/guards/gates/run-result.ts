import type { GauntletStatus } from './report';

/** How one gate ended. `error`: it could not give an answer, which says nothing about the code. */
export type GateStatus = 'pass' | 'fail' | 'error' | 'skipped' | 'cached';

/** The result of one gate. */
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
export type SlotResult = Pick<GateResult, 'status' | 'message' | 'durationMs' | 'log'> & {
  /** `<reviewer>@<slot>`. */
  readonly slot: string;
  /** Its JSON file, absolute. */
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

/** The result of a run. Plain data, since it is an effect's result. */
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
  /** About an earlier run that was killed before it could report its result. */
  readonly killed?: string;
};

/** Whether a gate failed or could give no answer. */
export function didNotPass({ status }: Pick<GateResult, 'status'>): boolean {
  return status === 'fail' || status === 'error';
}
