import type { EventOf } from '../../core/event';
import { isJsonObject } from '../../core/json';
import { type Deliberation, outcome, type Step } from '../../core/old-guard';
import type { Snapshot } from '../../core/snapshot';
import { NOTHING } from '../../core/verdict';
import { concluded, oddly } from './conclusion';
import type { LoopConfig } from './config';
import { findLoop, type Place } from './find-loop';
import { type Frame, frameOf, isOurs } from './frame';
import { type Life, lifeOf } from './live';
import * as say from './messages';
import { isSwitchedOff } from './own-places';
import { type Progress, progressOf, TOLD_AFTER } from './progress';
import { type Heard, heardIn } from './signals';
import { type LoopState, phaseOf } from './state';
import { transition } from './transition';
import { type Proof, proofOf } from './verification';
import { isConsumed, lastWords, type Words } from './words';

type Stop = EventOf<'turn.stop'>;

/** One stop of a session that has a loop. */
export interface LoopStop {
  readonly event: Stop;
  readonly config: LoopConfig;
  readonly snapshot: Snapshot;
  readonly place: Place;
  readonly state: LoopState;
  readonly top: Frame | undefined;
  readonly life: Life | undefined;
}

/** Not the loop's are stops of a subagent, of a broken-off turn, while planning, and with work going on behind. */
export function isLoopStop(event: Stop): boolean {
  if (event.agent !== undefined || event.status !== 'completed') return false;
  if (event.permissionMode?.canonical === 'plan') return false;
  return !event.backgroundTasks.some((task) => isJsonObject(task) && task['status'] === 'running');
}

/** Goes one step with the loop of this session, unless somebody else refuses the stop already. */
export function atStop(
  event: Stop,
  config: LoopConfig,
  snapshot: Snapshot,
  deliberation: Deliberation,
): Step {
  const heldByOthers = deliberation.earlier.some(({ verdict }) => 'reason' in verdict);
  if (heldByOthers || !isLoopStop(event)) return outcome(NOTHING);
  const found = findLoop(event, snapshot);
  if (found.kind === 'none') return outcome(NOTHING);
  if (found.kind === 'unclear') return oddly(outcome(NOTHING), [say.unclearState(found.file, found.why)]);
  const { place, state } = found;
  if (phaseOf(state) === 'IDLE' || isSwitchedOff(place, snapshot)) return outcome(NOTHING);
  const top = frameOf(state.stack.at(-1), config.maxIterations);
  const life = lifeOf(snapshot, event.sessionId);
  return drive({ event, config, snapshot, place, state, top, life }, deliberation);
}

function drive(stop: LoopStop, { effectResult }: Deliberation): Step {
  const { event, snapshot, state, top } = stop;
  const words = lastWords(event, snapshot);
  const claimed = hear(stop, words);
  const proof: Proof =
    top && claimed.signal && isActing(state)
      ? proofOf(top, claimed.signal, snapshot, effectResult)
      : { kind: 'none' };
  if (proof.kind === 'wanted') return { kind: 'effect', name: 'verify', input: { ...proof.ask } };
  const heard = proof.kind === 'failed' ? { nearMiss: false } : claimed;
  const progress = standstill(stop, words);
  const remarks = [
    ...(proof.kind === 'failed' ? [proof.refusal] : []),
    ...(heard.nearMiss && stop.config.nearMiss ? [say.NEAR_MISS] : []),
    ...((progress?.streak ?? 0) >= TOLD_AFTER ? [say.STANDSTILL] : []),
  ];
  return concluded(stop, transition(stop, { words, heard, progress }), remarks, proof);
}

function isActing(state: LoopState): boolean {
  return phaseOf(state) === 'ACTIVE' && !state.disabled && state.paused === undefined;
}

function hear({ event, state, top }: LoopStop, words: Words): Heard {
  const deaf = top === undefined || words.text === '' || isConsumed(state, words, event);
  return deaf ? { nearMiss: false } : heardIn(words.text, top.mode);
}

/** Judged only where signs of life are kept: without them nobody would have noted that a tool has written. */
function standstill({ top, life, config, snapshot }: LoopStop, { text }: Words): Progress | undefined {
  if (top === undefined || life === undefined || !config.stall || !isOurs(top)) return undefined;
  return progressOf(top, text, life.wrote, snapshot);
}
