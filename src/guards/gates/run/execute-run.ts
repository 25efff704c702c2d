import { join } from 'node:path';
import { detailOf } from '../../../core/failure';
import { Canceller, type CancelSignal } from '../../../exec/cancel-signal';
import { dismissGuardian } from '../../../exec/guardian';
import { enlist } from '../../../exec/process-group';
import { removeLeftovers } from '../../../state/write-file';
import { gateNames } from '../detect/jobs';
import type { RunResult } from '../run-result';
import { ConsoleLog } from './console-log';
import { debugLog } from './debug-log';
import { takeLease } from './lease';
import type { LeaseHolder } from './lease-holder';
import { livingLease } from './lease-holder';
import { LOCK_NAME, logDirOf } from './log-dir';
import { configRefused, killedBefore, runInProgress, unknownGate } from './messages';
import type { RunRequest } from './request';
import { errorResult, idleResult } from './results';
import { runUnderLease } from './run-under-lease';

/**
 * Runs the gates that the changes concern, and answers with what they came to. Never throws and never exits;
 * when a signal ends us, what runs is ended first and the lease is given back.
 */
export async function executeRun(request: RunRequest): Promise<RunResult> {
  const refused = refusalOf(request);
  if (refused !== undefined) return errorResult(refused);
  const interrupted = new Canceller();
  const leave = enlist(() => interrupted.abort());
  try {
    return await withLease(request, interrupted.signal);
  } catch (error) {
    return errorResult(detailOf(error));
  } finally {
    await dismissGuardian();
    leave();
  }
}

/** A config that is wrong in any part is not run in part: nobody would see what was left out. */
function refusalOf({ problems, config, select }: RunRequest): string | undefined {
  if (problems.length > 0) return configRefused(problems);
  const known = gateNames(config);
  const isUnknown = select.gate !== undefined && !known.includes(select.gate);
  return isUnknown ? unknownGate(select.gate, known) : undefined;
}

async function withLease(request: RunRequest, signal: CancelSignal): Promise<RunResult> {
  const logDir = logDirOf(request.root, request.config);
  const debug = debugLog(logDir, request.config);
  const file = join(logDir, LOCK_NAME);
  const living = request.looksFirst ? livingLease(file, Date.now()) : undefined;
  if (living !== undefined) return inProgress('lock_exists', file, living);
  const taken = takeLease(logDir);
  debug(`COMMAND ${request.command}`);
  if (taken.kind === 'held') return inProgress('lock_conflict', taken.file, taken.holder);
  try {
    removeLeftovers(logDir, Date.now());
    const console = new ConsoleLog(request.reporter);
    const killed = taken.dead && killedBefore(taken.dead);
    const warnings = killed === undefined ? [] : [killed];
    const result = await runUnderLease({ request, logDir, console, debug, signal, warnings });
    return killed === undefined ? result : { ...result, killed };
  } finally {
    taken.lease.release();
  }
}

function inProgress(status: 'lock_exists' | 'lock_conflict', file: string, holder: LeaseHolder): RunResult {
  return idleResult(status, { message: runInProgress(file, holder, Date.now()) });
}
