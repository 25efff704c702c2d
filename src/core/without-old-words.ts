import { readDocument } from '../state/documents';
import type { Layout } from '../state/layout';
import type { Event, EventOf } from './event';
import { withNewWords } from './refused-stops';
import { sessionRecordRef } from './session-file';
import { recordFrom } from './session-record';

/** Takes away what was heard at an earlier stop of the same prompt. Only hosts that add it up cost a look. */
export function withoutOldWords(stop: EventOf<'turn.stop'>, layout: Layout): Event {
  if (stop.saidSincePrompt === undefined || stop.sessionId === '') return stop;
  const document = readDocument(layout, sessionRecordRef(stop.sessionId));
  if (document.kind !== 'present') return stop;
  return withNewWords(recordFrom(document.value, stop.sessionId), stop);
}
