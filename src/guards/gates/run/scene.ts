import type { GitHead } from '../../../core/git-head';
import type { CancelSignal } from '../../../exec/cancel-signal';
import type { Base } from '../../../git/base';
import type { ExecutionState } from '../execution-state';
import type { ConsoleLog } from './console-log';
import type { DebugLog } from './debug-log';
import type { RunRequest } from './request';

/** One run while it has the lease: what it was asked, where it speaks. */
export interface Stage {
  readonly request: RunRequest;
  readonly logDir: string;
  readonly console: ConsoleLog;
  readonly debug: DebugLog;
  /** Aborted when a signal ends us. */
  readonly signal: CancelSignal;
  /** Said to whoever asked, beside the console. */
  readonly warnings: string[];
}

/** What it finds before anything is compared. */
export interface Scene {
  readonly git: GitHead;
  /** `HEAD` where no branch is checked out, as git itself has it. */
  readonly branch: string;
  /** Empty while there is none. */
  readonly commit: string;
  readonly base: Base;
  /** The base of the config, whatever this run is compared with: by it sessions are told to be over. */
  readonly ground: Base;
  /** Of the session that goes on; absent when this one is the first, or the last one is over. */
  readonly state?: ExecutionState;
}

export function warn({ console, warnings }: Stage, text: string): void {
  warnings.push(text);
  console.say({ kind: 'warning', text });
}

/**
 * Where the comparisons of an open session begin, if not at today's base: where the base has come up to what is
 * checked out, it would hide the very work that was held. A base that only moved on beside it hides nothing.
 */
export function heldSince(
  state: ExecutionState | undefined,
  base: Base,
  head: string | undefined,
): string | undefined {
  return isOpen(state) && base.commit === head ? state?.base_commit : undefined;
}

/** Whether the last run of this session left something open. */
export function isOpen(state: ExecutionState | undefined): boolean {
  const { last_status: status, run } = state ?? {};
  if (status === undefined) return (run ?? 0) > 0;
  return ['failed', 'retry_limit_exceeded', 'infrastructure_error'].includes(status);
}
