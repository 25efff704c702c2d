import type { Change } from './document';
import type { Failure } from './failure';
import { sessionRecordRef } from './session-file';
import type { DegradedMark, SessionRecord } from './session-record';
import { recordFrom, recordToJson } from './session-record';

const MARKS_KEPT = 10;

/** Marks the session degraded: once for each kind of trouble, until somebody was told of it. */
export function degrade(record: SessionRecord, failures: readonly Failure[], at: number): SessionRecord {
  const waiting = record.degraded.filter((mark) => !mark.told);
  const fresh = failures
    .filter(({ code }) => !waiting.some((mark) => mark.code === code))
    .map(({ code, ...facts }): DegradedMark => {
      return { at, code, detail: Object.values(facts).join(' ').slice(0, 300), told: false };
    });
  if (fresh.length === 0) return record;
  return { ...record, degraded: [...waiting, ...fresh].slice(-MARKS_KEPT) };
}

/** The mark as a change of its own, for failures that no guard's commit carries. */
export function degradeChange(sessionId: string, failures: readonly Failure[], at: number): Change {
  return {
    document: sessionRecordRef(sessionId),
    what: 'degraded session',
    apply: (current) => {
      const record = recordFrom(current, sessionId);
      const next = degrade(record, failures, at);
      return next === record ? current : recordToJson(next, at);
    },
  };
}
