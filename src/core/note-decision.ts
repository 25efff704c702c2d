import { branchLabel } from '../git/head';
import { appendJournal, lineOf } from '../state/journal';
import { appendToLog } from '../state/rotated-log';
import { type Who, whoCaused } from './actor';
import type { EventContext, World } from './context';
import type { Committed, Judgement } from './decide';
import type { Event } from './event';
import type { Failure } from './failure';
import type { Json, JsonObject } from './json';
import { sentenceOf } from './messages';
import { isoTime, sessionKey } from './text';
import type { Answer, Spoken } from './verdict';

/** An event after everything is decided and written. */
export interface Handled
  extends Pick<Committed, 'decision' | 'written' | 'changed' | 'setAside' | 'failures'>,
    Pick<Judgement, 'spoken' | 'notes' | 'asked' | 'shadowed'> {
  readonly scene: EventContext;
  /** Absent if time ran out. */
  readonly judgement?: Judgement;
  /** As the guards saw it; absent if they were not asked. */
  readonly world?: World;
  readonly by?: Who | undefined;
  /** Whether the journal has an entry for the start of an effect. */
  readonly announced: boolean;
  /** State changes of shadow rules, in words. */
  readonly changedInShadow?: readonly string[];
}

/** For an event without an entry of its own: the consulted rules, and an entry if shadow rules decided. */
export function noteShadowed(handled: Handled): void {
  const { scene, shadowed, changedInShadow = [] } = handled;
  noteRules(handled);
  // A failed write is not reported, since nobody is to notice these rules.
  if (shadowed.length + changedInShadow.length > 0)
    appendJournal(scene.layout, journalEntry(handled, [], handled.failures));
}

/** For statistics. A failed write is not reported. */
function noteRules({ scene: { event, layout }, asked }: Handled): void {
  if (asked.length === 0) return;
  const call = 'call' in event ? event.call.callId : undefined;
  const line: Record<string, Json> = {
    at: event.at,
    session: sessionKey(event.sessionId) ?? '',
    ...(call !== undefined && { call }),
    rules: [...new Set(asked)],
  };
  appendToLog(layout, 'asked', () => lineOf(line));
}

/** Writes the journal entry, if the event deserves one; returns the failure if it could not be written. */
export function noteDown(
  handled: Handled,
  { losses }: Answer,
  failures: readonly Failure[],
): Failure | undefined {
  const { scene, decision, announced, spoken, written, setAside } = handled;
  // A plain allow that changed nothing gets no entry, unless a started effect was announced.
  const isWorthALine =
    decision.kind !== 'nothing' ||
    announced ||
    spoken.some(({ verdict }) => 'grounds' in verdict && verdict.grounds.length > 0) ||
    written.length + setAside.length + failures.length + losses.length > 0;
  if (!isWorthALine) {
    noteShadowed(handled);
    return undefined;
  }
  noteRules(handled);
  return appendJournal(scene.layout, journalEntry(handled, losses, failures));
}

/** The first fields of every entry about an event. */
export function entryHead(id: string, { at, host, sessionId, hostEvent }: Event) {
  return { id, at: isoTime(at), host, session: sessionId, event: hostEvent };
}

/** A decision as a journal entry: names, rules and places, never prompts, file contents or environment. */
function journalEntry(
  { scene, decision, spoken, shadowed, written, changed, changedInShadow = [], by, setAside }: Handled,
  losses: readonly string[],
  failures: readonly Failure[],
): JsonObject {
  const { id, event } = scene;
  const call = 'call' in event ? event.call : undefined;
  return {
    ...entryHead(id, event),
    ...(call && { tool: call.nativeName }),
    ...(call?.callId !== undefined && { call: call.callId }),
    ...(event.agent && { agent: event.agent.id }),
    ...(by ?? whoCaused(event)),
    ...(scene.git && { branch: branchLabel(scene.git) }),
    decision: decision.kind,
    ...('report' in decision && decision.report && { status: decision.report.status }),
    verdicts: [...verdictEntries(spoken), ...shadowEntries(shadowed)],
    ...listed('changes', [...changed, ...changedInShadow]),
    ...listed('written', written),
    ...listed('set_aside', setAside),
    ...listed('failures', failures.map(failureEntry)),
    ...listed('losses', losses),
    ms: Date.now() - event.at,
  };
}

function verdictEntries(spoken: readonly Spoken[]): Json[] {
  return spoken.flatMap(({ guard, verdict }) => {
    if (verdict.kind === 'nothing') return [];
    return [{ guard, verdict: verdict.kind, grounds: verdict.grounds.map((ground) => ({ ...ground })) }];
  });
}

function shadowEntries(shadowed: Handled['shadowed']): Json[] {
  return shadowed.map(({ guard, would, grounds }) => {
    return { guard, verdict: 'shadow', would, grounds: grounds.map((ground) => ({ ...ground })) };
  });
}

export function failureEntry(failure: Failure): Json {
  return { code: failure.code, message: sentenceOf(failure) };
}

function listed(name: string, items: readonly Json[]): JsonObject {
  return items.length === 0 ? {} : { [name]: items };
}
