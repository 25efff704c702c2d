import { join } from 'node:path';
import { fail, type Result } from '../../domain/failure';
import { acquireLock } from '../../store/lock';
import { applyInstall, applyRemoval } from './apply';
import * as say from './messages';
import type { Plan } from './plan';
import { planInstall } from './plan-install';
import { planRemoval } from './plan-removal';
import type { InstallRequest, RemovalRequest } from './request';

const WAIT_MS = 10_000;

/** Installs, with nobody else of ours at it at the same time. Tells what was done. */
export function install(request: InstallRequest): Result<Plan, string> {
  return alone(request, () => {
    const plan = planInstall(request);
    return plan.ok ? applyInstall(plan.value, request) : plan;
  });
}

/** Takes out again what `install` has put in. Tells what was done. */
export function uninstall(request: RemovalRequest): Result<Plan, string> {
  return alone(request, () => {
    const plan = planRemoval(request);
    return plan.ok ? applyRemoval(plan.value, request) : plan;
  });
}

/** One lock for all: every installation also writes what starts the hook. */
function alone(request: RemovalRequest, work: () => Result<Plan, string>): Result<Plan, string> {
  const lock = acquireLock(join(request.ground.home, '.config', 'holdpoint', 'install.lock'), WAIT_MS);
  if (!lock.ok) return fail(say.locked('holder' in lock.failure ? lock.failure.holder : lock.failure.code));
  try {
    return work();
  } finally {
    lock.value.release();
  }
}
