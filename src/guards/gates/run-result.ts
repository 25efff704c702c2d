import type { GauntletStatus } from './report';
import type { Weaker } from './weaker/facts';

/** How one gate ended. `error`: it gave no answer, which says nothing about the code. */
export type GateStatus = 'pass' | 'fail' | 'error' | 'skipped' | 'cached';

export type GateResult = {
  /** `check:<entry>:<name>` or `review:<entry>:<name>`. */
  readonly id: string;
  /** Where the config has it, for the gates of a whole run. */
  readonly place?: string;
  readonly status: GateStatus;
  readonly message: string;
  readonly durationMs: number;
  /** Absolute. */
  readonly log?: string;
  /** The JSON files of a review's slots, absolute. */
  readonly reviews?: readonly string[];
  /** The output lines that say why it did not pass: assertions, errors, findings. */
  readonly telling?: readonly string[];
  /** It passed, but reported that there were no tests. */
  readonly isEmpty?: true;
  /** The `fix_instructions` of its config. */
  readonly fix?: string;
  /** How many findings the agent skipped, giving reasons. */
  readonly skippedFindings?: number;
  readonly violations?: number;
  readonly slots?: readonly SlotResult[];
  /** Findings of earlier runs that are settled now. */
  readonly activity?: readonly Activity[];
};

export type SlotResult = Pick<GateResult, 'status' | 'message' | 'durationMs' | 'log'> & {
  /** `<reviewer>@<slot>`. */
  readonly slot: string;
  /** Its JSON file, absolute. */
  readonly review?: string;
};

/** A settled finding: the code was changed, or the agent gave a reason not to. */
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
  /** Another process runs the gates for this same stop, and answers it. */
  readonly isElsewhere?: true;
  /** Config errors disabled some gates; the others ran. */
  readonly isPartial?: true;
  /** The number of this run since the gates first failed, and how many are allowed. */
  readonly run?: number;
  readonly maxRuns?: number;
  readonly durationMs?: number;
  /** About an earlier run that was killed before it could report its result. */
  readonly killed?: string;
  /**
   * Unchecked work of the session outside the work tree: `what` it is, `exit`, how to get it back, and
   * `version`, the commit or tree that it is now.
   */
  readonly aside?: readonly { readonly what: string; readonly exit: string; readonly version: string }[];
  /** Tests and checks that became weaker since the session began. */
  readonly weaker?: Weaker;
};

/** Stands for a gate where the last run was killed, and this stop only tells. */
export const LAST_RUN = 'the last run';

export function didNotPass({ status }: Pick<GateResult, 'status'>): boolean {
  return status === 'fail' || status === 'error';
}

/** Whether it says something about the code. */
export function gaveResult({ status }: Pick<GateResult, 'status'>): boolean {
  return status === 'pass' || status === 'fail' || status === 'cached';
}
