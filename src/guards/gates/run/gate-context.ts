import type { CancelSignal } from '../../../exec/cancel-signal';
import type { Base } from '../../../git/base';
import type { Changes } from '../../../git/changes';
import type { GatesConfig } from '../config';
import type { Env, Reporter, Selection } from './request';

/** What a gate may look at while it runs. */
export interface GateContext {
  /** The project's root, absolute. */
  readonly root: string;
  readonly config: GatesConfig;
  readonly env: Env;
  readonly logDir: string;
  /** The number in the names of this run's files. */
  readonly run: number;
  /** The absolute path of a gate's log in this run; `slot` is a reviewer's, such as `claude@1`. */
  logFile(id: string, slot?: string): string;
  /** Whether logs of this session were there already, so that earlier findings are to be verified. */
  readonly rerun: boolean;
  readonly changes: Changes;
  readonly base: Base;
  /** The tree that the session's last run saw. */
  readonly previousTree?: string;
  readonly select: Selection;
  readonly report: Reporter;
  /** Aborted when the run is to end at once. */
  readonly signal: CancelSignal;
  /** Milliseconds since the epoch; infinite where there is none. */
  readonly deadline: number;
}
