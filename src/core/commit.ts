import { documentFile } from '../state/layout';
import type { Lock } from '../state/lock';
import { applyChanges, lockProject, updateDocuments, type WriteReport } from '../state/update';
import { afterFailedWrite } from './conclude';
import type { Decision } from './decision';
import type { Change } from './document';
import type { EffectOutcomes, Pending } from './evaluate';
import { detailOf, type Failure } from './failure';
import type { Judgement } from './judge';
import { judge } from './judge';
import type { Scene } from './scene';
import { findUnmoved } from './take-snapshot';

/** A judgement whose changes are on disk, as far as they could be brought there. */
export interface Committed {
  readonly judgement: Judgement;
  readonly decision: Decision;
  readonly written: readonly string[];
  readonly setAside: readonly string[];
  readonly failures: readonly Failure[];
  /** Those of them that the session's record does not know, since it was written together with what failed. */
  readonly untold: readonly Failure[];
}

/** The locks that are held right now, for whoever has to let go after the watchdog has struck. */
export type Holding = Set<Lock>;

const PROJECT_WAIT_MS = 3000;
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
  const { layout, stead } = scene;
  if (stead !== undefined && first.changes.length > 0) {
    stead.wish({ layout, changes: first.changes, lines: [] });
    return conclusionOf(scene, first, [], []);
  }
  const project = first.changes.some(isProjectChange)
    ? commitProject(scene, effects, first, holding)
    : { judgement: first, reports: [], failures: [] };
  if ('input' in project) return project;
  const home = project.judgement.changes.filter((change) => !isProjectChange(change));
  if (home.length === 0) return conclusionOf(scene, project.judgement, project.reports, project.failures);
  const mistakes: Mistakes = [];
  const homeReport = updateDocuments(layout, tolerant(scene, home, mistakes), HOME_WAIT_MS);
  const reports = [...project.reports, ...(homeReport.ok ? [homeReport.value] : []), reportOf(mistakes)];
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
    const fresh = restsOnState(first) ? findUnmoved(scene, first.reading) : new Map();
    const judgement = fresh === undefined ? judge(scene, effects) : first;
    if (judgement.evaluation.pending) return judgement.evaluation.pending;
    const mistakes: Mistakes = [];
    const changes = tolerant(scene, judgement.changes.filter(isProjectChange), mistakes);
    const report = applyChanges(scene.layout, lock.value, changes, fresh);
    return { judgement, reports: [report, reportOf(mistakes)], failures: [] };
  } finally {
    lock.value.release();
    holding.delete(lock.value);
  }
}

/**
 * Where only counters are written there is nothing to judge again: they add up on whatever is there,
 * and the verdict is no older than that of an event that writes nothing.
 */
function restsOnState({ changes }: Judgement): boolean {
  return changes.some(({ document }) => document.keeping !== 'bookkeeping');
}

function isProjectChange(change: Change): boolean {
  return change.document.base !== 'home';
}

type Mistakes = WriteReport['failures'][number][];

/** A change that throws on what it finds fails by itself: the other guards' changes and verdicts stand. */
function tolerant({ layout }: Scene, changes: readonly Change[], mistakes: Mistakes): Change[] {
  return changes.map((change) => ({
    ...change,
    apply: (current) => {
      try {
        return change.apply(current);
      } catch (error) {
        const { document } = change;
        const file = documentFile(layout, document);
        const failure = { code: 'state.write-failed', file, detail: detailOf(error) } as const;
        mistakes.push({ keeping: document.keeping, failure });
        return current;
      }
    },
  }));
}

function reportOf(failures: Mistakes): WriteReport {
  return { written: [], setAside: [], failures };
}

/** Failed bookkeeping changes no decision; a hold that could not be counted does not stand. */
function conclusionOf(
  scene: Scene,
  judgement: Judgement,
  reports: readonly WriteReport[],
  lockFailures: readonly Failure[],
): Committed {
  const written = new Set<string>();
  const setAside: string[] = [];
  const failed = [...lockFailures];
  const serious = [...lockFailures];
  for (const report of reports) {
    for (const file of report.written) written.add(file);
    setAside.push(...report.setAside);
    for (const { keeping, failure } of report.failures) {
      failed.push(failure);
      if (keeping !== 'bookkeeping') serious.push(failure);
    }
  }
  // Counters that move at every call are no change worth telling.
  for (const { document } of judgement.changes) {
    if (document.keeping === 'bookkeeping') written.delete(documentFile(scene.layout, document));
  }
  const [failure] = serious;
  const decision =
    failure === undefined
      ? judgement.decision
      : afterFailedWrite(scene.event, judgement.decision, failure, scene.id);
  return {
    judgement,
    decision,
    untold:
      serious.length + setAside.length > 0
        ? [...judgement.evaluation.failures, ...serious, ...setAside.map(keptAside)]
        : [],
    written: [...written],
    setAside,
    failures: [...judgement.evaluation.failures, ...failed, ...setAside.map(keptAside)],
  };
}

/** What stood in a broken file counts no more, so somebody has to hear where it is. */
function keptAside(file: string): Failure {
  return { code: 'state.set-aside', file };
}
