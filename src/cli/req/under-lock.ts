import type { Change } from '../../core/document';
import { fail, type Result, succeed } from '../../core/failure';
import type { Layout } from '../../state/layout';
import { applyChanges, lockProject } from '../../state/update';

/** A person waits longer than a hook may. */
const WAIT_MS = 10_000;

/**
 * Plans changes to the project's state and writes them while nobody else may: what the plan reads
 * is what it changes. Tells the files that were written; the first failure counts for all.
 */
export function changeState(layout: Layout, plan: () => readonly Change[]): Result<readonly string[]> {
  const lock = lockProject(layout, WAIT_MS);
  if (!lock.ok) return lock;
  try {
    const { written, failures } = applyChanges(layout, lock.value, plan());
    const [first] = failures;
    return first === undefined ? succeed(written) : fail(first.failure);
  } finally {
    lock.value.release();
  }
}
