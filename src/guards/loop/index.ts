import { type DocumentRef, documentKey } from '../../core/document';
import type { Event, EventOf } from '../../core/event';
import type { Guard } from '../../core/guard';
import { isJsonObject } from '../../core/json';
import type { FileAsk, Needs, Snapshot } from '../../core/snapshot';
import { isLoopStop } from './at-stop';
import { tokensWanted } from './budgets';
import type { LoopConfig } from './config';
import { continuationFiles } from './continuation';
import { decide } from './decide';
import { fallbackFiles, LIVE_FILE, loopTopics, ownTopic, sharedTopic } from './documents';
import { findLoop, isTopicUnknown, type Place } from './find-loop';
import { frameOf, isOurs } from './frame';
import { interest } from './interest';
import { loopDirs, switchFiles } from './own-places';
import { packedNeeds, progressFiles } from './progress';
import { mayHoldSignal } from './signals';
import { isLive, type LoopState } from './state';
import { taskAsk, taskFileOf } from './task-file';
import { VOUCHED_FILE, verificationIn } from './vouched';

type Stop = EventOf<'turn.stop'>;

/** Hold the end of a turn until the work says that it is complete, or a bound is reached. */
export const guard: Guard<LoopConfig> = { name: 'loop', interest, needs, decide, surelyEnds };

/** Only to parse a message could take long, and of one that has to be looked up nothing is known yet. */
function surelyEnds(event: Event): boolean {
  if (event.kind !== 'turn.stop') return true;
  return Boolean(event.lastMessage) && !mayHoldSignal(event.lastMessage ?? '');
}

/**
 * First where the state may be; then, only for a stop that a loop may refuse, what its next step needs. What is
 * known already is not asked for again.
 */
function needs(event: Event, config: LoopConfig, known: Snapshot): Needs {
  if (event.kind === 'tool.after') return isRead(LIVE_FILE, known) ? {} : { documents: [LIVE_FILE] };
  if (event.kind === 'turn.stop' && !isLoopStop(event)) return {};
  const [shared, own] = loopTopics(event.sessionId);
  if (isRead(shared, known) && isRead(own, known)) return furtherNeeds(event, config, known);
  if (event.kind === 'session.start') return startNeeds(event.sessionId);
  return { documents: [shared, own, LIVE_FILE] };
}

function furtherNeeds(event: Event, config: LoopConfig, known: Snapshot): Needs {
  const steps = event.kind === 'turn.stop' || event.kind === 'prompt.submit';
  const found = steps ? findLoop(event, known) : undefined;
  if (found?.kind !== 'loop') {
    return isTopicUnknown(event, known) ? { documents: fallbackFiles(known.projectRoot, event.cwd) } : {};
  }
  if (!isLive(found.state)) return {};
  return event.kind === 'turn.stop'
    ? stepNeeds(event, config, known, found)
    : { files: taskAsks(found, known) };
}

/** A session that begins is told of what others have left behind. */
function startNeeds(session: string): Needs {
  return { documents: [sharedTopic(session), ownTopic(session), LIVE_FILE], sessions: true };
}

function isRead(ref: DocumentRef, { documents }: Snapshot): boolean {
  return documents.has(documentKey(ref));
}

/** What is known of a loop that may be taken a step further. */
interface Found {
  readonly place: Place;
  readonly state: LoopState;
}

function stepNeeds(event: Stop, config: LoopConfig, known: Snapshot, found: Found): Needs {
  const { place, state } = found;
  const switches = switchFiles(place, known);
  if (known.files.has(switches[0] ?? '')) return packedNeeds(known);
  const frames = state.stack.map((frame) => frameOf(frame, config.maxIterations));
  const top = frames.at(-1);
  const mayStall = top !== undefined && config.stall && isOurs(top);
  const dirs = loopDirs(place, known);
  const lastText = !event.lastMessage;
  const tokensFrom = tokensWanted(state.stack);
  return {
    documents: top !== undefined && verificationIn(top) !== undefined ? [VOUCHED_FILE] : [],
    files: [
      ...switches.map((path) => ({ path })),
      ...frames.flatMap((frame) => (frame === undefined ? [] : continuationFiles(frame, dirs))),
      ...taskAsks(found, known),
      ...(mayStall ? progressFiles(known) : []),
    ],
    ...((lastText || tokensFrom !== undefined) && {
      transcript: { ...(lastText && { lastText }), ...(tokensFrom !== undefined && { tokensFrom }) },
    }),
  };
}

/** Tasks go when their loop ends. Those in a message store are looked at before: others may have put links there. */
function taskAsks({ place, state }: Found, known: Snapshot): FileAsk[] {
  const dirs = loopDirs(place, known);
  if (dirs.store === undefined || known.git !== undefined) return [];
  return state.stack.filter(isJsonObject).flatMap((frame) => {
    const task = taskFileOf(frame, dirs);
    return task === undefined ? [] : taskAsk(task);
  });
}
