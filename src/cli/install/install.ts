import { dirname, join } from 'node:path';
import { type Failure, fail, type Result } from '../../core/failure';
import { acquireLock } from '../../state/lock';
import { applyInstall, applyRemoval } from './apply';
import { removeLeftovers } from './leftovers';
import * as say from './messages';
import { missingDirectories } from './missing-directories';
import type { Plan } from './plan';
import { planInstall } from './plan-install';
import { planRemoval } from './plan-removal';
import { homeRecordsFile, recordsFile } from './records';
import type { InstallRequest, RemovalRequest } from './request';
import { CLIENT_FILE, LAUNCH_FILE, LIBRARY_FILE } from './start-line';
import { removeDirectories } from './write-change';

const WAIT_MS = 10_000;

/** Installs, with nobody else of ours at it at the same time. Tells what was done. */
export function install(request: InstallRequest): Result<Plan, string> {
  return alone(request, () => {
    const plan = planInstall(request);
    if (!plan.ok) return plan;
    sweep(plan.value, request);
    return applyInstall(plan.value, request);
  });
}

/** Takes out again what `install` has put in. Tells what was done. */
export function uninstall(request: RemovalRequest): Result<Plan, string> {
  return alone(request, () => {
    const plan = planRemoval(request);
    if (!plan.ok) return plan;
    sweep(plan.value, request);
    return applyRemoval(plan.value, request);
  });
}

/** One lock for all: every installation also writes what starts the hook. */
function alone(request: RemovalRequest, work: () => Result<Plan, string>): Result<Plan, string> {
  const directory = join(request.ground.home, dirname(LAUNCH_FILE));
  const file = join(directory, 'install.lock');
  const made = missingDirectories(file);
  const lock = acquireLock(file, WAIT_MS);
  try {
    if (!lock.ok) return fail(notAlone(lock.failure));
    const starters = [LAUNCH_FILE, LIBRARY_FILE, CLIENT_FILE].map((name) => join(request.ground.home, name));
    removeLeftovers([file, ...starters]);
    return work();
  } finally {
    if (lock.ok) lock.value.release();
    removeDirectories([...new Set([...made, directory])]);
  }
}

function notAlone(failure: Failure): string {
  return failure.code === 'lock.timeout'
    ? say.locked(failure.holder)
    : say.notLocked('detail' in failure ? failure.detail : failure.code);
}

/** Every file of ours that is written beside itself first. */
function sweep({ changes, unchanged }: Plan, { scope, commonDir, ground }: RemovalRequest): void {
  const files = [...changes, ...unchanged].map(({ file }) => file);
  removeLeftovers([...files, homeRecordsFile(ground.home), recordsFile(scope, commonDir, ground.home)]);
}
