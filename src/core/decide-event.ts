import { hostCalled } from '../hosts/host-table';
import { keepScans } from '../state/topic-index';
import { updateDocuments } from '../state/update';
import { answerEvent, answerNoEvent, answerNote, answerSettingsChange, type Handled } from './answer';
import { type Committed, commit, type Holding } from './commit';
import type { Answer } from './decision';
import { degradeChange } from './degrade';
import { runEffect } from './effects';
import type { EffectOutcomes, Pending } from './evaluate';
import { type Failure, succeed } from './failure';
import type { FirstLook, Watched } from './first-look';
import { judge } from './judge';
import { homelessNote, unarmedNote, unconfiguredNote } from './messages';
import { registerNameless } from './nameless-sessions';
import type { Scene } from './scene';
import { setScene } from './set-scene';
import { leaveUnlessRepeatable } from './stead';
import type { Surroundings } from './surroundings';
import { withinDeadline } from './watchdog';

const WATCHDOG_MS = 5000;
const DEGRADE_WAIT_MS = 500;

/** The second half of an event's way, for events that somebody watches. */
export function decideEvent(
  look: Exclude<FirstLook, { kind: 'unwatched' }>,
  surroundings: Surroundings,
): Answer | Promise<Answer> {
  switch (look.kind) {
    case 'no-event':
      return answerNoEvent(look.failure, look.project, surroundings.now);
    case 'unconfigured':
      registerNameless(look, surroundings);
      return note(look, unconfiguredNote(look.project.root), surroundings);
    case 'unarmed':
      registerNameless(look, surroundings);
      return note(look, unarmedNote(look.project.root), surroundings);
    case 'settings-changed':
      return answerSettingsChange(look, surroundings);
    case 'homeless':
      return note(look, homelessNote(look.glance.cwd), surroundings);
    case 'watched': {
      const { scene, failures } = setScene(look, surroundings);
      const handled = decide(scene, failures, new Map());
      const answer = (done: Handled): Answer => {
        const said = answerEvent(done, look.selection.unknown);
        keepScans(scene.layout);
        return said;
      };
      return handled instanceof Promise ? handled.then(answer) : answer(handled);
    }
  }
}

function note(
  { glance, raw }: Pick<Watched, 'glance' | 'raw'>,
  text: string,
  { chunks, now }: Surroundings,
): Answer {
  return answerNote(hostCalled(glance.host, chunks.host).parse(raw, now), text, chunks);
}

/** Judges and commits under the watchdog. Where a guard asks for an effect, that is run first, without it. */
function decide(
  scene: Scene,
  before: readonly Failure[],
  effects: EffectOutcomes,
): Handled | Promise<Handled> {
  const holding: Holding = new Set();
  const { stead } = scene;
  const work = (): Committed | Pending => {
    const judgement = judge(scene, effects);
    if (stead !== undefined) leaveUnlessRepeatable(stead, scene.event, before, judgement);
    return judgement.evaluation.pending ?? commit(scene, effects, judgement, holding);
  };
  const step = surelyEnds(scene) ? succeed(work()) : withinDeadline(stead?.watchdogMs ?? WATCHDOG_MS, work);
  if (!step.ok) return struck(scene, [...before, step.failure], holding);
  const pending = step.value;
  if (!('input' in pending)) return finish(scene, pending, before, effects.size > 0 && isAnnounced(effects));
  return runEffect(scene, pending).then((outcome) =>
    decide(scene, before, new Map([...effects, [pending.guard, outcome]])),
  );
}

/** To be watched takes a thread of its own, so nobody is where no guard could go on for ever. */
function surelyEnds({ guards, event }: Scene): boolean {
  for (const { guard, config } of guards) if (guard.surelyEnds?.(event, config) !== true) return false;
  return true;
}

function isAnnounced(effects: EffectOutcomes): boolean {
  for (const { announced } of effects.values()) if (announced === true) return true;
  return false;
}

function finish(scene: Scene, committed: Committed, before: readonly Failure[], announced: boolean): Handled {
  const unmarked = [...before, ...committed.untold];
  if (unmarked.length > 0) scene.stead?.leave('failure');
  const unwritten = unmarked.length > 0 ? markDegraded(scene, unmarked) : [];
  return {
    scene,
    decision: committed.decision,
    spoken: committed.judgement.evaluation.spoken,
    written: committed.written,
    setAside: committed.setAside,
    failures: [...before, ...committed.failures, ...unwritten],
    announced,
    notes: committed.judgement.evaluation.notes,
  };
}

/** The watchdog ended the work in the middle: let go of what it held, mark the session, allow. */
function struck(scene: Scene, failures: readonly Failure[], holding: Holding): Handled {
  for (const lock of holding) lock.release();
  scene.stead?.leave('deadline');
  const unwritten = markDegraded(scene, failures);
  const decision = { kind: 'nothing', toAgent: [], toPerson: [] } as const;
  return {
    scene,
    decision,
    spoken: [],
    written: [],
    setAside: [],
    failures: [...failures, ...unwritten],
    announced: false,
    notes: [],
  };
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
