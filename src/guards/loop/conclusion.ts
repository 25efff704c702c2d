import type { Change } from '../../core/document';
import type { Failure } from '../../core/failure';
import { outcome, type Step } from '../../core/old-guard';
import { type Grounds, NOTHING, type Verdict } from '../../core/verdict';
import type { LoopStop } from './at-stop';
import { continuationOf } from './continuation';
import type { Frame } from './frame';
import { keepState } from './keep';
import { clearedAway } from './leftovers';
import { BEAT_EVERY_MS, beat, silence } from './live';
import * as say from './messages';
import { loopDirs } from './own-places';
import type { Transition } from './stack';
import { pauseIn } from './state';
import type { Proof } from './verification';

/** What a transition means to the host, to the disk and to people. `remarks` are for the frame that goes on. */
export function concluded(stop: LoopStop, step: Transition, remarks: readonly string[], proof: Proof): Step {
  const { goOn, warning } = step;
  const changes = changesOf(stop, step);
  const note = proof.kind === 'unvouched' ? say.unvouched(proof.command) : undefined;
  const odd = warning === undefined ? [] : [warning];
  if (goOn === undefined) return oddly(outcome(passing(stop, step, note), changes), odd.map(ofRun(stop)));
  const { snapshot, place, config } = stop;
  const own = step.to === 'ACTIVE' ? remarks : [];
  const missing = proof.kind === 'failed' ? say.WHY_HELD.unproven : say.WHY_HELD.noSignal;
  const why = step.to === 'ACTIVE' ? missing : say.WHY_HELD.innerDone;
  const { reason, warnings } = continuationOf(goOn, snapshot, loopDirs(place, snapshot), own);
  const grounds = [groundsOf(goOn, why)];
  const verdict: Verdict =
    config.output === 'exit0-json'
      ? { kind: 'hold', reason, plain: true, grounds }
      : { kind: 'hold', reason, grounds };
  const held = outcome(verdict, [...changes, ...signsOfLife(stop)]);
  const told = [...odd, ...warnings, ...oddMode(goOn), ...(note === undefined ? [] : [note])];
  return told.length === 0 ? held : oddly(held, told.map(ofRun(stop)));
}

/** The state itself says that the loop lives; beside it only what tools have done since has to be forgotten. */
function signsOfLife({ event, life, snapshot }: LoopStop): Change[] {
  const { sessionId } = event;
  const isSaid = life !== undefined && !life.wrote && snapshot.now - life.heartbeat < BEAT_EVERY_MS;
  return sessionId === '' || isSaid ? [] : [beat(sessionId, snapshot.now, false)];
}

/** The step with what is odd about the loop, for who reads along. */
export function oddly(step: Step, details: readonly string[]): Step {
  if (step.kind !== 'outcome' || details.length === 0) return step;
  return { ...step, troubles: details.map((detail): Failure => ({ code: 'loop.odd-state', detail })) };
}

function groundsOf(frame: Frame, why: string): Grounds {
  const fact = say.holdFact(modeName(frame), frame.iter, frame.max, why);
  return { rule: 'loop', fact, clear: say.CLEAR, waive: say.WAIVE };
}

function oddMode(frame: Frame): string[] {
  return frame.mode === 'unknown' ? [say.unknownMode(modeName(frame))] : [];
}

/** The mode as it was written. */
export function modeName({ raw, mode }: Frame): string {
  const written = raw['mode'];
  return typeof written === 'string' ? written : mode;
}

/** A loop that is over, or rests, is as good as silent. */
function changesOf(stop: LoopStop, { next, goOn, reason, to }: Transition): Change[] {
  const { event, place, snapshot, state } = stop;
  if (next === undefined) return [];
  const what = goOn === undefined ? `loop ${reason ?? to}` : `loop iteration ${goOn.iter}/${goOn.max}`;
  const rests = next['event'] !== 'STATE' || pauseIn(next['paused']) !== undefined;
  const quiet = rests && event.sessionId !== '' ? [silence(event.sessionId)] : [];
  const isPlain = (path: string): boolean => snapshot.files.get(path)?.kind === 'file';
  // The next iteration needs all that this one had.
  const isNext = to === 'ACTIVE' && goOn !== undefined;
  const cleared = isNext ? [] : clearedAway(state.stack, next, loopDirs(place, snapshot), isPlain);
  return [keepState(place, next, what), ...quiet, ...cleared];
}

/** The person hears that the loop ended, or waits, where nobody asked for it. */
function passing(
  { snapshot }: LoopStop,
  { reason, next, capped }: Transition,
  proof: string | undefined,
): Verdict {
  const pause = next?.['event'] === 'STATE' ? pauseIn(next['paused']) : undefined;
  const notes = [
    capped === true ? say.capNote(snapshot.refusedStops.inRow) : undefined,
    pause === undefined ? undefined : say.pausedNote(pause),
    reason === undefined ? undefined : say.endedNote(reason),
    proof === undefined ? undefined : `The loop: ${proof}.`,
  ].filter((note) => note !== undefined);
  if (notes.length === 0) return NOTHING;
  const toPerson = notes.join(' ');
  return { kind: 'advise', toPerson, grounds: [{ rule: 'loop', fact: toPerson, clear: say.CLEAR }] };
}

function ofRun({ state }: LoopStop): (what: string) => string {
  const run = state.envelope['run_id'];
  return (what) => say.oddRun(typeof run === 'string' ? run : '', what);
}
