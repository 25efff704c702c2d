import { dirname } from 'node:path';
import type { Change, DocumentRef } from '../core/document';
import { documentKey } from '../core/document';
import type { Result } from '../core/failure';
import { detailOf, fail, succeed } from '../core/failure';
import type { Layout } from './layout';
import { containerOf, documentFile, isKept, projectLockFile } from './layout';
import type { Lock } from './lock';
import { acquireLock } from './lock';
import { placeOf } from './place';
import { isStraightDirectory } from './straight-places';
import type { WriteReport } from './write';
import { applyChanges } from './write';

const NOTHING: WriteReport = { written: [], setAside: [], failures: [] };

/** The lock of one document in the home directory, which projects share. */
export function homeLockFile(layout: Layout, ref: DocumentRef): string {
  return `${documentFile(layout, ref)}.lock`;
}

/** Takes the lock of the project, unless a link would lead it elsewhere. */
export function lockProject(layout: Layout, waitMs: number): Result<Lock> {
  const { soleLock } = layout;
  const container = () => (soleLock === undefined ? containerOf(layout, 'own') : dirname(dirname(soleLock)));
  return lockInside(layout, projectLockFile(layout), container, waitMs);
}

/** Takes the lock of one document in the home directory. Never while the project's is held. */
function lockHome(layout: Layout, ref: DocumentRef, waitMs: number): Result<Lock> {
  return lockInside(layout, homeLockFile(layout, ref), () => containerOf(layout, 'home'), waitMs);
}

/**
 * Changes documents, waiting at most `waitMs` for each lock. Fails as a whole only when the project's
 * lock is not to be had; a document in the home directory that cannot be locked fails by itself.
 */
export function updateDocuments(
  layout: Layout,
  changes: readonly Change[],
  waitMs: number,
): Result<WriteReport> {
  if (changes.length === 0) return succeed(NOTHING);
  const reports: WriteReport[] = [];
  const kept = changes.filter((change) => isKept(layout, change.document.base));
  const inProject = kept.filter((change) => change.document.base !== 'home');
  if (inProject.length > 0) {
    const lock = lockProject(layout, waitMs);
    if (!lock.ok) return lock;
    reports.push(applyAndRelease(layout, lock.value, inProject));
  }
  const inHome = kept.filter((change) => change.document.base === 'home');
  for (const key of new Set(inHome.map((change) => documentKey(change.document)))) {
    const mine = inHome.filter((change) => documentKey(change.document) === key);
    reports.push(updateHome(layout, mine, waitMs));
  }
  return succeed({
    written: reports.flatMap((report) => report.written),
    setAside: reports.flatMap((report) => report.setAside),
    failures: reports.flatMap((report) => report.failures),
  });
}

function updateHome(layout: Layout, changes: readonly Change[], waitMs: number): WriteReport {
  const ref = changes[0]?.document;
  if (!ref) return NOTHING;
  const lock = lockHome(layout, ref, waitMs);
  if (lock.ok) return applyAndRelease(layout, lock.value, changes);
  return { ...NOTHING, failures: [{ keeping: ref.keeping, failure: lock.failure }] };
}

function applyAndRelease(layout: Layout, lock: Lock, changes: readonly Change[]): WriteReport {
  try {
    return applyChanges(layout, lock, changes);
  } finally {
    lock.release();
  }
}

/** The container is asked for only where a link is in sight. */
function lockInside(layout: Layout, file: string, container: () => string, waitMs: number): Result<Lock> {
  try {
    if (isStraightDirectory(layout, dirname(file))) return acquireLock(file, waitMs);
    const place = placeOf(container(), file);
    if (place.kind === 'outward' && !place.isFile) {
      return fail({ code: 'state.outside', file, target: place.target });
    }
  } catch (error) {
    return fail({ code: 'state.write-failed', file, detail: detailOf(error) });
  }
  return acquireLock(file, waitMs);
}
