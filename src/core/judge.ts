import { isKept } from '../state/layout';
import { conclude } from './conclude';
import type { Decision } from './decision';
import type { Change } from './document';
import type { EffectOutcome, EffectOutcomes, Evaluation } from './evaluate';
import { evaluate } from './evaluate';
import { detailOf } from './failure';
import type { GuardName } from './guard-name';
import type { Scene } from './scene';
import { watchSession } from './session-watch';
import type { Needs, Snapshot } from './snapshot';
import type { Reading } from './take-snapshot';
import { takeSnapshot } from './take-snapshot';

/** What one look at the world leads to. Nothing has been written yet. */
export interface Judgement {
  readonly reading: Reading;
  readonly evaluation: Evaluation;
  readonly decision: Decision;
  readonly changes: readonly Change[];
}

/** Reads what the guards need, lets them speak, and concludes. Repeatable: it changes nothing. */
export function judge(scene: Scene, effects: EffectOutcomes): Judgement {
  const failed: Failed = [];
  const reading = takeSnapshot(scene, (known) => needsOf(scene, known, failed));
  const { snapshot } = reading;
  if (snapshot.refusedStops.elsewhere) return answeredElsewhere(reading);
  const evaluation = evaluate(
    scene,
    snapshot,
    failed.length === 0 ? effects : new Map([...effects, ...failed]),
  );
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

/** For an event that another process has answered: both answers reach the host, and one is enough. */
function answeredElsewhere(reading: Reading): Judgement {
  return {
    reading,
    evaluation: { spoken: [], changes: [], failures: [], notes: [], armed: [] },
    decision: { kind: 'nothing', toAgent: [], toPerson: [] },
    changes: [],
  };
}

type Failed = [GuardName, EffectOutcome][];

/** What the frame and the guards ask for. A guard that throws asks for nothing and has failed. */
function needsOf({ event, guards }: Scene, known: Snapshot, failed: Failed): Needs[] {
  const asked: Needs[] = event.kind === 'session.start' ? [{ sessions: true }] : [];
  for (const { guard, config } of guards) {
    try {
      asked.push(guard.needs(event, config, known));
    } catch (error) {
      const failure = { code: 'guard.threw', guard: guard.name, detail: detailOf(error) } as const;
      failed.push([guard.name, { failure }]);
    }
  }
  return asked;
}
