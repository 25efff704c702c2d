import type { Decision } from '../domain/decision';
import type { Change } from '../domain/document';
import { detailOf, type Failure } from '../domain/failure';
import type { Needs, Snapshot } from '../domain/snapshot';
import { conclude } from '../engine/conclude';
import { isKept } from '../store/layout';
import type { EffectOutcomes, Evaluation } from './evaluate';
import { evaluate } from './evaluate';
import type { ActiveGuard, Scene } from './scene';
import { watchSession } from './session-watch';
import type { Reading } from './snapshot';
import { takeSnapshot } from './snapshot';

/** What one look at the world leads to. Nothing has been written yet. */
export interface Judgement {
  readonly reading: Reading;
  readonly evaluation: Evaluation;
  readonly decision: Decision;
  readonly changes: readonly Change[];
}

/** For an event that another process has answered: both answers reach the host, and one is enough. */
const SILENCE: Omit<Judgement, 'reading'> = {
  evaluation: { spoken: [], changes: [], failures: [], notes: [], armed: [] },
  decision: { kind: 'nothing', toAgent: [], toPerson: [] },
  changes: [],
};

/** Reads what the guards need, lets them speak, and concludes. Repeatable: it changes nothing. */
export function judge(scene: Scene, effects: EffectOutcomes): Judgement {
  const outcomes = new Map(effects);
  const asks = scene.guards.map((active) => (known: Snapshot): Needs => {
    const needs = needsOf(scene, active, known);
    if ('code' in needs) outcomes.set(active.guard.name, { failure: needs });
    return 'code' in needs ? {} : needs;
  });
  const reading = takeSnapshot(scene, [() => ownNeeds(scene), ...asks]);
  const { snapshot } = reading;
  if (snapshot.refusedStops.elsewhere) return { reading, ...SILENCE };
  const evaluation = evaluate(scene, snapshot, outcomes);
  const watch = watchSession(scene, snapshot, evaluation);
  const conclusion = conclude({
    event: scene.event,
    spoken: evaluation.spoken,
    failures: evaluation.failures,
    remarks: watch,
    snapshot,
    limit: scene.stopLimit,
    id: scene.id,
    clock: Date.now,
  });
  const changes = [...evaluation.changes, ...watch.changes, ...conclusion.changes].filter(({ document }) =>
    isKept(scene.layout, document.base),
  );
  return { reading, evaluation, decision: conclusion.decision, changes };
}

function needsOf(scene: Scene, { guard, config }: ActiveGuard, known: Snapshot): Needs | Failure {
  try {
    return guard.needs(scene.event, config, known);
  } catch (error) {
    return { code: 'guard.threw', guard: guard.name, detail: detailOf(error) };
  }
}

function ownNeeds(scene: Scene): Needs {
  return scene.event.kind === 'session.start' ? { sessions: true } : {};
}
