import type { Topic } from '../../core/document';
import type { EventOf } from '../../core/event';
import { outcome, type Step } from '../../core/old-guard';
import { sessionKey } from '../../core/session-key';
import { documentIn, type Snapshot } from '../../core/snapshot';
import { NOTHING } from '../../core/verdict';
import { modeName } from './conclusion';
import type { LoopConfig } from './config';
import { loopTopics, topicIn } from './documents';
import { findLoop } from './find-loop';
import { frameOf } from './frame';
import { lifeOf } from './live';
import { offerNote, restingNote, runningNote } from './messages';
import { parseState } from './parse-state';
import { freshnessOf, ttlOf } from './staleness';
import { isLive, type LoopState } from './state';

type Start = EventOf<'session.start'>;

/** Tells of loops and never begins one: work that nobody asks for at this moment must not start by itself. */
export function atStart(event: Start, config: LoopConfig, snapshot: Snapshot): Step {
  const found = findLoop(event, snapshot);
  if (found.kind === 'loop' && isLive(found.state)) return told(event, found.state, config, snapshot);
  return offered(event, leftLoops(event, snapshot));
}

/** A loop that is too old to be continued is offered like one of another session, and else not spoken of. */
function told(event: Start, state: LoopState, config: LoopConfig, snapshot: Snapshot): Step {
  const top = frameOf(state.stack.at(-1), config.maxIterations);
  if (top === undefined) return outcome(NOTHING);
  const heartbeat = lifeOf(snapshot, event.sessionId)?.heartbeat;
  const freshness = freshnessOf(state, ttlOf(top, config), snapshot.now, heartbeat);
  if (state.paused === undefined && freshness.kind === 'stale') return offered(event, ['']);
  const note = state.paused === undefined ? runningNote : restingNote;
  const text = note(state.sessionId !== undefined, modeName(top), top.iter, top.max);
  return outcome({ kind: 'advise', toAgent: text, toPerson: text, grounds: [{ rule: 'loop', fact: text }] });
}

/** To the person alone: an agent might take an offer for an order. */
function offered(event: Start, from: readonly string[]): Step {
  const continues = event.source === 'resume' || event.source === 'fork';
  if (!continues || from.length === 0) return outcome(NOTHING);
  const toPerson = offerNote(from);
  return outcome({ kind: 'advise', toPerson, grounds: [{ rule: 'loop', fact: toPerson }] });
}

/** The sessions that left a loop behind which did not end, and whose host runs no more. */
function leftLoops(event: Start, snapshot: Snapshot): string[] {
  const alive = new Set(snapshot.sessions.filter((one) => one.alive).map((one) => sessionKey(one.id)));
  const newest = new Map<string, LoopState>();
  for (const { body } of topicOf(event, snapshot)?.messages ?? []) {
    const parsed = parseState(body);
    if (parsed.kind === 'state' && parsed.state.sessionId !== undefined) {
      newest.set(parsed.state.sessionId, parsed.state);
    }
  }
  newest.delete(event.sessionId);
  return [...newest.entries()].flatMap(([id, state]) =>
    isLive(state) && !alive.has(sessionKey(id)) ? [id] : [],
  );
}

function topicOf({ sessionId }: Start, snapshot: Snapshot): Topic | undefined {
  const topics = loopTopics(sessionId).map((ref) => {
    const document = documentIn(snapshot, ref);
    return document.kind === 'present' ? topicIn(document.value) : undefined;
  });
  return topics.find((topic) => topic?.known);
}
