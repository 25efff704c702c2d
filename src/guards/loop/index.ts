import { documentKey } from '../../domain/document';
import type { Event, EventOf } from '../../domain/event';
import type { Guard } from '../../domain/guard';
import { isJsonObject } from '../../domain/json';
import type { FileAsk, Needs, Snapshot } from '../../domain/snapshot';
import { isLoopStop } from './at-stop';
import { tokensWanted } from './budgets';
import type { LoopConfig } from './config';
import { continuationFiles } from './continuation';
import { decide } from './decide';
import { fallbackFiles, LIVE_FILE, ownTopic, sharedTopic } from './documents';
import { findLoop, isTopicUnknown, type Place } from './find-loop';
import { frameOf, isOurs } from './frame';
import { interest } from './interest';
import { loopDirs, switchFiles } from './own-places';
import { progressFiles } from './progress';
import { isLive, type LoopState } from './state';
import { taskAsk, taskFileOf } from './task-file';
import { VOUCHED_FILE, verificationIn } from './vouched';

type Stop = EventOf<'turn.stop'>;

/** Hold the end of a turn until the work says that it is complete, or a bound is reached. */
export const guard: Guard<LoopConfig> = { name: 'loop', interest, needs, decide, surelyEnds };

/** Longer last words are rare, as are those that have to be looked up; only they could take long to read. */
const SHORT_WORDS = 100_000;

function surelyEnds(event: Event): boolean {
  if (event.kind !== 'turn.stop') return true;
  return Boolean(event.lastMessage) && (event.lastMessage ?? '').length < SHORT_WORDS;
}

/** First where the state may be; then, only for a stop that a loop may refuse, what its next step needs. */
function needs(event: Event, config: LoopConfig, known: Snapshot): Needs {
  if (event.kind === 'tool.after') return { documents: [LIVE_FILE] };
  if (event.kind === 'turn.stop' && !isLoopStop(event)) return {};
  const topics = [sharedTopic(event.sessionId), ownTopic(event.sessionId)];
  const read = topics.every((ref) => known.documents.has(documentKey(ref)));
  const fallback = read && isTopicUnknown(event, known) ? fallbackFiles(known.projectRoot, event.cwd) : [];
  const documents = [...topics, LIVE_FILE, ...fallback];
  const steps = event.kind === 'turn.stop' || event.kind === 'prompt.submit';
  const found = read && steps ? findLoop(event, known) : undefined;
  if (found?.kind !== 'loop' || !isLive(found.state)) {
    return { documents, sessions: event.kind === 'session.start' };
  }
  if (event.kind !== 'turn.stop') return { documents, files: taskAsks(found, known) };
  const step = stepNeeds(event, config, known, found);
  return { ...step, documents: [...documents, ...(step.documents ?? [])] };
}

/** What is known of a loop that may be taken a step further. */
interface Found {
  readonly place: Place;
  readonly state: LoopState;
}

function stepNeeds(event: Stop, config: LoopConfig, known: Snapshot, found: Found): Needs {
  const { place, state } = found;
  const top = frameOf(state.stack.at(-1), config.maxIterations);
  const dirs = loopDirs(place, known);
  const frames = state.stack.flatMap((frame) => frameOf(frame, config.maxIterations) ?? []);
  const lastText = !event.lastMessage;
  const tokensFrom = tokensWanted(state.stack);
  return {
    documents: top !== undefined && verificationIn(top) !== undefined ? [VOUCHED_FILE] : [],
    files: [
      ...switchFiles(place, known),
      ...frames.flatMap((frame) => continuationFiles(frame, dirs)),
      ...taskAsks(found, known),
      ...(top !== undefined && config.stall && isOurs(top) ? progressFiles(known) : []),
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
