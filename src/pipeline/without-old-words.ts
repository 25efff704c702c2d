import type { Event } from '../domain/event';
import { withNewWords } from '../engine/refused-stops';
import { sessionRecordRef } from '../engine/session-file';
import { recordFrom } from '../engine/session-record';
import { readDocument } from '../store/documents';
import type { Layout } from '../store/layout';

/** Takes away what was heard at an earlier stop of the same prompt. Only hosts that add it up cost a look. */
export function withoutOldWords(event: Event, layout: Layout): Event {
  if (event.kind !== 'turn.stop' || event.saidSincePrompt === undefined || event.sessionId === '')
    return event;
  const document = readDocument(layout, sessionRecordRef(event.sessionId));
  if (document.kind !== 'present') return event;
  return withNewWords(recordFrom(document.value, event.sessionId), event);
}
