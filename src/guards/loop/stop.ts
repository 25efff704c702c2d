import type { Change } from '../../core/document';
import type { EventOf } from '../../core/event';
import type { Context } from '../../core/guard';
import { isJsonObject } from '../../core/json';
import type { TranscriptFacts } from '../../core/snapshot';
import { type Grounds, NOTHING, type Verdict } from '../../core/verdict';
import type { LoopConfig } from './config';
import * as say from './messages';
import {
  type Heard,
  heardIn,
  isConsumed,
  lastWords,
  type Progress,
  progressOf,
  TOLD_AFTER,
  type Words,
} from './signals';
import { type Frame, frameOf, isOurs, type LoopState, pauseIn, phaseOf } from './state';
import { BEAT_EVERY_MS, beat, findLoop, keepState, type Life, lifeOf, type Place, silence } from './store';
import { continuationOf, isSwitchedOff, leftBehind } from './task-files';
import { type Transition, tokensWanted, transition } from './transition';
import { type Proof, proofOf } from './verification';

type Stop = EventOf<'turn.stop'>;

/** One stop of a session that has a loop. */
export interface LoopStop {
  readonly event: Stop;
  readonly config: LoopConfig;
  readonly ctx: Context;
  readonly place: Place;
  readonly state: LoopState;
  readonly top: Frame | undefined;
  readonly life: Life | undefined;
  readonly transcript: TranscriptFacts;
}

/** Not the loop's are stops of a subagent, of a broken-off turn, while planning, and with work going on behind. */
function isLoopStop(event: Stop): boolean {
  if (event.agent !== undefined || event.status !== 'completed') return false;
  if (event.permissionMode?.canonical === 'plan') return false;
  return !event.backgroundTasks.some((task) => isJsonObject(task) && task['status'] === 'running');
}

/** Goes one step with the loop of this session, unless somebody else refuses the stop already. */
export async function atStop(event: Stop, config: LoopConfig, ctx: Context): Promise<Verdict> {
  const heldByOthers = ctx.earlier.some(({ verdict }) => 'reason' in verdict);
  if (heldByOthers || !isLoopStop(event)) return NOTHING;
  const found = findLoop(event, ctx);
  if (found.kind === 'none') return NOTHING;
  if (found.kind === 'unclear') {
    tell(ctx, say.unclearState(found.file, found.why));
    return NOTHING;
  }
  const { place, state } = found;
  if (phaseOf(state) === 'IDLE' || isSwitchedOff(place, ctx)) return NOTHING;
  const top = frameOf(state.stack.at(-1), config.maxIterations);
  const life = lifeOf(ctx, event.sessionId);
  const transcript = transcriptFor(event, state, ctx);
  return drive({ event, config, ctx, place, state, top, life, transcript });
}

/** Asked only where the event has no last words, or a budget of tokens has to be kept. */
function transcriptFor(event: Stop, { stack }: LoopState, ctx: Context): TranscriptFacts {
  const lastText = !event.lastMessage;
  const tokensFrom = tokensWanted(stack);
  if (!lastText && tokensFrom === undefined) return {};
  return ctx.transcript({ ...(lastText && { lastText }), ...(tokensFrom !== undefined && { tokensFrom }) });
}

async function drive(stop: LoopStop): Promise<Verdict> {
  const { event, ctx, state, top, transcript } = stop;
  const words = lastWords(event, transcript);
  const claimed = hear(stop, words);
  const proof: Proof =
    top && claimed.signal && isActing(state) ? await proofOf(top, claimed.signal, ctx) : { kind: 'none' };
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
function standstill({ top, life, config, ctx }: LoopStop, { text }: Words): Progress | undefined {
  if (top === undefined || life === undefined || !config.stall || !isOurs(top)) return undefined;
  return progressOf(top, text, life.wrote, ctx);
}

/** What a transition means to the host, to the disk and to people. `remarks` are for the frame that goes on. */
function concluded(stop: LoopStop, step: Transition, remarks: readonly string[], proof: Proof): Verdict {
  const { ctx, place, config } = stop;
  const { goOn, warning } = step;
  for (const change of changesOf(stop, step)) ctx.change(change);
  const note = proof.kind === 'unvouched' ? say.unvouched(proof.command) : undefined;
  const told = (what: string): void => tell(ctx, say.oddRun(runOf(stop), what));
  if (warning !== undefined) told(warning);
  if (goOn === undefined) return passing(stop, step, note);
  for (const change of signsOfLife(stop)) ctx.change(change);
  const own = step.to === 'ACTIVE' ? remarks : [];
  const missing = proof.kind === 'failed' ? say.WHY_HELD.unproven : say.WHY_HELD.noSignal;
  const why = step.to === 'ACTIVE' ? missing : say.WHY_HELD.innerDone;
  const { reason, warnings } = continuationOf(goOn, place, ctx, own);
  for (const what of [...warnings, ...oddMode(goOn), ...(note === undefined ? [] : [note])]) told(what);
  const plain = config.output === 'exit0-json';
  return { kind: 'hold', reason, ...(plain && { plain }), grounds: [groundsOf(goOn, why)] };
}

/** The state itself says that the loop lives; beside it only what tools have done since has to be forgotten. */
function signsOfLife({ event, life, ctx }: LoopStop): Change[] {
  const { sessionId } = event;
  const isSaid = life !== undefined && !life.wrote && ctx.now - life.heartbeat < BEAT_EVERY_MS;
  return sessionId === '' || isSaid ? [] : [beat(sessionId, ctx.now, false)];
}

/** What is odd about the loop, for who reads along. */
function tell(ctx: Context, detail: string): void {
  ctx.trouble({ code: 'loop.odd-state', detail });
}

function runOf({ state }: LoopStop): string {
  const run = state.envelope['run_id'];
  return typeof run === 'string' ? run : '';
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
  const { event, place, ctx, state } = stop;
  if (next === undefined) return [];
  const what = goOn === undefined ? `loop ${reason ?? to}` : `loop iteration ${goOn.iter}/${goOn.max}`;
  const rests = next['event'] !== 'STATE' || pauseIn(next['paused']) !== undefined;
  const quiet = rests && event.sessionId !== '' ? [silence(event.sessionId)] : [];
  // The next iteration needs all that this one had.
  const isNext = to === 'ACTIVE' && goOn !== undefined;
  const cleared = isNext ? [] : leftBehind(state.stack, next, place, ctx);
  return [keepState(place, next, what), ...quiet, ...cleared];
}

/** The person hears that the loop ended, or waits, where nobody asked for it. */
function passing(
  { ctx }: LoopStop,
  { reason, next, capped }: Transition,
  proof: string | undefined,
): Verdict {
  const pause = next?.['event'] === 'STATE' ? pauseIn(next['paused']) : undefined;
  const notes = [
    capped === true ? say.capNote(ctx.refusedStops.inRow) : undefined,
    pause === undefined ? undefined : say.pausedNote(pause),
    reason === undefined ? undefined : say.endedNote(reason),
    proof === undefined ? undefined : `The loop: ${proof}.`,
  ].filter((note) => note !== undefined);
  if (notes.length === 0) return NOTHING;
  const toPerson = notes.join(' ');
  return { kind: 'advise', toPerson, grounds: [{ rule: 'loop', fact: toPerson, clear: say.CLEAR }] };
}
