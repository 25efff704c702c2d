import type { GauntletStatus } from './report';
import type { Weaker } from './weaker/facts';

/** How one gate ended. `error`: it could not give an answer, which says nothing about the code. */
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
  /** What of its output tells why it did not pass: assertions, errors, findings. */
  readonly telling?: readonly string[];
  /** It has passed, and says that there were no tests. */
  readonly isEmpty?: true;
  /** What its config says about fixing it. */
  readonly fix?: string;
  /** Findings that were skipped by the agent, with its reasons. */
  readonly skippedFindings?: number;
  readonly violations?: number;
  readonly slots?: readonly SlotResult[];
  /** What this run found out about findings of earlier ones. */
  readonly activity?: readonly Activity[];
};

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
  /** Some gates are off since they are wrong; the others have run. */
  readonly isPartial?: true;
  /** Which run of this session of failures it was, and how many there may be. */
  readonly run?: number;
  readonly maxRuns?: number;
  readonly durationMs?: number;
  readonly warnings: readonly string[];
  /** About an earlier run that was killed before it could report its result. */
  readonly killed?: string;
  /** Work of the session that is not in the work tree, and that nothing has checked. */
  readonly aside?: readonly { readonly what: string; readonly exit: string }[];
  /** What checks the work and has become weaker since the session began. */
  readonly weaker?: Weaker;
};

export function didNotPass({ status }: Pick<GateResult, 'status'>): boolean {
  return status === 'fail' || status === 'error';
}
