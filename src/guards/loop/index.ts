import { WRITING_OPERATIONS } from '../../core/effect-kinds';
import { type Event, type EventOf, whoCaused } from '../../core/event';
import type { Context, Guard, Interest } from '../../core/guard';
import { objectIn } from '../../core/json';
import { isSameSessionName, plainId } from '../../core/text';
import { NOTHING, type Verdict } from '../../core/verdict';
import { LOOP_LIFE } from '../../state/sessions';
import { CANCELLED, liveNote, offerNote, pausedNote } from './messages';
import { endedState, pausedState } from './new-state';
import { frameOf, freshnessOf, isLive, type LoopConfig, type LoopState, parseState, ttlOf } from './state';
import { atStop } from './stop';
import {
  BEAT_EVERY_MS,
  FALLBACK_PATH,
  findLoop,
  heartbeatOf,
  type LoopHeartbeat,
  loopTopics,
  recordHeartbeat,
  removeHeartbeat,
  writeLoopState,
} from './store';
import { ownDir, removeLeftFiles } from './task-files';

/** Holds the end of a turn until the agent signals that the work is complete, or a limit is reached. */
export const guard: Guard<LoopConfig> = { name: 'loop', interest, decide };

/**
 * Where a loop may have left its state; `holdpoint/` is our own directory. A project without any of these files pays
 * nothing for loops.
 */
const STATE_FILES: readonly string[] = [
  '.jwz/messages.jsonl',
  '.zawinski/messages.jsonl',
  'holdpoint/loop.jsonl',
  FALLBACK_PATH,
];

/** Tools are watched only while a loop is active. */
function interest(): readonly Interest[] {
  const kinds = ['turn.stop', 'turn.error', 'prompt.submit', 'session.start'] as const;
  const watched = kinds.map((kind) => ({ kind, whenFile: STATE_FILES }));
  return [...watched, { kind: 'tool.after', whenFile: [`holdpoint/${LOOP_LIFE}`] }];
}

async function decide(event: Event, config: LoopConfig, ctx: Context): Promise<Verdict> {
  switch (event.kind) {
    case 'turn.stop':
      return atStop(event, config, ctx);
    case 'tool.after':
      return afterTool(event, ctx);
    case 'prompt.submit':
      return atPrompt(event, config, ctx);
    case 'turn.error':
      return atError(event, ctx);
    case 'session.start':
      return atStart(event, config, ctx);
    default:
      return NOTHING;
  }
}

/** Records a heartbeat at most once a minute, and the first tool of an iteration that can write. */
function afterTool(event: EventOf<'tool.after'>, ctx: Context): Verdict {
  const life = heartbeatOf(ctx, event.sessionId);
  if (life === undefined) return NOTHING;
  const writes = WRITING_OPERATIONS.includes(event.call.op) && !life.wrote;
  if (writes || ctx.now - life.heartbeat >= BEAT_EVERY_MS) {
    ctx.change(recordHeartbeat(event.sessionId, ctx.now, writes ? true : undefined));
  }
  return NOTHING;
}

/**
 * Pauses the loop when a turn fails, because the agent does nothing while its loop would count as running. A loop
 * without a session is paused only if this session drove it.
 */
function atError(event: EventOf<'turn.error'>, ctx: Context): Verdict {
  const found = event.agent === undefined ? findLoop(event, ctx) : { kind: 'none' as const };
  if (found.kind !== 'loop' || !isLive(found.state) || found.state.paused !== undefined) return NOTHING;
  const { state, place } = found;
  const isDriven = state.sessionId !== undefined || heartbeatOf(ctx, event.sessionId)?.since !== undefined;
  if (!isDriven) return NOTHING;
  const paused = pausedState(state.envelope, event.error || 'error', ctx.now);
  // Hosts show nobody the answer to this event, so the next prompt tells it.
  const next = { ...paused, paused: { ...objectIn(paused, 'paused'), untold: true } };
  ctx.change(writeLoopState(place, next, 'loop paused', whoCaused(event)));
  ctx.change(recordHeartbeat(event.sessionId, ctx.now));
  return NOTHING;
}

/** Whether a person typed a cancel command. It must be the whole prompt, not a mention. */
function isCancel(event: EventOf<'prompt.submit'>): boolean {
  const cancel = /^(?:\/(?:[\w.-]+:)?cancel(?:-loop)?|\/[\w.-]+:loop +cancel|(?:holdpoint +)?loop +cancel)$/;
  return event.origin === 'human' && cancel.test(event.text.trim());
}

/** Cancels before the model runs, because the model might not obey. Any other prompt counts as a heartbeat, and tells of an error. */
function atPrompt(event: EventOf<'prompt.submit'>, config: LoopConfig, ctx: Context): Verdict {
  const found = findLoop(event, ctx);
  if (found.kind !== 'loop' || !isLive(found.state)) return NOTHING;
  const { state, place } = found;
  const { now } = ctx;
  if (isCancel(event)) {
    const next = endedState(state.envelope, 'ABORT', 'USER_CANCELLED', now);
    ctx.change(writeLoopState(place, next, 'loop USER_CANCELLED', whoCaused(event)));
    ctx.change(removeHeartbeat(event.sessionId));
    for (const change of removeLeftFiles(state.stack, next, ownDir(ctx))) ctx.change(change);
    const grounds = [{ rule: 'loop', fact: 'a person typed the cancel command' }];
    return { kind: 'advise', ...CANCELLED, grounds };
  }
  const life = heartbeatOf(ctx, event.sessionId);
  const isDue = now - (life?.heartbeat ?? 0) >= BEAT_EVERY_MS;
  if (isDue && event.sessionId !== '' && !isStale(state, life, config, now))
    ctx.change(recordHeartbeat(event.sessionId, now));
  const { untold, ...paused } = objectIn(state.envelope, 'paused');
  if (untold !== true) return NOTHING;
  const told = { ...state.envelope, paused };
  ctx.change(writeLoopState(place, told, 'told that the loop is paused', whoCaused(event)));
  const toPerson = pausedNote(state.paused ?? '');
  return { kind: 'advise', toPerson, grounds: [{ rule: 'loop', fact: toPerson }] };
}

/** Whether the next stop would end the loop as stale. A paused one waits for as long as it takes. */
function isStale(
  state: LoopState,
  life: LoopHeartbeat | undefined,
  config: LoopConfig,
  now: number,
): boolean {
  const ttl = ttlOf(frameOf(state.stack.at(-1), config.maxIterations), config);
  return state.paused === undefined && freshnessOf(state, ttl, now, life?.heartbeat).kind === 'stale';
}

type Start = EventOf<'session.start'>;

/** Reports loops and never starts one: no work starts unless a person asks for it. */
function atStart(event: Start, config: LoopConfig, ctx: Context): Verdict {
  const found = findLoop(event, ctx);
  if (found.kind === 'loop' && isLive(found.state)) return liveLoopVerdict(event, found.state, config, ctx);
  return offerVerdict(event, unfinishedLoops(event, config, ctx));
}

/**
 * Reports the session's live loop, whose files are protected from now on, since there is a heartbeat. A stale one is
 * offered like a loop of another session.
 */
function liveLoopVerdict(event: Start, state: LoopState, config: LoopConfig, ctx: Context): Verdict {
  const top = frameOf(state.stack.at(-1), config.maxIterations);
  if (top === undefined) return NOTHING;
  const life = heartbeatOf(ctx, event.sessionId);
  if (isStale(state, life, config, ctx.now))
    return event.source === 'clear' ? NOTHING : offerVerdict(event, ['']);
  if (event.sessionId !== '') ctx.change(recordHeartbeat(event.sessionId, ctx.now));
  const text = liveNote(state, top);
  return { kind: 'advise', toAgent: text, toPerson: text, grounds: [{ rule: 'loop', fact: text }] };
}

/** Tells only the person: an agent might take an offer for an order. A cleared session leaves its loop behind. */
function offerVerdict(event: Start, from: readonly string[]): Verdict {
  if (!['resume', 'fork', 'clear'].includes(event.source) || from.length === 0) return NOTHING;
  const toPerson = offerNote(from);
  return { kind: 'advise', toPerson, grounds: [{ rule: 'loop', fact: toPerson }] };
}

/** Ids of the ended sessions that left an unfinished loop; once cleared, only of those that were active lately. */
function unfinishedLoops(event: Start, config: LoopConfig, ctx: Context): string[] {
  const newest = new Map<string, LoopState>();
  const topic = [...loopTopics(event, ctx)].find((one) => one.topic?.known)?.topic;
  for (const { body } of topic?.messages ?? []) {
    const parsed = parseState(body);
    if (parsed.kind === 'state' && parsed.state.sessionId !== undefined) {
      newest.set(plainId(parsed.state.sessionId), parsed.state);
    }
  }
  newest.delete(plainId(event.sessionId));
  const isAlive = (id: string): boolean =>
    ctx.sessions().some((one) => isSameSessionName(id, one.sessionId) && one.alive);
  return [...newest.values()].flatMap((state) => {
    const id = state.sessionId ?? '';
    const isOld = event.source === 'clear' && isStale(state, heartbeatOf(ctx, id), config, ctx.now);
    return isLive(state) && !isAlive(id) && !isOld ? [id] : [];
  });
}
