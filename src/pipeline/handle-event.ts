import type { Answer } from '../domain/decision';
import type { Failure } from '../domain/failure';
import type { GuardName } from '../domain/guard-name';
import { degrade } from '../engine/conclude';
import { selectGuards } from '../engine/selection';
import { recordFrom, recordToJson, sessionRecordRef } from '../engine/session-record';
import { updateDocuments } from '../store/update';
import { answerEvent, answerFailure, type Handled } from './answer';
import type { Committed, Holding } from './commit';
import { commit } from './commit';
import { runEffect } from './effects';
import type { EffectOutcome } from './evaluate';
import { judge } from './judge';
import { unconfiguredNote, unknownOnly } from './messages';
import { findProject } from './project';
import { readEvent } from './read-event';
import type { Scene } from './scene';
import { setScene } from './set-scene';
import type { Surroundings } from './surroundings';
import { withinDeadline } from './watchdog';

const WATCHDOG_MS = 5000;
const DEGRADE_WAIT_MS = 500;

/** The whole way of an event, from the host's bytes to the bytes for the host. */
export async function handleEvent(text: string, surroundings: Surroundings): Promise<Answer> {
  const { env, chunks } = surroundings;
  const arrival = readEvent(text, surroundings.host, surroundings.now);
  if (!arrival.ok) return answerFailure(arrival.failure, surroundings);
  const { host, event } = arrival.value;
  const selection = selectGuards(surroundings.only, env);
  const warnings = selection.unknown.length > 0 ? [unknownOnly(selection.unknown)] : [];
  const project = findProject(event, env, chunks.askGit);
  if (project?.layout === undefined) return answerEvent(host, event, undefined, warnings);
  const stage = setScene(event, { ...project, layout: project.layout }, selection, env, chunks);
  if (!stage.concerned) {
    const unguarded = event.kind === 'session.start' && event.source === 'startup' && !project.configured;
    return answerEvent(
      host,
      event,
      undefined,
      warnings,
      unguarded ? unconfiguredNote(project.root) : undefined,
    );
  }
  const handled = await decide(stage.scene, stage.failures);
  return answerEvent(host, event, handled, warnings);
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
  if (before.length > 0) markDegraded(scene, before);
  return {
    scene,
    decision: committed.decision,
    spoken: committed.judgement.evaluation.spoken,
    written: committed.written,
    setAside: committed.setAside,
    failures: [...before, ...committed.failures],
  };
}

/** The watchdog ended the work in the middle: let go of what it held, mark the session, allow. */
function struck(scene: Scene, failures: readonly Failure[], holding: Holding): Handled {
  for (const lock of holding) lock.release();
  markDegraded(scene, failures);
  const decision = { kind: 'nothing', toAgent: [], toPerson: [] } as const;
  return { scene, decision, spoken: [], written: [], setAside: [], failures };
}

/** For failures that no guard's commit carries: an attempt by itself, whose own failing only the journal notes. */
function markDegraded(scene: Scene, failures: readonly Failure[]): void {
  const { event } = scene;
  if (event.sessionId === '') return;
  const change = {
    document: sessionRecordRef(event.sessionId),
    what: 'degraded session',
    apply: (current: Parameters<typeof recordFrom>[0]) =>
      recordToJson(degrade(recordFrom(current, event.sessionId), failures, event.at), event.at),
  };
  updateDocuments(scene.layout, [change], DEGRADE_WAIT_MS);
}
