import { combine } from './combine';
import type { Decision, Remarks } from './decision';
import { degrade } from './degrade';
import type { Change } from './document';
import type { Event } from './event';
import type { Failure } from './failure';
import { cannotWrite, capReached, holdFell } from './hold-messages';
import { recordRefusal, recordToolUse } from './refused-stops';
import { sessionRecordRef } from './session-file';
import type { SessionRecord } from './session-record';
import { recordFrom, recordToJson } from './session-record';
import type { RefusedStops } from './snapshot';
import type { Spoken } from './verdict';

export interface Proceedings {
  readonly event: Event;
  readonly spoken: readonly Spoken[];
  readonly failures: readonly Failure[];
  /** What the frame itself has to say beside the guards. */
  readonly remarks: Remarks;
  readonly refusedStops: RefusedStops;
  readonly limit: number;
  readonly id: string;
}

export interface Conclusion {
  readonly decision: Decision;
  /** What the session's record has to learn from it. */
  readonly changes: readonly Change[];
}

/** From what was spoken to what is answered, with the bookkeeping that a refused stop needs. */
export function conclude(proceedings: Proceedings): Conclusion {
  const { event, spoken, remarks, refusedStops, limit, id } = proceedings;
  const decision = combine(spoken, remarks, id);
  const overCap = event.kind === 'turn.stop' && decision.kind === 'hold' && refusedStops.inRow >= limit;
  const final = overCap ? released(decision, capReached(refusedStops.inRow, decision.by)) : decision;
  return { decision: final, changes: recordChanges(proceedings, final) };
}

/**
 * What is left of a decision whose changes could not be written. A refused stop is let go: uncounted,
 * it could last for ever. A session that begins is told that nothing can be recorded here.
 */
export function afterFailedWrite(event: Event, decision: Decision, failure: Failure, id: string): Decision {
  if (event.kind === 'session.start') return withNote(decision, cannotWrite(failure), id);
  const counted = event.kind === 'turn.stop' || event.kind === 'subagent.stop';
  if (decision.kind !== 'hold' || !counted) return decision;
  return released(decision, holdFell(decision.by, failure.code));
}

function withNote(decision: Decision, note: string, id: string): Decision {
  const noted = { toAgent: [...decision.toAgent, note], toPerson: [...decision.toPerson, note] };
  return decision.kind === 'nothing' ? { kind: 'advise', id, ...noted } : { ...decision, ...noted };
}

function released(decision: Extract<Decision, { kind: 'hold' }>, note: string): Decision {
  const { id, toAgent, toPerson, report } = decision;
  return { kind: 'advise', id, toAgent, toPerson: [...toPerson, note], ...(report && { report }) };
}

function recordChanges(proceedings: Proceedings, decision: Decision): Change[] {
  const { event, failures, refusedStops } = proceedings;
  if (event.sessionId === '') return [];
  const steps: ((record: SessionRecord) => SessionRecord)[] = [];
  if (event.kind === 'turn.stop' && decision.kind === 'hold') {
    const toolUseSeen = refusedStops.inRow === 0;
    steps.push((record) => recordRefusal(record, event, decision.by, toolUseSeen, Date.now()));
  }
  // The host counts the rounds of the main agent; a subagent's tools do not begin its row anew.
  const toolUse = event.kind.startsWith('tool.') && event.agent === undefined;
  if (toolUse && refusedStops.inRow > 0) steps.push(recordToolUse);
  if (failures.length > 0) steps.push((record) => degrade(record, failures, event.at));
  if (steps.length === 0) return [];
  return [
    {
      document: sessionRecordRef(event.sessionId),
      what: 'session record',
      apply: (current) => {
        const record = recordFrom(current, event.sessionId);
        const next = steps.reduce((value, step) => step(value), record);
        return next === record ? current : recordToJson(next, event.at);
      },
    },
  ];
}
