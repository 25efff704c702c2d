import { documentFile } from '../state/layout';
import { applyChanges, lockProject, updateDocuments, type WriteReport } from '../state/update';
import { afterFailedWrite } from './combine';
import type { EventContext } from './context';
import type { Change } from './document';
import { detailOf, type Failure } from './failure';
import { EffectNeeded, type EffectRuns, type Judgement, judge, newWatchdog } from './judge';
import type { Decision } from './verdict';

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

const PROJECT_WAIT_MS = 3000;
const HOME_WAIT_MS = 500;

/** In a server several events are under way; only one of them at a time may hold the project's lock. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Writes first, so that what is printed is true. Under the lock the documents are looked at once more; if one has
 * moved since, the guards decide again on what is there now. Where that makes one of them ask for an effect,
 * nothing is written, and judging begins anew once the effect has run without the lock.
 */
export async function commit(scene: EventContext, effects: EffectRuns, first: Judgement): Promise<Committed> {
  const { layout } = scene;
  const project = first.changes.some(isProjectChange)
    ? await commitProject(scene, effects, first)
    : { judgement: first, reports: [], failures: [] };
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

async function commitProject(
  scene: EventContext,
  effects: EffectRuns,
  first: Judgement,
): Promise<ProjectCommit> {
  const mine = turn.then(() => commitInTurn(scene, effects, first));
  turn = mine.catch(() => undefined);
  const done = await mine;
  if (!(done instanceof EffectNeeded)) return done;
  // How it ends is for the guard that asked for it, which is asked again below.
  await effects.run(done.guard, done.effect).catch(() => undefined);
  return commitProject(scene, effects, await judge(scene, effects));
}

async function commitInTurn(
  scene: EventContext,
  effects: EffectRuns,
  first: Judgement,
): Promise<ProjectCommit | EffectNeeded> {
  const lock = lockProject(scene.layout, PROJECT_WAIT_MS);
  if (!lock.ok) return { judgement: first, reports: [], failures: [lock.failure] };
  try {
    const fresh = restsOnState(first) ? first.world.unmoved() : new Map();
    const judgement = fresh === undefined ? await judge(scene, effects.remembered()) : first;
    const mistakes: Mistakes = [];
    const changes = tolerant(scene, judgement.changes.filter(isProjectChange), mistakes);
    const report = newWatchdog()(() => applyChanges(scene.layout, lock.value, changes, fresh));
    return { judgement, reports: [report, reportOf(mistakes)], failures: [] };
  } catch (error) {
    if (error instanceof EffectNeeded) return error;
    throw error;
  } finally {
    lock.value.release();
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
function tolerant({ layout }: EventContext, changes: readonly Change[], mistakes: Mistakes): Change[] {
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
  scene: EventContext,
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
        ? [...judgement.failures, ...serious, ...setAside.map(keptAside)]
        : [],
    written: [...written],
    setAside,
    failures: [...judgement.failures, ...failed, ...setAside.map(keptAside)],
  };
}

/** What stood in a broken file counts no more, so somebody has to hear where it is. */
function keptAside(file: string): Failure {
  return { code: 'state.set-aside', file };
}
