import { type EventOf, whoCaused } from '../../core/event';
import type { Context, TranscriptFacts } from '../../core/guard';
import { isJsonObject, nameIn, objectIn } from '../../core/json';
import { NOTHING, type Verdict } from '../../core/verdict';
import * as say from './messages';
import { type LastMessage, lastMessage, progressOf, signalsIn, WARNED_AFTER, wasConsumed } from './signals';
import {
  type Frame,
  frameOf,
  isLive,
  isOurs,
  type LoopConfig,
  type LoopState,
  modeName,
  pauseIn,
  phaseOf,
  timeIn,
} from './state';
import {
  BEAT_EVERY_MS,
  findLoop,
  heartbeatOf,
  type LoopHeartbeat,
  type LoopPlace,
  recordHeartbeat,
  removeHeartbeat,
  writeLoopState,
} from './store';
import { continuationOf, isSwitchedOff, ownDir, removeLeftFiles } from './task-files';
import { type Transition, tokensWanted, transition } from './transition';
import { checkSignal, type SignalCheck } from './verification';

type Stop = EventOf<'turn.stop'>;

export interface LoopStop {
  readonly event: Stop;
  readonly config: LoopConfig;
  readonly ctx: Context;
  readonly place: LoopPlace;
  readonly state: LoopState;
  readonly top: Frame | undefined;
  readonly life: LoopHeartbeat | undefined;
  readonly transcript: TranscriptFacts;
}

/** Loops ignore stops of subagents and interrupted turns, in plan mode, and while background tasks run. */
function isLoopStop(event: Stop): boolean {
  if (event.agent !== undefined || event.status !== 'completed') return false;
  if (event.permissionMode?.canonical === 'plan') return false;
  return !event.backgroundTasks.some((task) => isJsonObject(task) && task['status'] === 'running');
}

/** Advances the session's loop by one step, unless another guard already holds the stop. */
export async function atStop(event: Stop, config: LoopConfig, ctx: Context): Promise<Verdict> {
  const heldByOthers = ctx.earlier.some(({ verdict }) => 'reason' in verdict);
  if (heldByOthers || !isLoopStop(event)) return NOTHING;
  const found = findLoop(event, ctx);
  if (found.kind === 'none') return NOTHING;
  if (found.kind === 'unclear') {
    ctx.trouble({
      code: 'loop.odd-state',
      detail: `${found.file} ${found.why}, so no loop continues, and nothing was changed`,
    });
    return NOTHING;
  }
  const { place, state } = found;
  const life = heartbeatOf(ctx, event.sessionId);
  // A command or another program has ended the loop.
  if (phaseOf(state) === 'IDLE' && life !== undefined) ctx.change(removeHeartbeat(event.sessionId));
  // An aborted loop is cleaned up even where loops are switched off.
  if (phaseOf(state) === 'IDLE' || (isLive(state) && isSwitchedOff(place, ctx))) return NOTHING;
  const top = frameOf(state.stack.at(-1), config.maxIterations);
  const transcript = transcriptFor(event, state, ctx);
  return takeStep({ event, config, ctx, place, state, top, life, transcript });
}

/** Reads the transcript only if the event has no last message, or a frame has a token budget. */
function transcriptFor(event: Stop, state: LoopState, ctx: Context): TranscriptFacts {
  const ask = { ...(!event.lastMessage && { lastText: true }), ...tokensWanted(state, ctx.now) };
  return Object.keys(ask).length === 0 ? {} : ctx.transcript(ask);
}

async function takeStep(stop: LoopStop): Promise<Verdict> {
  const { event, config, ctx, state, top, transcript } = stop;
  const words = lastMessage(event, transcript);
  const isConsumed = wasConsumed(state, words, event);
  if (isConsumed && isDouble(stop)) return NOTHING;
  const claimed = isConsumed ? { nearMiss: false } : signalsOf(stop, words);
  const isActing = phaseOf(state) === 'ACTIVE' && !state.disabled && state.paused === undefined;
  const proof: SignalCheck =
    top && claimed.signal && isActing ? await checkSignal(top, claimed.signal, ctx) : {};
  const signals = proof.refusal === undefined ? claimed : { nearMiss: false };
  const progress = progressAt(stop, words);
  const remarks = [
    ...(proof.refusal === undefined ? [] : [say.refusedSignal('Your', proof.refusal)]),
    ...(signals.nearMiss && config.nearMiss ? [signals.isUnchecked ? say.UNCHECKED : say.NEAR_MISS] : []),
    ...((progress?.streak ?? 0) >= WARNED_AFTER ? [say.STANDSTILL] : []),
  ];
  return conclude(stop, transition(stop, { words, heard: signals, progress }), remarks, proof);
}

/** What was said before the loop began is not about it. */
function signalsOf({ top, ctx }: LoopStop, { text, at = Number.POSITIVE_INFINITY }: LastMessage) {
  const isOlder = at < (timeIn(top?.raw, 'started_at') ?? 0);
  return top && !isOlder ? signalsIn(text, top.mode, ctx) : { nearMiss: false };
}

/** Without a heartbeat, tools that can write were not recorded. A message that is not known is no evidence. */
function progressAt({ top, life, config, ctx }: LoopStop, { text, source }: LastMessage) {
  const isJudged = config.stall && source !== 'none' && top !== undefined && isOurs(top);
  return isJudged && life !== undefined ? progressOf(top, text, life.wrote, ctx) : undefined;
}

/** Whether another process of ours has let this same stop go: the next one begins only after that. */
function isDouble({ ctx, event, state, place }: LoopStop): boolean {
  const { prompt_id: prompt = null } = objectIn(state.envelope, 'last_signal');
  const started = ctx.startedAt() ?? Number.POSITIVE_INFINITY;
  return prompt === (event.promptId ?? null) && started <= (place.writtenAt ?? 0);
}

/** Writes the next state and returns the verdict. `remarks` are for the frame that continues. */
function conclude(stop: LoopStop, step: Transition, remarks: readonly string[], proof: SignalCheck): Verdict {
  const { ctx, place, config, state } = stop;
  const { goOn, warning } = step;
  writeState(stop, step);
  const run = nameIn(state.envelope, 'run_id');
  const loop = run === undefined ? 'the loop' : `the loop ${run}`;
  const tell = (what: string): void => ctx.trouble({ code: 'loop.odd-state', detail: `${loop}: ${what}` });
  const { refusal, untrusted } = proof;
  const note = untrusted && say.untrustedCommand(untrusted);
  if (warning !== undefined) tell(warning);
  if (goOn === undefined) return allowStop(stop, step, proof);
  const isNext = step.to === 'ACTIVE';
  const ofInner = refusal === undefined ? [] : [say.refusedSignal("The inner loop's", refusal)];
  const { reason, warnings } = continuationOf(goOn, place, ctx, isNext ? remarks : ofInner);
  for (const what of warnings) tell(what);
  if (goOn.mode === 'unknown')
    tell(`its mode ${modeName(goOn)} is unknown, so no signal can end it before its last iteration`);
  if (note !== undefined) tell(note);
  const missing = refusal === undefined ? say.WHY_HELD.noSignal : say.WHY_HELD.unproven;
  const why = isNext ? missing : say.WHY_HELD.innerDone;
  const fact = `iteration ${goOn.iter} of ${goOn.max} in mode ${modeName(goOn)}: ${why}`;
  const grounds = [{ rule: 'loop', fact, clear: say.CLEAR, waive: say.WAIVE }];
  return { kind: 'hold', reason, ...(config.output === 'exit0-json' && { plain: true }), grounds };
}

/** The state's own time counts as a heartbeat, so a recent one is rewritten only to reset `wrote`. */
function renewHeartbeat({ event, life, ctx }: LoopStop): void {
  const isRecent = life !== undefined && !life.wrote && ctx.now - life.heartbeat < BEAT_EVERY_MS;
  if (event.sessionId !== '' && !isRecent) ctx.change(recordHeartbeat(event.sessionId, ctx.now, false));
}

function writeState(stop: LoopStop, { next, goOn, reason, to }: Transition): void {
  const { event, place, ctx, state } = stop;
  if (next === undefined) return;
  const what = goOn === undefined ? `loop ${reason ?? to}` : `loop iteration ${goOn.iter}/${goOn.max}`;
  ctx.change(writeLoopState(place, next, what, whoCaused(event)));
  if (next['event'] === 'STATE') renewHeartbeat(stop);
  else if (event.sessionId !== '') ctx.change(removeHeartbeat(event.sessionId));
  // The next iteration still needs everything that this one had.
  if (to === 'ACTIVE' && goOn !== undefined) return;
  for (const change of removeLeftFiles(state.stack, next, ownDir(ctx))) ctx.change(change);
}

/** Lets the turn end, and tells the person if the loop ended or is paused although they did not ask for it. */
function allowStop(
  { ctx }: LoopStop,
  { reason, next, capped }: Transition,
  { refusal, untrusted }: SignalCheck,
): Verdict {
  const pause = next?.['event'] === 'STATE' ? pauseIn(next['paused']) : undefined;
  const notes = [
    capped === true ? say.capNote(ctx.refusedStops.inRow) : undefined,
    pause === undefined ? undefined : say.pausedNote(pause),
    reason === undefined ? undefined : say.endedNote(reason),
    untrusted && `The loop: ${say.untrustedCommand(untrusted)}.`,
    refusal && say.refusedSignal("The loop's", refusal),
  ].filter((one) => one !== undefined);
  if (notes.length === 0) return NOTHING;
  const toPerson = notes.join(' ');
  return { kind: 'advise', toPerson, grounds: [{ rule: 'loop', fact: toPerson }] };
}
