import type { Decision } from '../domain/decision';
import type { Failure } from '../domain/failure';
import { withoutUncountedHold } from '../engine/conclude';
import type { Lock } from '../store/lock';
import { lockProject, updateDocuments } from '../store/update';
import { applyChanges, type WriteReport } from '../store/write';
import type { EffectOutcomes, Pending } from './evaluate';
import type { Judgement } from './judge';
import { judge } from './judge';
import type { Scene } from './scene';
import { hasMoved } from './snapshot';

/** A judgement whose changes are on disk, as far as they could be brought there. */
export interface Committed {
  readonly judgement: Judgement;
  readonly decision: Decision;
  readonly written: readonly string[];
  readonly setAside: readonly string[];
  readonly failures: readonly Failure[];
}

/** The locks that are held right now, for whoever has to let go after the watchdog has struck. */
export type Holding = Set<Lock>;

const PROJECT_WAIT_MS = 2000;
const HOME_WAIT_MS = 500;

/**
 * Writes first, so that what is printed is true. Under the lock the documents are looked at once
 * more; if one has moved since, the guards decide again on what is there now. Where that makes one
 * of them ask for an effect, nothing is written and the effect is handed back, to be run without the lock.
 */
export function commit(
  scene: Scene,
  effects: EffectOutcomes,
  first: Judgement,
  holding: Holding,
): Committed | Pending {
  const project = first.changes.some(isProjectChange)
    ? commitProject(scene, effects, first, holding)
    : { judgement: first, reports: [], failures: [] };
  if ('input' in project) return project;
  const home = project.judgement.changes.filter((change) => !isProjectChange(change));
  const homeReport = updateDocuments(scene.layout, home, HOME_WAIT_MS);
  const reports = [...project.reports, ...(homeReport.ok ? [homeReport.value] : [])];
  return conclusionOf(scene, project.judgement, reports, project.failures);
}

interface ProjectCommit {
  readonly judgement: Judgement;
  readonly reports: readonly WriteReport[];
  readonly failures: readonly Failure[];
}

function commitProject(
  scene: Scene,
  effects: EffectOutcomes,
  first: Judgement,
  holding: Holding,
): ProjectCommit | Pending {
  const lock = lockProject(scene.layout, PROJECT_WAIT_MS);
  if (!lock.ok) return { judgement: first, reports: [], failures: [lock.failure] };
  holding.add(lock.value);
  try {
    const judgement = hasMoved(scene, first.reading) ? judge(scene, effects) : first;
    if (judgement.evaluation.pending) return judgement.evaluation.pending;
    const report = applyChanges(scene.layout, lock.value, judgement.changes.filter(isProjectChange));
    return { judgement, reports: [report], failures: [] };
  } finally {
    lock.value.release();
    holding.delete(lock.value);
  }
}

function isProjectChange(change: Judgement['changes'][number]): boolean {
  return change.document.base !== 'home';
}

/** Failed bookkeeping changes no decision; a hold that could not be counted does not stand. */
function conclusionOf(
  scene: Scene,
  judgement: Judgement,
  reports: readonly WriteReport[],
  lockFailures: readonly Failure[],
): Committed {
  const writes = reports.flatMap((report) => report.failures);
  const serious = [
    ...lockFailures,
    ...writes.filter(({ keeping }) => keeping !== 'bookkeeping').map(({ failure }) => failure),
  ];
  const [failure] = serious;
  const decision =
    failure === undefined
      ? judgement.decision
      : withoutUncountedHold(scene.event, judgement.decision, failure);
  return {
    judgement,
    decision,
    written: reports.flatMap((report) => report.written),
    setAside: reports.flatMap((report) => report.setAside),
    failures: [...judgement.evaluation.failures, ...lockFailures, ...writes.map((write) => write.failure)],
  };
}
