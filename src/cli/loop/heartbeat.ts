import { isJsonObject, type Json } from '../../core/json';
import { LIVE_FILE } from '../../guards/loop/store';
import { readDocument } from '../../state/documents';
import type { Layout } from '../../state/layout';

/** The last sign of life of a session's loop; that of any session for a loop that is nobody's. */
export function heartbeatOf(layout: Layout, sessionId: string | undefined): number | undefined {
  const document = readDocument(layout, LIVE_FILE);
  const live = document.kind === 'present' && isJsonObject(document.value) ? document.value['sessions'] : {};
  const entries = isJsonObject(live) ? Object.entries(live) : [];
  const beats = entries
    .filter(([id]) => sessionId === undefined || id === sessionId)
    .flatMap(([, life]) => beatIn(life) ?? []);
  return beats.length === 0 ? undefined : Math.max(...beats);
}

function beatIn(life: Json | undefined): number | undefined {
  const beat = isJsonObject(life) ? life['heartbeat'] : undefined;
  return typeof beat === 'number' ? beat : undefined;
}
