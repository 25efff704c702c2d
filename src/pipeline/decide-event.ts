import type { Answer } from '../domain/decision';
import type { Failure } from '../domain/failure';
import type { GuardName } from '../domain/guard-name';
import { degradeChange } from '../engine/degrade';
import { hostCalled } from '../hosts/host-table';
import { updateDocuments } from '../store/update';
import { answerEvent, answerNoEvent, answerNote, type Handled } from './answer';
import { type Committed, commit, type Holding } from './commit';
import { runEffect } from './effects';
import type { EffectOutcome } from './evaluate';
import type { FirstLook } from './first-look';
import { judge } from './judge';
import { homelessNote, unconfiguredNote } from './messages';
import type { Scene } from './scene';
import { setScene } from './set-scene';
import type { Surroundings } from './surroundings';
import { withinDeadline } from './watchdog';

const WATCHDOG_MS = 5000;
const DEGRADE_WAIT_MS = 500;

/** The second half of an event's way, for events that somebody watches. */
export async function decideEvent(
  look: Exclude<FirstLook, { kind: 'unwatched' }>,
  surroundings: Surroundings,
): Promise<Answer> {
  switch (look.kind) {
    case 'no-event':
      return answerNoEvent(look.failure, look.project, surroundings.now);
    case 'unconfigured':
      return answerNote(
        hostCalled(look.glance.host).parse(look.raw, surroundings.now),
        unconfiguredNote(look.root),
      );
    case 'homeless':
      return answerNote(
        hostCalled(look.glance.host).parse(look.raw, surroundings.now),
        homelessNote(look.glance.cwd),
      );
    case 'watched': {
      const { scene, failures } = setScene(look, surroundings);
      return answerEvent(await decide(scene, failures), look.selection.unknown);
    }
  }
}

/** Judges, runs effects between judgements, and commits the last one; all but the effects under the watchdog. */
async function decide(scene: Scene, before: readonly Failure[]): Promise<Handled> {
  const effects = new Map<GuardName, EffectOutcome>();
  const holding: Holding = new Set();
  for (;;) {
    const step = withinDeadline(WATCHDOG_MS, () => {
      const judgement = judge(scene, effects);
      return judgement.evaluation.pending ?? commit(scene, effects, judgement, holding);
    });
    if (!step.ok) return struck(scene, [...before, step.failure], holding);
    if (!('input' in step.value)) return finish(scene, step.value, before);
    effects.set(step.value.guard, await runEffect(scene, step.value));
  }
}

function finish(scene: Scene, committed: Committed, before: readonly Failure[]): Handled {
  const unmarked = [...before, ...committed.untold];
  const unwritten = unmarked.length > 0 ? markDegraded(scene, unmarked) : [];
  return {
    scene,
    decision: committed.decision,
    spoken: committed.judgement.evaluation.spoken,
    written: committed.written,
    setAside: committed.setAside,
    failures: [...before, ...committed.failures, ...unwritten],
  };
}

/** The watchdog ended the work in the middle: let go of what it held, mark the session, allow. */
function struck(scene: Scene, failures: readonly Failure[], holding: Holding): Handled {
  for (const lock of holding) lock.release();
  const unwritten = markDegraded(scene, failures);
  const decision = { kind: 'nothing', toAgent: [], toPerson: [] } as const;
  return { scene, decision, spoken: [], written: [], setAside: [], failures: [...failures, ...unwritten] };
}

/** For failures that no guard's commit carries: an attempt by itself, whose own failing is told as well. */
function markDegraded(scene: Scene, failures: readonly Failure[]): readonly Failure[] {
  const { event } = scene;
  if (event.sessionId === '') return [];
  const change = degradeChange(event.sessionId, failures, event.at);
  const report = updateDocuments(scene.layout, [change], DEGRADE_WAIT_MS);
  if (!report.ok) return isKnown(failures, report.failure) ? [] : [report.failure];
  return report.value.failures.map(({ failure }) => failure).filter((one) => !isKnown(failures, one));
}

function isKnown(failures: readonly Failure[], one: Failure): boolean {
  return failures.some(({ code }) => code === one.code);
}
